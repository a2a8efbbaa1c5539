/* model_options.c - reads the models that the user has defined in a JSON file,
 * and prints the list of all models */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"

#define LONGEST 1000000 /* maximum size of the file with models, in bytes */
/* Prices change within months: an older table of models is reported. */
#define MOST_DAYS 90

static _Noreturn void
complain(const struct cli *cli, const char *file, const char *model,
    const char *what)
{
	cli_die(cli, "%s: model '%.80s': %s", file, model, what);
}

/* Multiplies a JSON number by a factor (scale), rounds the product, and stores
 * it in *to.  Returns false if the value is not a number, or if the product is
 * negative or greater than the maximum, most. */
static bool
scale_number(const json_t *value, double scale, double most, uint64_t *to)
{
	double x = json_number_value(value) * scale;

	if (!json_is_number(value) || !(x >= 0 && x <= most))
		return false;
	*to = (uint64_t)(x + 0.5);
	return true;
}

static bool
read_image(const json_t *value, struct ctx_image *image)
{
	uint32_t *const figures[] = {&image->x, &image->y, &image->edge};
	const char *name = json_string_value(json_array_get(value, 0));
	uint64_t n;
	size_t i;

	memset(image, 0, sizeof *image);
	for (i = 0; name != NULL && i < CTX_IMAGE_RULES; i++)
		if (strcmp(name, ctx_image_rule_name((enum ctx_image_rule)i)) ==
		    0)
			break;
	if (name == NULL || i == CTX_IMAGE_RULES || json_array_size(value) > 4)
		return false;
	image->rule = (enum ctx_image_rule)i;
	for (i = 1; i < json_array_size(value); i++) {
		if (!scale_number(json_array_get(value, i), 1, UINT32_MAX, &n))
			return false;
		*figures[i - 1] = (uint32_t)n;
	}
	return true;
}

static bool
read_tools(const json_t *value, struct ctx_tools *tools)
{
	uint32_t *const figures[] = {&tools->once, &tools->forced};
	const char *name = json_string_value(json_array_get(value, 0));
	uint64_t n;
	size_t i;

	memset(tools, 0, sizeof *tools);
	for (i = 0; name != NULL && i < CTX_TOOLS_RULES; i++)
		if (strcmp(name, ctx_tools_rule_name((enum ctx_tools_rule)i)) ==
		    0)
			break;
	if (name == NULL || i == CTX_TOOLS_RULES || json_array_size(value) > 3)
		return false;
	tools->rule = (enum ctx_tools_rule)i;
	for (i = 1; i < json_array_size(value); i++) {
		if (!scale_number(json_array_get(value, i), 1, UINT32_MAX, &n))
			return false;
		*figures[i - 1] = (uint32_t)n;
	}
	return true;
}

/* Reads the prices of a model into *price, and makes them those of the model.
 * A price that is 0 or missing is not known. */
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

static bool
read_cache(const json_t *value, enum ctx_cache_kind *cache)
{
	const char *name = json_string_value(value);
	size_t i;

	for (i = 0; name != NULL && i < CTX_CACHES; i++)
		if (strcmp(name, ctx_cache_name((enum ctx_cache_kind)i)) == 0) {
			*cache = (enum ctx_cache_kind)i;
			return true;
		}
	return false;
}

static bool
read_text(const json_t *value, const char **to)
{
	*to = json_string_value(value);
	return *to != NULL;
}

/* Sets *to to the encoding of a model: the name of a built-in encoding or the
 * path of a file.  A relative path starts in the directory of the file with
 * models. */
static bool
read_encoding(struct cli *cli, const char *file, const json_t *value,
    const char **to)
{
	const char *name = json_string_value(value), *slash;
	json_t *kept = cli->models_text, *path;
	size_t i;

	if (name == NULL)
		return false;
	*to = name;
	for (i = 0; ctx_tokenizer_builtin(i) != NULL; i++)
		if (strcmp(ctx_tokenizer_builtin(i), name) == 0)
			return true;
	slash = strrchr(file, '/');
	if (name[0] == '/' || slash == NULL)
		return true;
	path = json_sprintf("%.*s/%s", (int)(slash - file), file, name);
	if (path == NULL ||
	    json_array_append_new(json_array_get(kept, 1), path) < 0)
		cli_die(cli, "out of memory");
	*to = json_string_value(path);
	return true;
}

/* Reads one member of a model's JSON object into *model.  Returns false if the
 * member's name or value is wrong. */
