/*
 * models.c - the built-in tables of models: windows, encodings and prices
 *
 * The tables are made from models.tsv, prices.tsv and names.tsv in
 * lib/gen/data, which name their sources.  If ctx does not have the encoding of
 * a model, its tokens are estimated: the tokens of another encoding are
 * multiplied by a factor.
 */
#include <pthread.h>
#include <string.h>

#include "cost/cost.h"
#include "cost/surcharges.h"

#define LONGEST 256 /* maximum length of a model's name in bytes */
/* Maximum number of offsets in a model's name at which the name of a row of the
 * table is searched for. */
#define MOST_STARTS 16

/* A row of the table of models.  The row has arrays in place of pointers,
 * because the dynamic loader would have to relocate pointers at every start of
 * a program. */
struct model_row {
	char name[40], vendor[16], encoding[16];
	char file[64], aliases[96]; /* empty strings if the model has none */
	short price; /* index of the first price, or -1 if none is known */
	/* all other members of the model; its pointers are NULL */
	struct ctx_model model;
};

/* A text by which a row of the table of models is found. */
struct model_key {
	char text[56];
	short row;
	/* Index of the key with the longest text that is a beginning of this
	 * key's text, not counting this key; -1 if there is none. */
	short parent;
};

/*
 * models.inc has the arrays prices, rows, keys and aliases, NEWEST_CLAUDE (the
 * index of the row for new models of Claude) and MODELS_DATE.  The arrays keys
 * and aliases are sorted.  The text of an element of keys is the name of a row
 * in lower case, with dashes as separators, but without the dashes between a
 * letter and a digit ("gpt4o"); that of an element of aliases is an alias with
 * all dashes.
 */
#include "models.inc"

static const struct ctx_model unknown = {.name = "",
    .vendor = "unknown",
    .window = 32000,
    .output = 4096,
    .encoding = "o200k_base",
    .basis = CTX_BASIS_ESTIMATED,
    .factor = 100,
    .binds = true};

/* The models of a row: the row's model; a model for other variants such as
 * "-fast"; a model for versions that have no row. */
enum row_model { OF_ROW, OF_VARIANTS, OF_VERSIONS, ROW_MODELS };

/* The models of all rows.  A model whose name is NULL was not filled in yet.
 * The lock protects the models while one is filled in. */
