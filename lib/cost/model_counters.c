/* model_counters.c - opens a token counter for each model that the input
 * names */
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"

/* Model names with JSON escapes are stored decoded.  LONGEST_KEPT: maximum
 * length in bytes of such a name.  MOST_KEPT: maximum number of these names. */
#define LONGEST_KEPT 256
#define MOST_KEPT    4096

/* An opened token counter.  Each counter is allocated separately, so that a
 * pointer to a counter remains valid when the array of counters grows. */
struct ctx_opened_counter {
	struct ctx_tokenizer *tokenizer;
	struct ctx_counter counter;
	/* The properties (basis, factor, rules for images and so on) for which
	 * this token counter was opened. find_opened compares these
	 * properties. */
	struct ctx_counter wanted;
	const char *encoding;
};

static void
close_opened(struct ctx_opened_counter *opened)
{
	ctx_token_counter_close(opened->counter.tokens);
	ctx_tokenizer_close(opened->tokenizer);
	ctx_counter_release(&opened->counter);
	free(opened);
}

/* Sets frame_request and frame_message, the numbers of tokens of a request and
 * of a message outside their texts.  Sets both to 0 if the tokenizer does not
 * have these numbers. */
static void
set_frame(struct ctx_counter *counter, const struct ctx_tokenizer *tokenizer)
{
	unsigned frame =
	    ctx_tokenizer_frame(tokenizer, &counter->frame_message);

	counter->frame_request = frame - counter->frame_message;
}

static int
open_encoding(struct ctx_model_counters *counters, const char *encoding,
    const struct ctx_counter *like, struct ctx_opened_counter **out,
    struct ctx_err *err)
{
	struct ctx_opened_counter *opened;
	enum ctx_basis basis;

	if (CTX_GROW(counters->opened, counters->cap, counters->n + 1, err) < 0)
		return -1;
	opened = calloc(1, sizeof *opened);
	if (opened == NULL)
		return ctx_err_nomem(err);
	opened->encoding = encoding;
	opened->wanted = opened->counter = *like;
	if (ctx_tokenizer_open(&opened->tokenizer, encoding, counters->cache,
		err) < 0 ||
	    ctx_token_counter_open(&opened->counter.tokens, opened->tokenizer,
		counters->simd, err) < 0 ||
	    (counters->stores_texts &&
		ctx_token_counter_store_texts(opened->counter.tokens, err) <
		    0)) {
		close_opened(opened);
		return -1;
	}
	basis = ctx_tokenizer_basis(opened->tokenizer);
	if (opened->counter.basis < basis)
		opened->counter.basis = basis;
	set_frame(&opened->counter, opened->tokenizer);
	counters->opened[counters->n++] = opened;
	*out = opened;
	return 0;
}

/* Sets *name to the name of the conversation's model.  The name is the first of
 * these that is set: counters->model, the JSON string "literal" (unless it is
 * ""), counters->fallback.  If none is set, name->p is NULL.  A JSON string
 * with escapes is decoded into counters->text. */
static int
find_name(struct ctx_model_counters *counters, struct ctx_str literal,
    struct ctx_str *name, struct ctx_err *err)
{
	const char *given = counters->model;

	counters->text.n = 0;
	if (given == NULL && literal.n > 2) {
		*name = (struct ctx_str){literal.p + 1, literal.n - 2};
		if (memchr(name->p, '\\', name->n) == NULL)
			return 0;
		if (ctx_json_string_decode(&counters->text, literal, err) < 0)
			return -1;
		*name = (struct ctx_str){counters->text.p, counters->text.n};
		return 0;
	}
	if (given == NULL)
		given = counters->fallback;
	*name = (struct ctx_str){given, given == NULL ? 0 : strlen(given)};
	return 0;
}

/* Replaces a decoded model name by a copy that is valid until the counters are
 * released.  If the name is long, or if too many names are stored, replaces the
 * name by the JSON string in the record. */
static int
keep_name(struct ctx_model_counters *counters, struct ctx_str literal,
    struct ctx_str *name, struct ctx_err *err)
{
	uint32_t id;

	if (counters->text.n == 0)
		return 0;
	if (name->n > LONGEST_KEPT || counters->names.n >= MOST_KEPT) {
		*name = literal;
		return 0;
	}
	if (ctx_intern(&counters->names, name->p, name->n, &id, err) < 0)
		return -1;
	*name = ctx_intern_at(&counters->names, id);
	return 0;
}

