/* user_models.c - reads the models that the user has defined in a JSON file */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cost/cost.h"

#define LONGEST 1000000 /* maximum size of the file, in bytes */

/* The file that is being read. */
struct model_file {
	const char *path;
	/* the list to which the models of the file are added */
	struct ctx_user_models *models;
	struct ctx_err *err;
};

/* Sets *f->err to a message that names the file and says what is wrong with it.
 * Returns -1. */
static int refuse_file(const struct model_file *f, const char *fmt, ...)
    CTX_FORMAT(2, 3);
static int
refuse_file(const struct model_file *f, const char *fmt, ...)
{
	char text[sizeof f->err->text];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	(void)ctx_err_set(f->err, CTX_EFILE, "%s", text);
	f->err->file = f->path;
	return -1;
}

/* Multiplies a JSON number by scale, rounds the product, and stores it in *to.
 * Returns false if the value is not a number, or if the product is negative or
 * greater than most. */
static bool
scale_number(const json_t *value, double scale, double most, uint64_t *to)
{
	double x = json_number_value(value) * scale;

	if (!json_is_number(value) || !(x >= 0 && x <= most))
		return false;
	*to = (uint64_t)(x + 0.5);
	return true;
}

/* Sets *number to the number whose name is in a JSON string: the number for
 * which name_of returns this name.  Returns false if there is none. */
static bool
find_number(const json_t *value, const char *(*name_of)(unsigned number),
    unsigned *number)
{
	const char *name = json_string_value(value);

	for (*number = 0; name != NULL && name_of(*number) != NULL; ++*number)
		if (strcmp(name, name_of(*number)) == 0)
			return true;
	return false;
}

/* Reads an array: the name of a rule (see find_number), and at most "most"
 * numbers. */
static bool
read_rule(const json_t *value, const char *(*name_of)(unsigned number),
    unsigned *rule, uint32_t figures[], size_t most)
{
	size_t i, size = json_array_size(value);
	uint64_t n;

	if (!find_number(json_array_get(value, 0), name_of, rule) ||
	    size > most + 1)
		return false;
	for (i = 1; i < size; i++) {
		if (!scale_number(json_array_get(value, i), 1, UINT32_MAX, &n))
			return false;
		figures[i - 1] = (uint32_t)n;
	}
	return true;
}

/* Reads the prices of a model into *price, and makes model->prices point to
 * *price.  A price that is 0 or missing counts as not known. */
static bool
read_price(const json_t *value, struct ctx_model *model,
    struct ctx_price *price)
{
	uint64_t *const prices[] = {&price->in, &price->out, &price->read,
	    &price->write, &price->write_hour};
	size_t i, n = json_array_size(value);

	if (n == 0 || n > 5)
		return false;
	*price = (struct ctx_price){.when = "-", .date = "-"};
	for (i = 0; i < 5; i++) {
		if (i < n &&
		    !scale_number(json_array_get(value, i), 1e6, 1e15,
			prices[i]))
			return false;
		if (*prices[i] == 0)
			*prices[i] = CTX_NO_PRICE;
	}
	model->prices = price;
	model->n_prices = 1;
	return true;
}

/* Sets *to to the encoding of a model: the name of a built-in encoding or the
 * path of a file.  A relative path is relative to the directory of the JSON
 * file that defines the models.  Returns 1, or 0 if the value is wrong, or -1
 * with the error. */
static int
read_encoding(const struct model_file *f, const json_t *value, const char **to)
{
	const char *name = json_string_value(value), *slash;
	json_t *kept = f->models->text, *path;
	size_t i;

	if (name == NULL)
		return 0;
	*to = name;
	for (i = 0; ctx_tokenizer_builtin(i) != NULL; i++)
		if (strcmp(ctx_tokenizer_builtin(i), name) == 0)
			return 1;
	slash = strrchr(f->path, '/');
	if (name[0] == '/' || slash == NULL)
		return 1;
	path = json_sprintf("%.*s/%s", (int)(slash - f->path), f->path, name);
	if (path == NULL ||
	    json_array_append_new(json_array_get(kept, 1), path) < 0)
		return ctx_err_nomem(f->err);
	*to = json_string_value(path);
	return 1;
}

