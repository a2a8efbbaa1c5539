/*
 * models.c - the built-in tables of models: windows, encodings and prices
 *
 * The tables are made from lib/gen/data/models.tsv and prices.tsv, which name
 * the sources.
 * Tokens of a model whose tokenizer is not public are estimated: counted with a
 * similar encoding and multiplied by a factor.
 */
#include <string.h>

#include "cost/cost.h"

#define LONGEST 256 /* maximum length of a model's name in bytes */
/* Maximum number of offsets in a model's name at which the name of a row is
 * looked for. */
#define MOST_STARTS 16

#define DAY 86400 /* seconds */

/* the arrays prices and models, MODELS_DATE and MODELS_SECONDS */
#include "models.inc"

static const struct ctx_model unknown = {.name = "",
    .vendor = "unknown",
    .window = 32000,
    .output = 4096,
    .encoding = "o200k_base",
    .basis = CTX_BASIS_ESTIMATED,
    .factor = 100,
    .binds = true};

const char *
ctx_models_date(void)
{
	return MODELS_DATE;
}

uint64_t
ctx_models_age(int64_t now)
{
	return now > MODELS_SECONDS ? (uint64_t)(now - MODELS_SECONDS) / DAY
				    : 0;
}

const struct ctx_model *
ctx_model_at(size_t i)
{
	return i < sizeof models / sizeof models[0] ? &models[i] : NULL;
}

/* Returns c in lower case, or a dash if c is one of . _ : @. So
 * claude-opus-4.5 equals claude-opus-4-5, and Ollama's mistral:7b equals
 * mistral-7b. */