static bool
read_member(struct cli *cli, const char *file, struct ctx_model *model,
    const char *key, const json_t *value)
{
	uint64_t n = 0;
	bool right;

	if (strcmp(key, "window") == 0)
		return scale_number(value, 1, 1e15, &model->window) &&
		    model->window > 0;
	if (strcmp(key, "input") == 0)
		return scale_number(value, 1, 1e15, &model->input);
	if (strcmp(key, "output") == 0)
		return scale_number(value, 1, 1e15, &model->output);
	if (strcmp(key, "vendor") == 0)
		return read_text(value, &model->vendor);
	if (strcmp(key, "encoding") == 0)
		return read_encoding(cli, file, value, &model->encoding);
	if (strcmp(key, "image") == 0)
		return read_image(value, &model->image);
	if (strcmp(key, "tools") == 0)
		return read_tools(value, &model->tools);
	if (strcmp(key, "price") == 0)
		return read_price(value, model,
		    &cli->prices[model - cli->models]);
	if (strcmp(key, "cache") == 0)
		return read_cache(value, &model->cache);
	if (strcmp(key, "binds") == 0) {
		model->binds = json_is_true(value);
		return json_is_boolean(value);
	}
	if (strcmp(key, "drops_reasoning") == 0) {
		model->drops_reasoning = json_is_true(value);
		return json_is_boolean(value);
	}
	if (strcmp(key, "exact") == 0)
		return json_is_boolean(value);
	if (strcmp(key, "factor") == 0) {
		right = scale_number(value, 100, 10000, &n) && n > 0;
		model->factor = (uint32_t)n;
		return right;
	}
	if (strcmp(key, "cache_least") == 0) {
		right = scale_number(value, 1, UINT32_MAX, &n);
		model->cache_least = (uint32_t)n;
		return right;
	}
	return false;
}

/* Ends the command, because the member with this key of the model called name
 * is unknown, or its value is wrong. */
static void
refuse_member(struct cli *cli, const char *file, const char *name,
    const char *key)
{
	static const struct {
		const char *key, *value;
	} known[] = {
	    {"window", "a number of tokens above 0"},
	    {"input", "a number of tokens"},
	    {"output", "a number of tokens"},
	    {"vendor", "a string"},
	    {"encoding", "a string: a tokenizer, or a tokenizer file"},
	    {"image", "a list: a rule for images, and at most 3 numbers"},
	    {"tools", "a list: a rule for tools, and at most 2 numbers"},
	    {"price", "a list of 1 to 5 prices in dollars"},
	    {"cache", "a rule of the prompt cache, as --models shows"},
	    {"binds", "true or false"},
	    {"drops_reasoning", "true or false"},
	    {"exact", "true or false"},
	    {"factor", "a number from 0.01 to 100"},
	    {"cache_least", "a number of tokens"},
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].key, key) == 0)
			cli_die(cli,
			    "%s: model '%.80s': the value of '%s' must be %s; "
			    "see FILES in ctx-count(1)",
			    file, name, key, known[i].value);
	cli_die(cli,
	    "%s: model '%.80s': the member '%.80s' is unknown; see FILES in "
	    "ctx-count(1)",
	    file, name, key);
}

/* Sets model->basis: how far the token counts of a model can be trusted. one:
 * the model's JSON object, which has been read into *model.  Returns false if
 * the object has a factor but no encoding, although the model's encoding is one
 * of Claude.  Counts by such an encoding need no factor, and the user measured
 * the factor with another encoding. */
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

/* Returns the content of a file, which the caller frees, and sets *n to its
 * length in bytes.  Returns NULL if the file does not exist. */
static char *
read_all(struct cli *cli, const char *file, size_t *n)
{
	struct stat st;
	char *text;
	FILE *in;

	/* A regular file is required, because opening a named pipe would
	 * block. */
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		cli_die(cli, "%s is not a regular file", file);
	in = fopen(file, "rb");
	if (in == NULL) {
		/* fopen(3) fails with EACCES if the user may not read the
		 * file, which is an error, or may not search its directory.
		 * In the second case stat(2) fails, too; this is then the
		 * directory of another user, and the file counts as missing. */
		if (errno != ENOENT && errno != ENOTDIR &&
		    (errno != EACCES || stat(file, &st) == 0))
			cli_die_errno(cli, "open", file, errno);
		return NULL;
	}
	text = malloc(LONGEST + 1);
	if (text == NULL)
		cli_die(cli, "out of memory");
	errno = 0;
	*n = fread(text, 1, LONGEST + 1, in);
	if (ferror(in))
		cli_die_errno(cli, "read", file, errno);
	(void)fclose(in);
	if (*n > LONGEST)
		cli_die(cli, "%s: the file has more than %d bytes", file,
		    LONGEST);
	if (!ctx_json_shallow(text, *n))
		cli_die(cli,
		    "%s: arrays and objects are nested more than %d deep", file,
		    CTX_JSON_SHALLOW);
	return text;
}