static struct ctx_model models[CTX_LENGTH(rows)][ROW_MODELS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Fills *model from a row of the table.  Variants and versions have the
 * tokenizer and window of the row's model, but their prices are not known.  New
 * versions of Claude have the tokenizer of the newest. */
static void
fill_model(struct ctx_model *model, const struct model_row *row,
    enum row_model which)
{
	const struct model_row *newest = &rows[NEWEST_CLAUDE];

	*model = row->model;
	model->name = row->name;
	model->vendor = row->vendor;
	model->encoding = row->encoding;
	model->file = row->file[0] != '\0' ? row->file : NULL;
	if (which == OF_ROW) {
		model->aliases = row->aliases[0] != '\0' ? row->aliases : NULL;
		model->prices = row->price >= 0 ? &prices[row->price] : NULL;
		return;
	}
	model->unlisted = true;
	model->n_prices = 0;
	if (which == OF_VARIANTS)
		return;
	model->drops_reasoning = false;
	model->binds |= model->drops_bound;
	if (strcmp(row->vendor, newest->vendor) != 0)
		return;
	model->encoding = newest->encoding;
	model->basis = newest->model.basis;
	model->factor = newest->model.factor;
	model->corrects = newest->model.corrects;
	model->image = newest->model.image;
	model->tools = newest->model.tools;
	model->binds = newest->model.binds;
	model->takes_prefill = newest->model.takes_prefill;
	model->fixes_system = newest->model.fixes_system;
}

const char *
ctx_models_date(void)
{
	return MODELS_DATE;
}

static const struct ctx_model *
get_model(size_t row, enum row_model which)
{
	struct ctx_model *model = &models[row][which];

	pthread_mutex_lock(&lock);
	if (model->name == NULL)
		fill_model(model, &rows[row], which);
	pthread_mutex_unlock(&lock);
	return model;
}

const struct ctx_model *
ctx_model_at(size_t i)
{
	return i < CTX_LENGTH(rows) ? get_model(i, OF_ROW) : NULL;
}

/* Returns c in lower case, or a dash if c is one of . _ : @.  So
 * claude-opus-4.5 and claude-opus-4-5 are the same name, and so are Ollama's
 * mistral:7b and mistral-7b. */
static char
fold_char(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '.' || c == '_' || c == '@' || c == ':' ? '-' : c;
}

static bool
is_name_letter(char c)
{
	c = fold_char(c);
	return c >= 'a' && c <= 'z';
}

/* Returns true if the byte at p is a dash between a letter and a digit, as in
 * qwen-3.  This dash is often omitted (qwen3). */
static bool
has_dash(const char *p)
{
	return fold_char(p[0]) == '-' && is_name_letter(p[-1]) &&
	    ctx_is_digit(p[1]);
}

/* Result of comparing the name of a row with the beginning of a model's
 * name. */
struct prefix_match {
	/* number of bytes of the model's name that match, or 0 if the names do
	 * not match */
	size_t used;
	size_t rank; /* greater for a row that matches better */
};

/* Compares the name of a row (prefix) with the beginning of a model's name.  A
 * longer match is better.  A dash between a letter and a digit may be missing
 * or added (gpt4o, phi4, qwen-3), but an exact match is better. */
static struct prefix_match
match_prefix(const char *name, size_t n, const char *prefix)
{
	const struct prefix_match none = {0, 0};
	size_t i = 0, k = 0, other = 0;

	while (prefix[i] != '\0') {
		if (k >= n)
			return none;
		if (fold_char(name[k]) == fold_char(prefix[i])) {
			i++;
			k++;
		} else if (i > 0 && ctx_is_digit(name[k]) &&
		    has_dash(&prefix[i])) {
			i++;
			other = 1;
		} else if (i > 0 && k + 1 < n && ctx_is_digit(prefix[i]) &&
		    is_name_letter(prefix[i - 1]) && has_dash(&name[k])) {
			k++;
			other = 1;
		} else {
			return none;
		}
	}
	/* The name of a row must not end within a number or a word of the
	 * model's name: gpt-5-2 does not match gpt-5-2025-08-07, and gpt-5-pro
	 * does not match gpt-5-production. */
	if (i > 0 && k < n &&
	    ((ctx_is_digit(prefix[i - 1]) && ctx_is_digit(name[k])) ||
		(is_name_letter(prefix[i - 1]) && is_name_letter(name[k]))))
		return none;
	return (struct prefix_match){k, 2 * k - other};
}

/* The name of a model, and the offsets in the name at which the name of a row
 * is searched for. */
struct name {
	const char *p;
	size_t n, n_starts;
	size_t starts[MOST_STARTS];
	/* text: the name in the form of a key (struct model_key). places: for
	 * each offset i of p, the offset of this byte in text.  For a dash that
	 * text omits, the offset of the byte after the dash. */
	char text[LONGEST + 1];
	size_t places[LONGEST];
};

/* The row that matches a model's name best so far. row: NULL if no row matches.
 * after: offset in the model's name after the matching part. */
struct best_match {
	const struct ctx_model *row;
	size_t rank, after;
};

static void
write_key(struct name *name, const char *p, size_t n)
{
	size_t i, length = 0;

	name->p = p;
	name->n = n;
	for (i = 0; i < n; i++) {
		name->places[i] = length;
		if (i == 0 || i + 1 == n || !has_dash(&p[i]))
			name->text[length++] = fold_char(p[i]);
	}
	name->text[length] = '\0';
}

/* Stores a row in *best if the row matches the model's name, from an offset on,
 * better than the row in *best. */
static void
match_row(const struct ctx_model *row, const struct name *name, size_t at,
    struct best_match *best)
{
	struct prefix_match fit =
	    match_prefix(name->p + at, name->n - at, row->name);

	if (fit.rank > best->rank)
		*best = (struct best_match){row, fit.rank, at + fit.used};
}

/* Returns the index of the last key that is not greater than a text, or -1 if
 * there is none. */
static int
find_last_key(const struct model_key *list, size_t n, const char *text)
{
	size_t from = 0, to = n, middle;

	while (from < to) {
		middle = from + (to - from) / 2;
		if (strcmp(list[middle].text, text) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	return (int)from - 1;
}

/* Returns true if a version that ends with a letter, such as 4o, is followed by
 * more letters.  Example: gpt-4oo is a misspelled name; the rows gpt-4 and gpt
 * must not be used for it. key: the n bytes at the beginning of the name; next:
 * the byte after these bytes. */
static bool
continues_version(const char *key, size_t n, char next)
{
	if (!is_name_letter(key[n - 1]) || !is_name_letter(next))
		return false;
	while (n > 0 && key[n - 1] != '-')
		if (ctx_is_digit(key[--n]))
			return true;
	return false;
}

/* Searches the table for a row that matches the model's name, from an offset
 * on, better than the row in *best, and stores this row in *best.  A key can
 * match if the name's text begins with the text of the key.  The possible keys
 * are the last key that is not greater than the name's text, and the parents of
 * this key. */
static void
match_table(const struct name *name, size_t at, struct best_match *best)
{
	const char *text = name->text + name->places[at];
	size_t rank = best->rank, n;
	int i = find_last_key(keys, CTX_LENGTH(keys), text);

	while (i >= 0 && best->rank == rank) {
		n = strlen(keys[i].text);
		if (strncmp(text, keys[i].text, n) == 0) {
			if (continues_version(keys[i].text, n, text[n]))
				return;
			match_row(ctx_model_at((size_t)keys[i].row), name, at,
			    best);
		}
		/* Rows such as gemma-3 and gemma3 have keys with equal texts,
		 * which are next to each other. */
		if (i > 0 && strcmp(keys[i - 1].text, keys[i].text) == 0)
			match_row(ctx_model_at((size_t)keys[i - 1].row), name,
			    at, best);
		i = keys[i].parent;
	}
}

/* Finds the row whose name matches best, either at the beginning of the model's
 * name or after any of the separators in it. parts: a string of the
 * separators. */
static struct best_match
find_after_separator(const struct ctx_models *own, struct name *name,
    const char *parts)
{
	struct best_match best = {NULL, 0, 0};
	size_t i, k;

	name->n_starts = 0;
	for (i = 0; i < name->n && name->n_starts < MOST_STARTS; i++)
		if (i == 0 || strchr(parts, name->p[i - 1]) != NULL)
			name->starts[name->n_starts++] = i;
	for (i = 0; own != NULL && i < own->n; i++)
		for (k = 0; k < name->n_starts; k++)
			match_row(&own->list[i], name, name->starts[k], &best);
	for (k = 0; k < name->n_starts; k++)
		match_table(name, name->starts[k], &best);
	return best;
}

/* Returns true if a row is one of the models that the user has defined. */
static bool
is_own(const struct ctx_models *own, const struct ctx_model *row)
{
	size_t i;

	for (i = 0; own != NULL && i < own->n; i++)
		if (row == &own->list[i])
			return true;
	return false;
}

/* Returns the part of a model's name after the last slash.  The part before the
 * slash consists of names of providers, as in "openrouter/openai/gpt-5". */
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

/* Returns the length of a name of n bytes without the parts that programs
 * append to the name.  Claude Code appends the size of the context window
 * (opus[1m]).  OpenRouter appends a colon and a word (x-ai/grok:free), but only
 * if the name contains a provider.  In other names, the colon and the tag after
 * the colon belong to the name (luna:latest). */
static size_t
measure_alias(const char *p, size_t n, bool has_provider)
{
	size_t i = 0;

	while (i < n && p[i] != '[' && (p[i] != ':' || !has_provider))
		i++;
	return i;
}

/* Returns the row with this alias, or NULL if there is none.  Ignores names of
 * providers before the alias, each with a slash at its end.  Sets *used to the
 * length of the alias in bytes. */
static const struct ctx_model *
find_alias(const char *p, size_t n, size_t *used)
{
	struct ctx_str name = skip_providers(p, n);
	char text[LONGEST + 1];
	size_t length = measure_alias(name.p, name.n, name.p != p), i;
	int found;

	*used = length;
	if (length > LONGEST)
		return NULL;
	for (i = 0; i < length; i++)
		text[i] = fold_char(name.p[i]);
	text[length] = '\0';
	found = find_last_key(aliases, CTX_LENGTH(aliases), text);
	return found >= 0 && strcmp(aliases[found].text, text) == 0
	    ? ctx_model_at((size_t)aliases[found].row)
	    : NULL;
}

/* Returns true if a model's name says that the provider is Vertex AI, as in
 * "vertex_ai/gemini-3-pro", "google-vertex/gemini-3-pro" and
 * "projects/p/locations/l/publishers/google/models/gemini-3-pro". */
static bool
names_vertex(struct ctx_str name)
{
	static const char vertex[] = "vertex", publishers[] = "publishers/";
	struct ctx_str model = skip_providers(name.p, name.n);
	size_t n = (size_t)(model.p - name.p), i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; vertex[k] != '\0' && i + k < n &&
		     fold_char(name.p[i + k]) == vertex[k];)
			k++;
		if (vertex[k] == '\0')
			return true;
		for (k = 0; publishers[k] != '\0' && i + k < n &&
		     name.p[i + k] == publishers[k];)
			k++;
		if (publishers[k] == '\0')
			return true;
	}
	return false;
}

struct ctx_tools
ctx_model_tools(const struct ctx_model *model, struct ctx_str name)
{
	struct ctx_tools tools = model->tools;
	enum ctx_tools_rule vertex = ctx_surcharges_of(tools.rule)->vertex;

	if (vertex != CTX_TOOLS_NONE && names_vertex(name))
		tools.rule = vertex;
	return tools;
}

bool
ctx_model_has_alias(const struct ctx_model *model, const char *name, size_t n)
{
	size_t used;

	return find_alias(name, n, &used) == model;
}

/* Returns true if a text begins with a dash and a version of one or two digits.
 * Returns false for a date (more digits), a size (-7b), and the revision that
 * Bedrock appends (-1:0). */
static bool
has_version(const char *p, size_t n)
{
	size_t i = 1;
	char c;

	if (n < 2 || fold_char(p[0]) != '-')
		return false;
	while (i < n && ctx_is_digit(p[i]))
		i++;
	if (i == 1 || i > 3)
		return false;
	c = i < n ? fold_char(p[i]) : '-';
	return !is_name_letter(c) &&
	    !(i + 1 < n && p[i] == ':' && ctx_is_digit(p[i + 1]));
}

/* Returns the length of the word at p, which has at most n bytes and ends
 * before a dash or a bracket. */
static size_t
measure_word(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && fold_char(p[i]) != '-' && p[i] != '[')
		i++;
	return i;
}

