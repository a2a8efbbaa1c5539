/* encoding.c - implements the functions of ctx.h that count, encode and decode
 * the tokens of a text */
#include <stdlib.h>

#include "api/handles.h"
#include "tokenizer/tokenizer.h"

struct ctx_encoding {
	/* the name of the model or of the encoding, and the token counter that
	 * was opened for this name */
	struct ctx_model_counters counters;
	/* the token counter; the member "counters" owns its memory */
	struct ctx_counter *counter;
	struct ctx_arena strings;
};

int
ctx_set_data_directory(const char *directory, struct ctx_error *error)
{
	struct ctx_err err;
	int rc;

	if (directory == NULL)
		rc = ctx_err_set(&err, CTX_EARG,
		    "the name of the directory is NULL");
	else
		rc = ctx_tokenizer_set_data(directory, &err);
	return rc < 0 ? ctx_api_fail(error, &err) : 0;
}

void
ctx_encoding_free(struct ctx_encoding *encoding)
{
	if (encoding == NULL)
		return;
	ctx_model_counters_release(&encoding->counters);
	ctx_arena_release(&encoding->strings);
	free(encoding);
}

/* Opens the token counter for a model or for an encoding. *names contains three
 * things: the name of the model or of the encoding, the directory of compiled
 * vocabularies (cache), and the models that the user has defined.  The other
 * members of *names are not used. */
static int
open_counter(struct ctx_encoding *encoding,
    const struct ctx_model_counters *names, struct ctx_err *err)
{
	struct ctx_model_counters *counters = &encoding->counters;
	struct ctx_arena *strings = &encoding->strings;
	struct ctx_model_counter found;

	counters->own = names->own;
	if (ctx_api_copy_string(strings, names->model, &counters->model, err) <
		0 ||
	    ctx_api_copy_string(strings, names->encoding, &counters->encoding,
		err) < 0 ||
	    ctx_api_copy_string(strings, names->cache, &counters->cache, err) <
		0 ||
	    ctx_model_counters_find(counters, (struct ctx_str){NULL, 0}, NULL,
		&found, err) < 0)
		return -1;
	encoding->counter = found.counter;
	return 0;
}

static int
open_encoding(struct ctx_encoding **encoding,
    const struct ctx_model_counters *names, struct ctx_error *error)
{
	struct ctx_encoding *made = calloc(1, sizeof *made);
	struct ctx_err err;

	*encoding = NULL;
	if (made == NULL) {
		ctx_err_nomem(&err);
	} else if (names->model == NULL && names->encoding == NULL) {
		ctx_err_set(&err, CTX_EARG,
		    "the name of the encoding or model is NULL");
	} else if (open_counter(made, names, &err) == 0) {
		*encoding = made;
		return 0;
	}
	ctx_encoding_free(made);
	return ctx_api_fail(error, &err);
}

int
ctx_encoding_open(struct ctx_encoding **encoding, const char *name,
    const char *cache, struct ctx_error *error)
{
	const struct ctx_model_counters names = {.encoding = name,
	    .cache = cache};

	return open_encoding(encoding, &names, error);
}

int
ctx_encoding_open_model(struct ctx_encoding **encoding,
    const struct ctx_user_models *models, const char *model, const char *cache,
    struct ctx_error *error)
{
	const struct ctx_model_counters names = {.model = model,
	    .cache = cache,
	    .own = ctx_api_user_rows(models)};

	return open_encoding(encoding, &names, error);
}

const char *
ctx_encoding_exactness(const struct ctx_encoding *encoding)
{
	return ctx_basis_name(encoding->counter->basis);
}

int
ctx_encoding_count(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t *tokens, struct ctx_error *error)
{
	struct ctx_err err;

	if (ctx_token_count(encoding->counter->tokens, text, length, tokens,
		&err) < 0)
		return ctx_api_fail(error, &err);
	*tokens = ctx_text_to_model(encoding->counter, text, length, *tokens);
	return 0;
}

int
ctx_encoding_encode(struct ctx_encoding *encoding, const char *text,
    size_t length, struct ctx_id_list *list, struct ctx_error *error)
{
	struct ctx_tokens tokens = {0};
	struct ctx_err err;

	*list = (struct ctx_id_list){0};
	if (ctx_token_encode(encoding->counter->tokens, text, length, false,
		&tokens, &err) < 0) {
		ctx_tokens_release(&tokens);
		return ctx_api_fail(error, &err);
	}
	list->ids = tokens.ids;
	list->n = tokens.n;
	return 0;
}

int
ctx_encoding_decode(struct ctx_encoding *encoding, const uint32_t *ids,
    size_t n, struct ctx_bytes *text, struct ctx_error *error)
{
	const struct ctx_tokenizer *tokenizer =
	    ctx_token_counter_tokenizer(encoding->counter->tokens);
	struct ctx_buf out = {0};
	struct ctx_err err;

	*text = (struct ctx_bytes){0};
	if (ctx_tokenizer_decode(tokenizer, ids, n, &out, &err) < 0 ||
	    ctx_buf_add(&out, "", 1, &err) < 0) {
		ctx_buf_release(&out);
		return ctx_api_fail(error, &err);
	}
	text->length = out.n - 1;
	text->data = out.p;
	return 0;
}

typedef int cut_function(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);

/* Finds the place at which a text is divided, so that the part before it (find:
 * ctx_token_head) or after it (ctx_token_tail) has at most limit tokens.  The
 * limit is in tokens of the model.  The function "find" counts tokens of the
 * encoding, so the limit is converted.  If the counter corrects its counts, the
 * converted limit depends on the text.  The search then begins with up to twice
 * the limit (see ctx_correct_tokens).  It is repeated with a lower limit as
 * long as the part has too many tokens. */
static int
find_cut(struct ctx_encoding *encoding, cut_function *find, struct ctx_str text,
    uint64_t limit, size_t *at, struct ctx_error *error)
{
	const struct ctx_counter *counter = encoding->counter;
	uint64_t tokens, within = ctx_tokens_to_encoding(counter, limit), less;
	struct ctx_err err;

	if (counter->corrects && limit <= text.n)
		within = 2 * limit;
	for (;;) {
		if (find(counter->tokens, text, within, at, &tokens, &err) < 0)
			return ctx_api_fail(error, &err);
		if (!counter->corrects)
			return 0;
		tokens = find == ctx_token_head
		    ? ctx_text_to_model(counter, text.p, *at, tokens)
		    : ctx_text_to_model(counter, text.p + *at, text.n - *at,
			  tokens);
		if (tokens <= limit || within == 0)
			return 0;
		less =
		    (uint64_t)((double)within * (double)limit / (double)tokens);
		within = less < within ? less : within - 1;
	}
}

int
ctx_encoding_head(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error)
{
	return find_cut(encoding, ctx_token_head,
	    (struct ctx_str){text, length}, limit, at, error);
}

int
ctx_encoding_tail(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error)
{
	return find_cut(encoding, ctx_token_tail,
	    (struct ctx_str){text, length}, limit, at, error);
}