static json_t *
load(struct cli *cli, const char *file)
{
	size_t n;
	char *text = read_all(cli, file, &n);
	json_error_t error;
	json_t *all;

	if (text == NULL)
		return NULL;
	errno = 0;
	all = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
	/* Only errno tells that memory was exhausted.  In that case jansson
	 * reports a syntax error, or it reports no error and loses a character
	 * of a string. */
	if (errno == ENOMEM)
		cli_die(cli, "out of memory");
	free(text);
	if (all == NULL)
		cli_die(cli, "%s:%d:%d: %s", file, error.line, error.column,
		    error.text);
	if (!json_is_object(all))
		cli_die(cli,
		    "%s: the file is not a JSON object with a member for each "
		    "model; see ctx-count(1)",
		    file);
	return all;
}

void
cli_models_read(struct cli *cli, const char *file)
{
	json_t *all = load(cli, file), *one, *value;
	struct ctx_model *model;
	const char *name, *key;

	if (all == NULL)
		return;
	/* The names and paths of the models point into the parsed JSON, so it
	 * is not freed before the command ends. */
	cli->models_text = json_pack("[o, []]", all);
	if (cli->models_text == NULL)
		cli_die(cli, "out of memory");
	cli->models = calloc(json_object_size(all) + 1, sizeof *cli->models);
	cli->prices = calloc(json_object_size(all) + 1, sizeof *cli->prices);
	if (cli->models == NULL || cli->prices == NULL)
		cli_die(cli, "out of memory");
	json_object_foreach(all, name, one) {
		model = &cli->models[cli->n_models++];
		*model = *ctx_model_find(NULL, name, strlen(name));
		model->name = name;
		model->aliases = NULL;
		model->date = NULL;
		if (*name == '\0' || !json_is_object(one))
			complain(cli, file, name,
			    "the name is empty, or the model is not a JSON "
			    "object");
		if (json_object_get(one, "window") != NULL)
			model->input = 0;
		if (json_object_get(one, "encoding") != NULL) {
			model->factor = 100;
			model->file = NULL;
		}
		json_object_foreach(one, key, value)
			if (!read_member(cli, file, model, key, value))
				refuse_member(cli, file, name, key);
		if (model->input > model->window)
			complain(cli, file, name,
			    "'input' is larger than 'window'");
		if (!set_basis(model, one))
			complain(cli, file, name,
			    "'factor' needs 'encoding', whose tokens it "
			    "multiplies");
	}
}

void
cli_models_release(struct cli *cli)
{
	free(cli->models);
	free(cli->prices);
	json_decref(cli->models_text);
	cli->models = NULL;
	cli->prices = NULL;
	cli->models_text = NULL;
	cli->n_models = 0;
}

void
cli_check_window(const struct cli *cli,
    const struct ctx_model_counters *counters, const char *what)
{
	if (cli->model == NULL ||
	    ctx_model_find(&counters->own, cli->model, strlen(cli->model))
		    ->name[0] != '\0')
		return;
	cli_die(cli,
	    "--model: '%s' is unknown, so %s needs --window; ctx-count "
	    "--models lists the models",
	    cli->model, what);
}

static void
note_assumed(const struct cli *cli, const char *name,
    const struct ctx_model *model)
{
	if (model->unlisted)
		cli_say(cli,
		    "%s is not in the table of models: assumed to be like %s, "
		    "with unknown prices",
		    name, model->name);
	else
		cli_say(cli, "%s is assumed to be %s", name, model->name);
}

void
cli_note_models(const struct cli *cli, struct ctx_model_counters *counters)
{
	const struct ctx_model *near = counters->near;

	if (counters->unknown[0] != '\0')
		cli_say(cli,
		    "unknown model %s: assumed to have a context window of "
		    "32,000 tokens; give --window and --encoding",
		    counters->unknown);
	if (cli->verbose && counters->alias_of != NULL)
		note_assumed(cli, counters->alias, counters->alias_of);
	if (cli->verbose && counters->encoding != NULL &&
	    ctx_encoding_basis(counters->encoding) == CTX_BASIS_RECONSTRUCTED)
		cli_say(cli,
		    "%s is reconstructed from the provider's counts "
		    "(ctx-encoding(7))",
		    counters->encoding);
	if (cli->verbose && near != NULL && counters->encoding != NULL)
		cli_say(cli,
		    "tokens of %s are estimated with %s; the model's own "
		    "encoding is %s",
		    near->name, counters->encoding, near->encoding);
	else if (cli->verbose && near != NULL &&
	    near->basis == CTX_BASIS_RECONSTRUCTED)
		cli_say(cli,
		    "%s is counted with %s, an encoding reconstructed from the "
		    "provider's counts; see ctx-encoding(7)",
		    near->name, near->encoding);
	else if (cli->verbose && near != NULL)
		cli_say(cli,
		    "tokens of %s are estimated with %s; %s %s on "
		    "huggingface.co; download it for --encoding",
		    near->name, near->encoding,
		    near->file_is_near
			? "the tokenizer that estimates it better is"
			: "its tokenizer is",
		    near->file);
	counters->unknown[0] = '\0';
	counters->alias_of = NULL;
	counters->near = NULL;
}