/* Returns true if a word of a model's name does not change its price: a number
 * (of a date or a revision), "latest", "preview", "default", or the v1 of
 * Bedrock's "v1:0". */
static bool
is_free_word(const char *p, size_t word, size_t n)
{
	static const char *const words[] = {"latest", "preview", "default"};
	size_t i, k, digits;

	for (i = 0; i < CTX_LENGTH(words); i++) {
		for (k = 0; k < word && fold_char(p[k]) == words[i][k];)
			k++;
		if (k == word && words[i][k] == '\0')
			return true;
	}
	/* In "v1:0" the digits come after the v. */
	digits = word > 1 && p[0] == 'v' && word + 1 < n && p[word] == ':';
	while (digits < word && ctx_is_digit(p[digits]))
		digits++;
	return word > 0 && digits == word;
}

/* Returns true if the n bytes after the name of a row, in a model's name, do
 * not change the model.  A word such as "-fast" may change the price. */
static bool
is_same_model(const char *p, size_t n)
{
	size_t word;

	while (n > 0 && *p != '[') {
		word = fold_char(*p) == '-' ? measure_word(p + 1, n - 1) : 0;
		if (!is_free_word(p + 1, word, n - 1))
			return false;
		p += word + 1;
		n -= word + 1;
	}
	return true;
}