bool
ctx_model_has_encoding(const struct ctx_model *model, const char *encoding)
{
	const char *name;
	size_t i;

	if (strcmp(model->encoding, encoding) == 0)
		return model->basis != CTX_BASIS_ESTIMATED;
	for (i = 0; (name = ctx_tokenizer_builtin(i)) != NULL; i++)
		if (strcmp(name, encoding) == 0)
			return false;
	return !model->file_is_near && model->basis != CTX_BASIS_RECONSTRUCTED;
}

/* Returns true if an encoding that the user has chosen is the encoding of a
 * model, or a reconstruction of that encoding.  For an unknown model, always
 * returns true. */
static bool
is_encoding_of(const struct ctx_model *model, const char *encoding)
{
	return model->name[0] == '\0' ||
	    ctx_model_has_encoding(model, encoding);
}

/* Copies a name, or its beginning if it is too long, as a string terminated by
 * a NUL byte. */
static void
copy_name(char to[80], struct ctx_str name)
{
	if (name.n > 79)
		name.n = 79;
	memcpy(to, name.p, name.n);
	to[name.n] = '\0';
}

/* Returns the model with this name.  Stores the names that the option -v
 * prints: the first unknown name, and the first name that is an alias or has a
 * version that is not in the table of models. */
static const struct ctx_model *
find_model(struct ctx_model_counters *counters, struct ctx_str name)
{
	const struct ctx_model *model =
	    ctx_model_find(&counters->own, name.p, name.n);

	if (model->name[0] == '\0' && counters->unknown[0] == '\0')
		copy_name(counters->unknown, name);
	if (counters->alias_of == NULL &&
	    (model->unlisted || ctx_model_has_alias(model, name.p, name.n))) {
		copy_name(counters->alias, name);
		counters->alias_of = model;
	}
	return model;
}

int
ctx_model_counters_binds(struct ctx_model_counters *counters,
    struct ctx_str literal, enum ctx_binding *binds, struct ctx_err *err)
{
	struct ctx_str name;

	if (find_name(counters, literal, &name, err) < 0)
		return -1;
	*binds = ctx_model_binds(name.p == NULL
		? NULL
		: ctx_model_find(&counters->own, name.p, name.n),
	    name);
	return 0;
}

int
ctx_model_counters_model(struct ctx_model_counters *counters,
    struct ctx_str literal, const struct ctx_model **row, struct ctx_err *err)
{
	const struct ctx_model *model;
	struct ctx_str name;

	*row = NULL;
	if (find_name(counters, literal, &name, err) < 0)
		return -1;
	if (name.p == NULL)
		return 0;
	model = ctx_model_find(&counters->own, name.p, name.n);
	if (model->name[0] != '\0')
		*row = model;
	return 0;
}

/* Returns the opened token counter with this encoding, and with the basis,
 * factor and rules (for images, tools and reasoning) of the counter "like", or
 * NULL if there is none. */
static struct ctx_opened_counter *
find_opened(const struct ctx_model_counters *counters, const char *encoding,
    const struct ctx_counter *like)
{
	struct ctx_opened_counter *one;
	size_t i;

	for (i = 0; i < counters->n; i++) {
		one = counters->opened[i];
		if (strcmp(one->encoding, encoding) == 0 &&
		    one->wanted.basis == like->basis &&
		    one->wanted.factor == like->factor &&
		    one->wanted.corrects == like->corrects &&
		    one->wanted.drops_reasoning == like->drops_reasoning &&
		    memcmp(&one->wanted.image, &like->image,
			sizeof like->image) == 0 &&
		    memcmp(&one->wanted.tools, &like->tools,
			sizeof like->tools) == 0)
			return one;
	}
	return NULL;
}

/* Stores how the texts of a model are counted, for the user.  Does nothing if
 * the texts are counted for a comparison with billed tokens. */
static void
note_basis(struct ctx_model_counters *counters,
    const struct ctx_model_counter *model_counter)
{
	const struct ctx_model_note note = {model_counter->model,
	    model_counter->dialect, model_counter->encoding,
	    model_counter->counter->basis};
	size_t i;

	for (i = 0; i < counters->n_notes; i++)
		if (counters->notes[i].model == note.model &&
		    counters->notes[i].dialect == note.dialect)
			return;
	if (i < CTX_MODEL_NOTES && !counters->calibrating)
		counters->notes[counters->n_notes++] = note;
}