static char
fold_char(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '.' || c == '_' || c == '@' || c == ':' ? '-' : c;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_name_letter(char c)
{
	c = fold_char(c);
	return c >= 'a' && c <= 'z';
}

/* Returns true if the byte at p is a dash between a letter and a digit, as in
 * qwen-3.  Such a dash is often left out of a name (qwen3). */
static bool
has_dash(const char *p)
{
	return fold_char(p[0]) == '-' && is_name_letter(p[-1]) &&
	    is_digit(p[1]);
}

/* Returns how well the name of a row (prefix) fits the beginning of a model's
 * name: 0 if it does not fit, otherwise more for a longer one.  A dash between
 * a letter and a digit may be missing or added (gpt4o, phi4, qwen-3), but an
 * exact match is better. */
static size_t
match_prefix(const char *name, size_t n, const char *prefix)
{
	size_t i = 0, k = 0, other = 0;

	while (prefix[i] != '\0') {
		if (k >= n)
			return 0;
		if (fold_char(name[k]) == fold_char(prefix[i])) {
			i++;
			k++;
		} else if (i > 0 && is_digit(name[k]) && has_dash(&prefix[i])) {
			i++;
			other = 1;
		} else if (i > 0 && k + 1 < n && is_digit(prefix[i]) &&
		    is_name_letter(prefix[i - 1]) && has_dash(&name[k])) {
			k++;
			other = 1;
		} else {
			return 0;
		}
	}
	/* The name of a row may not end within a number: gpt-5-2 does not fit
	 * gpt-5-2025-08-07. */
	if (i > 0 && k < n && is_digit(prefix[i - 1]) && is_digit(name[k]))
		return 0;
	return 2 * k - other;
}

/* The name of a model, and the offsets in it at which the name of a row is
 * looked for. */
struct name {
	const char *p;
	size_t n, n_starts;
	size_t starts[MOST_STARTS];
};

/* If a row fits the model's name better than *best, makes it *best.  How well
 * a row fits is a number (see match_prefix); *longest is that of *best. */
static void
match_row(const struct ctx_model *row, const struct name *name,
    const struct ctx_model **best, size_t *longest)
{
	char first = fold_char(row->name[0]);
	size_t i, at, found;

	for (i = 0; i < name->n_starts; i++) {
		at = name->starts[i];
		if (fold_char(name->p[at]) != first)
			continue;
		found = match_prefix(name->p + at, name->n - at, row->name);
		if (found > *longest) {
			*longest = found;
			*best = row;
		}
	}
}

/* Returns the row that fits best at the start of the model's name, or after
 * any of the characters in parts.  Returns NULL if none fits. */
static const struct ctx_model *
find_after_separator(const struct ctx_models *own, struct name *name,
    const char *parts)
{
	const struct ctx_model *row, *best = NULL;
	size_t i, longest = 0;

	name->n_starts = 0;
	for (i = 0; i < name->n && name->n_starts < MOST_STARTS; i++)
		if (i == 0 || strchr(parts, name->p[i - 1]) != NULL)
			name->starts[name->n_starts++] = i;
	for (i = 0; own != NULL && i < own->n; i++)
		match_row(&own->list[i], name, &best, &longest);
	for (i = 0; (row = ctx_model_at(i)) != NULL; i++)
		match_row(row, name, &best, &longest);
	return best;
}

/* Returns true if a row is one of the user's. */
static bool
is_own(const struct ctx_models *own, const struct ctx_model *row)
{
	size_t i;

	for (i = 0; own != NULL && i < own->n; i++)
		if (row == &own->list[i])
			return true;
	return false;
}

/* Returns a name of n bytes without the providers before its slashes. */
static struct ctx_str
skip_providers(const char *p, size_t n)
{
	const char *slash;

	while ((slash = memchr(p, '/', n)) != NULL) {
		n -= (size_t)(slash + 1 - p);
		p = slash + 1;
	}
	return (struct ctx_str){p, n};
}

/* Returns true if a name equals an alias, which has lower case and dashes. */
static bool
is_alias(struct ctx_str name, const char *alias, size_t n)
{
	size_t i = 0;

	while (i < n && i < name.n && fold_char(name.p[i]) == alias[i])
		i++;
	return i == n && i == name.n;
}

bool
ctx_model_has_alias(const struct ctx_model *model, const char *name, size_t n)
{
	struct ctx_str whole = skip_providers(name, n);
	const char *alias = model->aliases, *end;
	/* Claude Code appends the size of the window: opus[1m]. */
	const char *size = memchr(whole.p, '[', whole.n);

	if (size != NULL)
		whole.n = (size_t)(size - whole.p);
	while (alias != NULL) {
		end = alias + strcspn(alias, ",");
		if (is_alias(whole, alias, (size_t)(end - alias)))
			return true;
		alias = *end == ',' ? end + 1 : NULL;
	}
	return false;
}

static const struct ctx_model *
find_alias(struct ctx_str name)
{
	const struct ctx_model *row;
	size_t i;

	for (i = 0; (row = ctx_model_at(i)) != NULL; i++)
		if (ctx_model_has_alias(row, name.p, name.n))
			return row;
	return NULL;
}

const struct ctx_model *
ctx_model_find(const struct ctx_models *own, const char *p, size_t n)
{
	const struct ctx_model *best, *alias;
	struct ctx_str whole = skip_providers(p, n);
	struct name name;

	if (whole.n > LONGEST)
		return &unknown;
	name.p = whole.p;
	name.n = whole.n;
	best = find_after_separator(own, &name, ".:");
	alias = find_alias(whole);
	if (alias != NULL && (best == NULL || !is_own(own, best)))
		return alias;
	/* A model that was derived from another one may have the name of the
	 * other one at its end, after a dash: "hermes-3-llama-3.1-70b".  So now
	 * the words after dashes are looked up, too. */
	if (best == NULL)
		best = find_after_separator(own, &name, ".:-_");
	return best != NULL ? best : &unknown;
}

/* Returns true if prices hold for a request with this number of input tokens
 * at this time, given in seconds since 1970. */
static bool
price_holds(const struct ctx_price *price, int64_t now, uint64_t tokens)
{
	/* 1 January 1970 was a Thursday, day 4. */
	int64_t day = (now / DAY + 3) % 7 + 1, hour = now % DAY / 3600;

	return now >= price->since &&
	    (price->above == 0 || tokens > price->above) &&
	    (price->days == 0 || price->days >> day & 1) &&
	    (price->hours == 0 || price->hours >> hour & 1);
}

const struct ctx_price *
ctx_model_price(const struct ctx_model *model, int64_t now, uint64_t tokens)
{
	const struct ctx_price *best = NULL;
	size_t i;

	if (now < 0)
		now = 0;
	for (i = 0; i < model->n_prices; i++)
		if (price_holds(&model->prices[i], now, tokens))
			best = &model->prices[i];
	return best;
}

/* Returns true if the text begins with a dash and a version of one or two
 * digits.  More digits are a date, not a version. */
static bool
has_version(const char *p, size_t n)
{
	size_t digits = 0;

	if (n == 0 || fold_char(*p) != '-')
		return false;
	while (1 + digits < n && is_digit(p[1 + digits]))
		digits++;
	return digits == 1 || digits == 2;
}

bool
ctx_model_binds(const struct ctx_model *model, struct ctx_str name)
{
	size_t row, i;

	if (model == NULL || model->binds)
		return true;
	if (strcmp(model->vendor, "anthropic") != 0)
		return false;
	row = strlen(model->name);
	for (i = 0; i + row <= name.n; i++)
		if (match_prefix(name.p + i, name.n - i, model->name) > 0)
			return has_version(name.p + i + row, name.n - i - row);
	return false;
}

uint64_t
ctx_model_limit(const struct ctx_model *model)
{
	return model->input != 0 ? model->input : model->window;
}

const char *
ctx_image_rule_name(enum ctx_image_rule rule)
{
	static const char *const names[] = {"-", "tiles", "patches", "squares",
	    "crops", "fixed"};

	return rule < CTX_IMAGE_RULES ? names[rule] : NULL;
}

const char *
ctx_tools_rule_name(enum ctx_tools_rule rule)
{
	static const char *const names[] = {"-", "types", "json", "texts"};

	return rule < CTX_TOOLS_RULES ? names[rule] : NULL;
}

const char *
ctx_cache_name(enum ctx_cache_kind cache)
{
	static const char *const names[] = {"-", "auto", "control",
	    "breakpoint", "point"};

	return cache < CTX_CACHES ? names[cache] : NULL;
}