enum member_type {
	TOKENS,
	TEXT,
	ENCODING,
	IMAGE,
	TOOLS,
	PRICE,
	CACHE,
	BOOLEAN,
	EXACT, /* a boolean that set_basis reads */
	FACTOR,
	CACHE_LEAST,
};

/* The members of a model's JSON object. wanted: the values of the member, for
 * error messages. offset: offset of the value in struct ctx_model, for TOKENS,
 * TEXT and BOOLEAN. */
#define AT(member) offsetof(struct ctx_model, member)
static const struct member {
	const char *key, *wanted;
	enum member_type type;
	size_t offset;
} members[] = {
    {"window", "a number of tokens above 0", TOKENS, AT(window)},
    {"input", "a number of tokens", TOKENS, AT(input)},
    {"output", "a number of tokens", TOKENS, AT(output)},
    {"vendor", "a string", TEXT, AT(vendor)},
    {"encoding", "a string: a tokenizer, or a tokenizer file", ENCODING, 0},
    {"image", "a list: a rule for images, and at most 3 numbers", IMAGE, 0},
    {"tools", "a list: a rule for tools, and at most 2 numbers", TOOLS, 0},
    {"price", "a list of 1 to 5 prices in dollars", PRICE, 0},
    {"cache", "a rule of the prompt cache, as --models shows", CACHE, 0},
    {"binds", "true or false", BOOLEAN, AT(binds)},
    {"drops_reasoning", "true or false", BOOLEAN, AT(drops_reasoning)},
    {"wants_reasoning", "true or false", BOOLEAN, AT(wants_reasoning)},
    {"answers_results", "true or false", BOOLEAN, AT(answers_results)},
    {"signs_calls", "true or false", BOOLEAN, AT(signs_calls)},
    {"takes_prefill", "true or false", BOOLEAN, AT(takes_prefill)},
    {"fixes_system", "true or false", BOOLEAN, AT(fixes_system)},
    {"exact", "true or false", EXACT, 0},
    {"factor", "a number from 0.01 to 100", FACTOR, 0},
    {"cache_least", "a number of tokens", CACHE_LEAST, 0},
};

/* Reads the value of a member into *model.  Returns 1, or 0 if the value is
 * wrong, or -1 with the error. */
static int
read_member(const struct model_file *f, struct ctx_model *model,
    const struct member *member, const json_t *value)
{
	void *to = (char *)model + member->offset;
	uint32_t figures[3] = {0};
	unsigned rule = 0;
	uint64_t n = 0;
	int right = 1;

	switch (member->type) {
	case TOKENS:
		return scale_number(value, 1, 1e15, to) &&
		    (to != &model->window || model->window > 0);
	case TEXT:
		*(const char **)to = json_string_value(value);
		return json_is_string(value);
	case ENCODING:
		return read_encoding(f, value, &model->encoding);
	case IMAGE:
		right =
		    read_rule(value, ctx_image_rule_name, &rule, figures, 3);
		model->image = (struct ctx_image){(enum ctx_image_rule)rule,
		    figures[0], figures[1], figures[2]};
		return right;
	case TOOLS:
		right =
		    read_rule(value, ctx_tools_rule_name, &rule, figures, 2);
		model->tools = (struct ctx_tools){(enum ctx_tools_rule)rule,
		    figures[0], figures[1]};
		return right;
	case PRICE:
		return read_price(value, model,
		    &f->models->prices[model - f->models->list]);
	case CACHE:
		right = find_number(value, ctx_cache_name, &rule);
		model->cache = (enum ctx_cache_kind)rule;
		return right;
	case BOOLEAN:
		*(bool *)to = json_is_true(value);
		return json_is_boolean(value);
	case EXACT:
		return json_is_boolean(value);
	case FACTOR:
		right = scale_number(value, 100, 10000, &n) && n > 0;
		model->factor = (uint32_t)n;
		model->corrects = false;
		return right;
	case CACHE_LEAST:
		right = scale_number(value, 1, UINT32_MAX, &n);
		model->cache_least = (uint32_t)n;
		return right;
	}
	return 0;
}