/* ---- the list ---- */

/* Prints a text left-aligned in a column of the list of models.  Characters
 * that are not safe to show on a terminal are masked, because models of the
 * user can have any. */
static void
print_cell(const char *text, size_t width)
{
	size_t n = strlen(text);

	cli_print_masked(stdout, text, n);
	for (; n < width; n++)
		(void)putchar(' ');
}

static void
print_prices(const struct ctx_price *price)
{
	static const struct ctx_price unknown = {.in = CTX_NO_PRICE,
	    .out = CTX_NO_PRICE,
	    .read = CTX_NO_PRICE,
	    .write = CTX_NO_PRICE,
	    .write_hour = CTX_NO_PRICE,
	    .when = "-",
	    .date = "-"};
	const struct ctx_price *p = price != NULL ? price : &unknown;
	const uint64_t prices[] = {p->in, p->out, p->read, p->write,
	    p->write_hour};
	size_t i;

	for (i = 0; i < sizeof prices / sizeof prices[0]; i++)
		if (prices[i] == CTX_NO_PRICE)
			printf(" %8s", "-");
		else
			printf(" %8.7g", (double)prices[i] / 1e6);
	printf(" %-10s", p->date);
}

/* Prints the line of a model with some of its prices, or without any. */
static void
print_line(const struct cli *cli, const struct ctx_model *m,
    const struct ctx_price *price)
{
	char factor[16] = "-";

	if (m->factor != 0)
		(void)snprintf(factor, sizeof factor, "%.2f",
		    m->factor / 100.0);
	print_cell(m->name, 30);
	(void)putchar(' ');
	print_cell(m->vendor, 10);
	printf(" %8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %-10s %s", m->window,
	    ctx_model_limit(m), m->output, m->date != NULL ? m->date : "-",
	    m->basis == CTX_BASIS_ESTIMATED ? "~" : " ");
	print_cell(m->encoding, 13);
	printf(" %-13s %4s %-7s %-5s %-10s", ctx_basis_name(m->basis), factor,
	    ctx_image_rule_name(m->image.rule),
	    ctx_tools_rule_name(m->tools.rule), ctx_cache_name(m->cache));
	print_prices(price);
	(void)putchar(' ');
	print_cell(m->file != NULL ? m->file : "-", 0);
	(void)putchar(' ');
	print_cell(m->aliases != NULL ? m->aliases : "-", 0);
	printf(" %s\n", price != NULL ? price->when : "-");
	cli_check_stdout(cli);
}

static void
print_model(const struct cli *cli, const struct ctx_model *m)
{
	size_t i;

	print_line(cli, m, m->prices);
	for (i = 1; i < m->n_prices; i++)
		print_line(cli, m, &m->prices[i]);
}

void
cli_models_print(const struct cli *cli, const struct ctx_models *own)
{
	const struct ctx_model *m;
	uint64_t age = ctx_models_age((int64_t)time(NULL));
	size_t i;

	printf("%-30s %-10s %8s %8s %7s %-10s  %-13s %-13s %4s %-7s %-5s %-10s "
	       "%8s %8s %8s %8s %8s %-10s %s %s %s\n",
	    "name", "vendor", "window", "input", "output", "dated", "encoding",
	    "basis", "x", "images", "tools", "cache", "$/M-in", "out", "read",
	    "write", "1h", "priced", "tokenizer", "aliases", "when");
	for (i = 0; i < own->n; i++)
		print_model(cli, &own->list[i]);
	for (i = 0; (m = ctx_model_at(i)) != NULL; i++)
		print_model(cli, m);
	cli_say(cli, "the table of models is dated %s", ctx_models_date());
	if (age > MOST_DAYS)
		cli_say(cli,
		    "the table is %" PRIu64 " days old: models and prices may "
		    "have changed since; update ctx",
		    age);
}
