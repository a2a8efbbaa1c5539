/* encoding.c - tokens of a text, for programs */
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "tokenizer/tokenizer.h"

struct ctx_encoding {
	struct ctx_tokenizer *tokenizer;
	struct ctx_token_counter *own;
	/* Only for ctx_encoding_open_model: knows how many tokens of the model
	 * correspond to those of the encoding.  Otherwise scaled is NULL. */
	struct ctx_model_counters counters;
	struct ctx_counter *scaled;
	enum ctx_basis basis;
	struct ctx_arena strings;
};

int
ctx_set_data_directory(const char *directory, struct ctx_error *error)
{
	struct ctx_err err;

	if (ctx_tokenizer_set_data(directory, &err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
}

void
ctx_encoding_free(struct ctx_encoding *encoding)
{
	if (encoding == NULL)
		return;
	ctx_token_counter_close(encoding->own);
	ctx_tokenizer_close(encoding->tokenizer);
	ctx_model_counters_release(&encoding->counters);
	ctx_arena_release(&encoding->strings);
	free(encoding);
}

static int
open_tokenizer(struct ctx_encoding *encoding, const char *name,
    const char *cache, struct ctx_err *err)
{
	if (ctx_tokenizer_open(&encoding->tokenizer, name, cache, err) < 0)
		return -1;
	encoding->basis = ctx_tokenizer_basis(encoding->tokenizer);
	return ctx_token_counter_open(&encoding->own, encoding->tokenizer,
	    CTX_SIMD_BEST, err);
}

int
ctx_encoding_open(struct ctx_encoding **encoding, const char *name,
    const char *cache, struct ctx_error *error)
{
	struct ctx_encoding *made = calloc(1, sizeof *made);
	struct ctx_err err;

	*encoding = NULL;
	if (made == NULL)
		ctx_err_nomem(&err);
	else if (name == NULL)
		ctx_err_set(&err, CTX_EARG, "the name of the encoding is NULL");
	else if (open_tokenizer(made, name, cache, &err) == 0) {
		*encoding = made;
		return 0;
	}
	ctx_encoding_free(made);
	return ctx_api_fail(error, &err);
}

/* Opens the counter of a model.  The tokenizer belongs to it. */
static int
open_model(struct ctx_encoding *encoding, const char *model, const char *cache,
    struct ctx_err *err)
{
	struct ctx_model_counters *counters = &encoding->counters;
	struct ctx_model_counter found;

	if (model == NULL)
		return ctx_err_set(err, CTX_EARG,
		    "the name of the model is NULL");
	counters->model =
	    ctx_arena_copy(&encoding->strings, model, strlen(model) + 1, err);
	if (counters->model == NULL)
		return -1;
	if (cache != NULL) {
		counters->cache = ctx_arena_copy(&encoding->strings, cache,
		    strlen(cache) + 1, err);
		if (counters->cache == NULL)
			return -1;
	}
	if (ctx_model_counters_find(counters, (struct ctx_str){NULL, 0}, &found,
		err) < 0)
		return -1;
	encoding->scaled = found.counter;
	if (open_tokenizer(encoding, found.encoding, cache, err) < 0)
		return -1;
	encoding->basis = found.counter->basis;
	return 0;
}

int
ctx_encoding_open_model(struct ctx_encoding **encoding, const char *model,
    const char *cache, struct ctx_error *error)
{
	struct ctx_encoding *made = calloc(1, sizeof *made);
	struct ctx_err err;

	*encoding = NULL;
	if (made == NULL) {
		ctx_err_nomem(&err);
	} else if (open_model(made, model, cache, &err) == 0) {
		*encoding = made;
		return 0;
	}
	ctx_encoding_free(made);
	return ctx_api_fail(error, &err);
}

const char *
ctx_encoding_exactness(const struct ctx_encoding *encoding)
{
	return ctx_basis_name(encoding->basis);
}

int
ctx_encoding_count(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t *tokens, struct ctx_error *error)
{
	struct ctx_err err;

	if (ctx_token_count(encoding->own, text, length, tokens, &err) < 0)
		return ctx_api_fail(error, &err);
	if (encoding->scaled != NULL)
		*tokens = ctx_tokens_to_model(encoding->scaled, *tokens);
	return 0;
}

int
ctx_encoding_encode(struct ctx_encoding *encoding, const char *text,
    size_t length, struct ctx_id_list *list, struct ctx_error *error)
{
	struct ctx_tokens tokens = {0};
	struct ctx_err err;

	*list = (struct ctx_id_list){0};
	if (ctx_token_encode(encoding->own, text, length, false, &tokens,
		&err) < 0) {
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
	struct ctx_buf out = {0};
	struct ctx_err err;

	*text = (struct ctx_bytes){0};
	if (ctx_tokenizer_decode(encoding->tokenizer, ids, n, &out, &err) < 0 ||
	    ctx_buf_add(&out, "", 1, &err) < 0) {
		ctx_buf_release(&out);
		return ctx_api_fail(error, &err);
	}
	text->length = out.n - 1;
	text->data = out.p;
	return 0;
}

/* A limit in tokens of the model, as tokens of the encoding. */
static uint64_t
encoding_limit(const struct ctx_encoding *encoding, uint64_t limit)
{
	return encoding->scaled == NULL
	    ? limit
	    : ctx_tokens_to_encoding(encoding->scaled, limit);
}

int
ctx_encoding_head(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error)
{
	uint64_t tokens;
	struct ctx_err err;

	if (ctx_token_head(encoding->own, (struct ctx_str){text, length},
		encoding_limit(encoding, limit), at, &tokens, &err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
}

int
ctx_encoding_tail(struct ctx_encoding *encoding, const char *text,
    size_t length, uint64_t limit, size_t *at, struct ctx_error *error)
{
	uint64_t tokens;
	struct ctx_err err;

	if (ctx_token_tail(encoding->own, (struct ctx_str){text, length},
		encoding_limit(encoding, limit), at, &tokens, &err) < 0)
		return ctx_api_fail(error, &err);
	return 0;
}