/* Reads the member with this key into the model called name. */
static int
take_member(const struct model_file *f, struct ctx_model *model,
    const char *name, const char *key, const json_t *value)
{
	size_t i;
	int rc;

	for (i = 0; i < CTX_LENGTH(members); i++) {
		if (strcmp(members[i].key, key) != 0)
			continue;
		rc = read_member(f, model, &members[i], value);
		return rc != 0
		    ? rc
		    : refuse_file(f,
			  "model '%.80s': the value of '%s' must be %s; see "
			  "FILES in ctx-count(1)",
			  name, key, members[i].wanted);
	}
	return refuse_file(f,
	    "model '%.80s': the member '%.80s' is unknown; see FILES in "
	    "ctx-count(1)",
	    name, key);
}

/* Sets model->basis: how far to trust the token counts of a model. one: JSON
 * object of the model, which was read into *model.  Returns false if the object
 * has a factor but no encoding, and the model's encoding is an encoding of
 * Claude.  An encoding of Claude needs no factor, so the user must have
 * measured the factor with another encoding. */
static bool
set_basis(struct ctx_model *model, const json_t *one)
{
	const json_t *exact = json_object_get(one, "exact");
	enum ctx_basis best = ctx_encoding_basis(model->encoding);
	bool encoding = json_object_get(one, "encoding") != NULL;
	bool factor =
	    json_object_get(one, "factor") != NULL && model->factor != 100;

	if (factor && !encoding && best == CTX_BASIS_RECONSTRUCTED)
		return false;
	if (exact != NULL)
		model->basis =
		    json_is_true(exact) ? CTX_BASIS_EXACT : CTX_BASIS_ESTIMATED;
	else if (factor || (encoding && model->file_is_near))
		model->basis = CTX_BASIS_ESTIMATED;
	else if (encoding)
		model->basis = CTX_BASIS_EXACT;
	if (model->basis < best)
		model->basis = best;
	return true;
}

/* Opens the JSON file that defines the user's models.  Returns 1, or 0 if the
 * file does not exist, or -1 with the error. */
static int
open_models(const struct model_file *f, FILE **in)
{
	struct stat st;

	/* A regular file is required, because opening a named pipe would
	 * block. */
	if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode))
		return ctx_err_set(f->err, CTX_EFILE,
		    "%s is not a regular file", f->path);
	*in = fopen(f->path, "rb");
	if (*in != NULL)
		return 1;
	/* fopen(3) fails with EACCES in two cases.  If the user may not read
	 * the file, this is an error.  If the user may not search the directory
	 * of the file, stat(2) fails, too: then the directory belongs to
	 * another user, and the file counts as missing. */
	if (errno != ENOENT && errno != ENOTDIR &&
	    (errno != EACCES || stat(f->path, &st) == 0))
		return ctx_err_sys(f->err, errno, "cannot open %s", f->path);
	return 0;
}

/* Sets *text to the content of the file, which the caller frees, and *n to its
 * length in bytes.  Returns 1, or 0 if the file does not exist, or -1 with the
 * error. */
static int
read_text_of(const struct model_file *f, char **text, size_t *n)
{
	FILE *in = NULL;
	int rc = open_models(f, &in);

	if (in == NULL)
		return rc;
	*text = malloc(LONGEST + 1);
	if (*text == NULL) {
		(void)fclose(in);
		return ctx_err_nomem(f->err);
	}
	errno = 0;
	*n = fread(*text, 1, LONGEST + 1, in);
	if (ferror(in))
		rc = ctx_err_sys(f->err, errno, "cannot read %s", f->path);
	else if (*n > LONGEST)
		rc = refuse_file(f, "the file has more than %d bytes", LONGEST);
	else if (!ctx_json_shallow(*text, *n))
		rc = refuse_file(f,
		    "arrays and objects are nested more than %d deep",
		    CTX_JSON_SHALLOW);
	(void)fclose(in);
	return rc;
}