/* Sets *like to how a model's tokens are counted, apart from its encoding. */
static void
set_model_rules(const struct ctx_model_counters *counters,
    const struct ctx_model *model, struct ctx_str name,
    struct ctx_counter *like)
{
	like->image = model->image;
	like->tools = ctx_model_tools(model, name);
	like->drops_reasoning =
	    model->drops_reasoning && !counters->keeps_reasoning;
	if (counters->encoding != NULL)
		return;
	like->basis = model->basis;
	like->factor = model->factor;
	like->corrects = model->corrects;
}

/* Chooses how tokens are counted.  Sets *like, and returns the encoding. model:
 * the conversation's model, or NULL if none is named. assumed: the model that
 * its messages are counted like if none is named, or NULL. */
static const char *
choose_encoding(const struct ctx_model_counters *counters,
    const struct ctx_model *model, const struct ctx_model *assumed,
    struct ctx_str name, struct ctx_counter *like)
{
	const struct ctx_model *row = model != NULL ? model : assumed;

	*like =
	    (struct ctx_counter){.basis = CTX_BASIS_ESTIMATED, .factor = 100};
	if (row != NULL)
		set_model_rules(counters, row, name, like);
	if (model == NULL)
		like->basis = CTX_BASIS_ESTIMATED;
	if (counters->encoding != NULL &&
	    (model == NULL || is_encoding_of(model, counters->encoding)))
		like->basis = CTX_BASIS_EXACT;
	if (counters->calibrating) {
		if (like->basis == CTX_BASIS_ESTIMATED)
			like->basis = CTX_BASIS_EXACT;
		like->factor = 100;
		like->corrects = false;
	}
	if (counters->encoding != NULL)
		return counters->encoding;
	return row != NULL ? row->encoding : "o200k_base";
}

/* Returns the model that a conversation without a model is counted like, or
 * NULL if the format does not decide it or the user has chosen an encoding. */
static const struct ctx_model *
find_assumed(const struct ctx_model_counters *counters,
    const struct ctx_dialect *dialect)
{
	const char *name = dialect == NULL ? NULL : dialect->counts_like;

	if (name == NULL || counters->encoding != NULL)
		return NULL;
	return ctx_model_find(&counters->own, name, strlen(name));
}

bool
ctx_model_counters_ask_dialect(const struct ctx_model_counters *counters)
{
	return counters->model == NULL && counters->fallback == NULL &&
	    counters->encoding == NULL;
}

int
ctx_model_counters_find(struct ctx_model_counters *counters,
    struct ctx_str literal, const struct ctx_dialect *dialect,
    struct ctx_model_counter *model_counter, struct ctx_err *err)
{
	const struct ctx_model *model = NULL, *assumed = NULL;
	struct ctx_counter like;
	struct ctx_str name;
	const char *encoding;
	struct ctx_opened_counter *opened;

	if (find_name(counters, literal, &name, err) < 0)
		return -1;
	if (name.p == NULL) {
		name = (struct ctx_str){"", 0};
		assumed = find_assumed(counters, dialect);
	} else {
		model = find_model(counters, name);
	}
	if (keep_name(counters, literal, &name, err) < 0)
		return -1;
	encoding = choose_encoding(counters, model, assumed, name, &like);
	opened = find_opened(counters, encoding, &like);
	if (opened == NULL &&
	    open_encoding(counters, encoding, &like, &opened, err) < 0)
		return -1;
	*model_counter = (struct ctx_model_counter){.model = model,
	    .name = name,
	    .counter = &opened->counter,
	    .encoding = encoding,
	    .dialect = assumed != NULL ? dialect : NULL};
	note_basis(counters, model_counter);
	return 0;
}

void
ctx_model_counters_release(struct ctx_model_counters *counters)
{
	size_t i;

	for (i = 0; i < counters->n; i++)
		close_opened(counters->opened[i]);
	free(counters->opened);
	counters->opened = NULL;
	counters->n = counters->cap = 0;
	ctx_intern_release(&counters->names);
	ctx_buf_release(&counters->text);
}