/* Returns true if a name is that of a model that was fine-tuned at OpenAI. */
static bool
is_tuned(struct ctx_str name)
{
	return name.n > 3 && memcmp(name.p, "ft:", 3) == 0;
}

/* Returns the model for a name that contains the name or alias of a row. p: the
 * n bytes after the row's name. same: false if other words come before the
 * row's name. */
static const struct ctx_model *
find_rest(const struct ctx_model *model, const char *p, size_t n, bool same)
{
	size_t row = (size_t)((const char *)model - (const char *)models) /
	    sizeof models[0];

	/* The row for new models of Claude applies to all names that begin with
	 * "claude", such as claude-novel-1.  A longer name than "claude" does
	 * not mean the model of the row. */
	if (has_version(p, n) || (row == NEWEST_CLAUDE && n > 0))
		return get_model(row, OF_VERSIONS);
	if (model->prices != NULL && !(same && is_same_model(p, n)))
		return get_model(row, OF_VARIANTS);
	return model;
}

const struct ctx_model *
ctx_model_find(const struct ctx_models *own, const char *p, size_t n)
{
	const struct ctx_model *alias;
	struct ctx_str whole = skip_providers(p, n);
	struct name name;
	struct best_match best;
	bool same = !is_tuned(whole);
	size_t used;

	if (whole.n > LONGEST)
		return &unknown;
	write_key(&name, whole.p, whole.n);
	best = find_after_separator(own, &name, ".:");
	alias = find_alias(p, n, &used);
	if (alias != NULL &&
	    (best.row == NULL ||
		(!is_own(own, best.row) && best.after <= used)))
		return find_rest(alias, whole.p + used, whole.n - used, true);
	/* A derived model may have the name of the original model at its end,
	 * after a dash: "hermes-3-llama-3.1-70b".  So the parts of the name
	 * after each dash are looked up, too. */
	if (best.row == NULL) {
		best = find_after_separator(own, &name, ".:-_");
		same = false;
	}
	if (best.row == NULL)
		return &unknown;
	if (is_own(own, best.row))
		return best.row;
	return find_rest(best.row, whole.p + best.after, whole.n - best.after,
	    same);
}

/* Returns true if a name has the name of a row of Claude and then a version, so
 * that the table does not have the model. */
static bool
is_new_claude(const struct ctx_model *model, struct ctx_str name)
{
	size_t row = strlen(model->name), i;

	if (strcmp(model->vendor, rows[NEWEST_CLAUDE].vendor) != 0)
		return false;
	for (i = 0; i + row <= name.n; i++)
		if (match_prefix(name.p + i, name.n - i, model->name).used > 0)
			return has_version(name.p + i + row, name.n - i - row);
	return false;
}

enum ctx_binding
ctx_model_binds(const struct ctx_model *model, struct ctx_str name)
{
	if (model != NULL && model->binds && model->drops_bound)
		return CTX_BINDS_DROPPED;
	return model == NULL || model->binds || is_new_claude(model, name)
	    ? CTX_BINDS_REFUSED
	    : CTX_BINDS_NOTHING;
}