/* Sets *all to the JSON object in the file, which the caller frees.  Returns 1,
 * or 0 if the file does not exist, or -1 with the error. */
static int
load_models(const struct model_file *f, json_t **all)
{
	char *text = NULL;
	json_error_t error;
	size_t n = 0;
	int rc = read_text_of(f, &text, &n);

	*all = NULL;
	if (rc > 0) {
		errno = 0;
		*all = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
		/* Only errno says that memory was exhausted: jansson then
		 * reports a syntax error, or reports no error and loses a
		 * character of a string. */
		if (errno == ENOMEM)
			rc = ctx_err_nomem(f->err);
	}
	free(text);
	if (rc > 0 && *all == NULL) {
		rc = refuse_file(f, "%s", error.text);
		f->err->line = (uint64_t)error.line;
		f->err->column = (uint64_t)error.column;
	} else if (rc > 0 && !json_is_object(*all)) {
		rc = refuse_file(f,
		    "the file is not a JSON object with a member for each "
		    "model; see ctx-count(1)");
	}
	if (rc < 0)
		json_decref(*all);
	return rc;
}

/* Adds a model to the list. one: JSON object of the model. */
static int
add_model(const struct model_file *f, const char *name, json_t *one)
{
	struct ctx_model *model = &f->models->list[f->models->n++];
	const char *key;
	json_t *value;

	*model = *ctx_model_find(NULL, name, strlen(name));
	model->name = name;
	model->aliases = NULL;
	model->date[0] = '\0';
	if (*name == '\0' || !json_is_object(one))
		return refuse_file(f,
		    "model '%.80s': the name is empty, or the model is not a "
		    "JSON object",
		    name);
	if (json_object_get(one, "window") != NULL)
		model->input = 0;
	if (json_object_get(one, "encoding") != NULL) {
		model->factor = 100;
		model->corrects = false;
		model->file = NULL;
	}
	json_object_foreach(one, key, value)
		if (take_member(f, model, name, key, value) < 0)
			return -1;
	if (model->input > model->window)
		return refuse_file(f,
		    "model '%.80s': 'input' is larger than 'window'", name);
	if (!set_basis(model, one))
		return refuse_file(f,
		    "model '%.80s': 'factor' needs 'encoding', whose tokens it "
		    "multiplies",
		    name);
	return 0;
}

static int
add_models(const struct model_file *f, json_t *all)
{
	struct ctx_user_models *models = f->models;
	const char *name;
	json_t *one;

	models->text = json_pack("[o, []]", all);
	if (models->text == NULL)
		return ctx_err_nomem(f->err);
	models->list = calloc(json_object_size(all) + 1, sizeof *models->list);
	models->prices =
	    calloc(json_object_size(all) + 1, sizeof *models->prices);
	if (models->list == NULL || models->prices == NULL)
		return ctx_err_nomem(f->err);
	json_object_foreach(all, name, one)
		if (add_model(f, name, one) < 0)
			return -1;
	return 1;
}

int
ctx_user_models_read(struct ctx_user_models *models, const char *path,
    struct ctx_err *err)
{
	const struct model_file f = {path, models, err};
	json_t *all;
	int rc;

	*models = (struct ctx_user_models){0};
	rc = load_models(&f, &all);
	if (rc > 0)
		rc = add_models(&f, all);
	if (rc < 0)
		ctx_user_models_release(models);
	return rc;
}

void
ctx_user_models_release(struct ctx_user_models *models)
{
	free(models->list);
	free(models->prices);
	json_decref(models->text);
	*models = (struct ctx_user_models){0};
}
