/*
 * summary_names.c - chooses which names of removed messages a summary lists
 *
 * Later tool calls copy names (paths, identifiers, ids and numbers) from
 * earlier messages.  So the summary lists names that are in removed messages
 * and in no kept message.  A name is preferred if the user wrote it, contains a
 * digit, is in more than one text, or is new.  Names that are in many texts
 * come last.  Of two equally useful names the shorter name is preferred.
 *
 * If a name is in the arguments or the result of a tool call, the summary lists
 * it below this tool call.  If the result is JSON, the summary also contains
 * the key of the name.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/summary.h"
#include "prune/strategy/words.h"

/* A name that is in more texts than this is not listed, because it usually says
 * something about the environment, such as the path of the home directory. */
enum { MOST_TEXTS = 4 };
/* If the arguments and the result of a tool call have more names than this,
 * each of these names has a lower worth (struct rated_name). */
enum { MANY_NAMES = 30 };
/* The summary contains the key of a name in a JSON object only if the key has
 * at most MOST_KEY bytes and the value at most MOST_VALUE bytes. */
enum { MOST_KEY = 40, MOST_VALUE = 100 };
/* Maximum lengths in bytes.  MOST_COUNTED: of names that are compared to find
 * numbered series.  MOST_ADDRESS: of a web address with a query. */
enum { MOST_COUNTED = 64, MOST_ADDRESS = 200 };

void
ctx_summary_names_release(struct summary_names *names)
{
	ctx_intern_release(&names->texts);
	ctx_intern_release(&names->kept);
	ctx_intern_release(&names->keys);
	ctx_intern_release(&names->pairs);
	free(names->below);
	ctx_buf_release(&names->text);
	free(names->list);
	free(names->order);
}

/* ---- reading ---- */

/* Data for the function that is called for each name in a text. */
struct name_reader {
	struct summary_names *names;
	const char *text; /* the text in which names are searched */
	size_t n;         /* length of the text in bytes */
	bool by_user;
	/* true if the text is a list of names in a summary of an earlier run */
	bool earlier;
	/* true if the text is neither in a tool call nor in a tool result */
	bool prose;
	/* the members "action" and "key" of the names; see struct
	 * summary_name */
	uint32_t action, key;
};

/* Returns true if a name is the name of a tag, such as </result>. */
static bool
is_markup(const struct name_reader *reader, const char *p, size_t n)
{
	const char *start = reader->text, *end = reader->text + reader->n;

	if (p > start && p[-1] == '<')
		return p + n < end && p[n] == '>';
	return p > start + 1 && p[-1] == '/' && p[-2] == '<';
}

/* Returns true for a number with a unit of time or size, such as 0.41s. */
static bool
is_measure(const char *p, size_t n)
{
	static const char *const units[] = {"s", "ms", "B", "kB", "KB", "MB",
	    "GB", "KiB", "MiB", "px", "em", "rem", "vh", "vw", NULL};
	size_t digits = 0;

	while (digits < n && (ctx_is_digit(p[digits]) || p[digits] == '.'))
		digits++;
	for (size_t i = 0; digits > 0 && units[i] != NULL; i++)
		if (strlen(units[i]) == n - digits &&
		    memcmp(p + digits, units[i], n - digits) == 0)
			return true;
	return false;
}

/* Returns true for a name of digits, points and hyphens that has letters for
 * the drawing of lines, as SVG has them ("M4.5"), or 4 or more digits after its
 * point, as times and measurements have. */
static bool
is_data(const char *p, size_t n)
{
	size_t points = 0, drawn = 0, decimals = 0;

	for (size_t i = 0; i < n; i++) {
		if (ctx_is_digit(p[i])) {
			decimals += points > 0;
			continue;
		}
		points += p[i] == '.';
		if (p[i] == '.' || p[i] == '-')
			continue;
		if (strchr("AaCcHhLlMmQqSsVvZz", p[i]) == NULL ||
		    (i + 1 < n && !ctx_is_digit(p[i + 1]) && p[i + 1] != '-' &&
			p[i + 1] != '.'))
			return false;
		drawn++;
	}
	return points > 0 && (drawn > 0 || (points == 1 && decimals >= 4));
}

/* Returns true for two words in small letters with a slash between them, such
 * as yes/no, that are not part of a path. */
static bool
is_alternative(const struct name_reader *reader, const char *p, size_t n)
{
	size_t slashes = 0;

	if (p > reader->text && p[-1] == '/')
		return false;
	for (size_t i = 0; i < n; i++) {
		slashes += p[i] == '/';
		if (p[i] != '/' && (p[i] < 'a' || p[i] > 'z'))
			return false;
	}
	return slashes == 1;
}

/* Returns the complete web address of which a name is the part with host and
 * path: two slashes must be before the name.  The complete address also has a
 * scheme, such as "https:", and a query. */
static struct ctx_str
read_address(const struct name_reader *reader, const char *p, size_t n)
{
	const char *start = p - 2, *stop = p + n;
	const char *end = reader->text + reader->n;

	if (start > reader->text && start[-1] == ':')
		for (start--; start > reader->text && ctx_is_letter(start[-1]);)
			start--;
	if (stop < end && *stop == '?')
		while (stop < end && stop - start < MOST_ADDRESS &&
		    (ctx_is_letter(*stop) ||
			(*stop != '\0' &&
			    strchr("0123456789_-.~%+?&=/", *stop) != NULL)))
			stop++;
	return (struct ctx_str){start, (size_t)(stop - start)};
}

/* Returns a name with the neighbouring text that belongs to the name, but that
 * ctx_names_of leaves out: the beginning of an absolute path (/ or ~/), and the
 * rest of a web address.  Returns an empty string if the summary must not list
 * the name. */
static struct ctx_str
read_name(const struct name_reader *reader, const char *p, size_t n)
{
	size_t before = (size_t)(p - reader->text);

	if (is_markup(reader, p, n) || is_measure(p, n) ||
	    (reader->key == 0 && is_data(p, n)) ||
	    (reader->prose && is_alternative(reader, p, n)))
		return (struct ctx_str){p, 0};
	if (before == 0 || p[-1] != '/')
		return (struct ctx_str){p, n};
	if (before > 1 && p[-2] == '/')
		return read_address(reader, p, n);
	if (before > 1 && p[-2] == '~')
		return (struct ctx_str){p - 2, n + 2};
	return (struct ctx_str){p - 1, n + 1};
}

/* Counts a name for the action and the key that are being read.  Sets *below to
 * the index of their count in names->below, plus 1. */
static int
count_below(const struct name_reader *reader, uint32_t *below,
    struct ctx_err *err)
{
	struct summary_names *names = reader->names;
	uint32_t pair[2] = {reader->action, reader->key};
	size_t known = names->pairs.n;

	if (ctx_intern(&names->pairs, (const char *)pair, sizeof pair, below,
		err) < 0 ||
	    CTX_GROW(names->below, names->below_cap, *below, err) < 0)
		return -1;
	if (*below > known)
		names->below[*below - 1] = 0;
	names->below[*below - 1]++;
	return 0;
}

static int
add_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct name_reader *reader = user;
	struct summary_names *names = reader->names;
	struct ctx_str name = read_name(reader, p, n);
	size_t known = names->texts.n;
	struct summary_name *grown;
	uint32_t id;

	if (name.n == 0)
		return 0;
	if (ctx_intern(&names->texts, name.p, name.n, &id, err) < 0 ||
	    CTX_GROW(names->list, names->cap, id, err) < 0)
		return -1;
	grown = &names->list[id - 1];
	if (id > known)
		memset(grown, 0, sizeof *grown);
	grown->texts += grown->last != names->n_texts;
	grown->last = names->n_texts;
	grown->by_user |= reader->by_user;
	grown->earlier |= reader->earlier;
	if (reader->action == 0 ||
	    (grown->action == reader->action && grown->key == reader->key))
		return 0;
	grown->action = reader->action;
	grown->key = reader->key;
	grown->below = 0;
	return grown->key != 0 ? count_below(reader, &grown->below, err) : 0;
}

/* Calls the function "take" with the argument reader for each name in a text.
 */
static int
each_name(struct name_reader *reader, struct ctx_str text,
    int (*take)(void *user, const char *p, size_t n, struct ctx_err *err),
    struct ctx_err *err)
{
	const struct ctx_words found = {reader, take, true};

	reader->text = text.p;
	reader->n = text.n;
	return ctx_names_of(&found, text.p, text.n, err);
}

static int
read_names(struct name_reader *reader, struct ctx_str text, struct ctx_err *err)
{
	return each_name(reader, text, add_name, err);
}

bool
ctx_summary_is_limit(struct ctx_str key)
{
	static const char *const limits[] = {"chunk_id", "max_output_tokens",
	    "original_token_count", "timeout", "timeout_ms",
	    "wall_time_seconds", "yield_time_ms", NULL};

	return ctx_summary_is_one_of(key, limits);
}

/* Sets *id to the id of a key of a JSON object.  Sets *id to 0 if the summary
 * will not contain the key, because the key is long or contains characters that
 * separate names, or a question mark, as web addresses do before "=". */
static int
find_key(struct summary_names *names, struct ctx_str key, uint32_t *id,
    struct ctx_err *err)
{
	*id = 0;
	if (key.n == 0 || key.n > MOST_KEY)
		return 0;
	for (size_t i = 0; i < key.n; i++)
		if (strchr("=;,?\n", key.p[i]) != NULL)
			return 0;
	return ctx_intern(&names->keys, key.p, key.n, id, err);
}

static size_t
count_digits(struct ctx_str text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += ctx_is_digit(text.p[i]);
	return n;
}

/* Adds the names in a JSON text.  Keys of objects are names only if they
 * contain two digits (an order id, for example); other keys are the same in
 * every result of a tool. */
static int
read_json_names(struct name_reader *reader, const struct ctx_json *json,
    struct ctx_err *err)
{
	struct summary_names *names = reader->names;
	struct ctx_str value;
	uint32_t key = 0;
	bool limits = false;

	for (uint32_t i = 0; i < json->n; i++) {
		if (json->nodes[i].kind != CTX_JSON_STRING &&
		    json->nodes[i].kind != CTX_JSON_NUMBER)
			continue;
		names->text.n = 0;
		if (ctx_json_text(json, i, &names->text, &value, err) < 0)
			return -1;
		reader->key = 0;
		if (ctx_json_is_key(json, i)) {
			limits = ctx_summary_is_limit(value);
			if ((count_digits(value) > 1 &&
				read_names(reader, value, err) < 0) ||
			    find_key(names, value, &key, err) < 0)
				return -1;
			continue;
		}
		if (limits)
			continue;
		if (value.n <= MOST_VALUE)
			reader->key = key;
		if (read_names(reader, value, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_summary_names_add(struct summary_names *names, struct ctx_str text,
    const struct ctx_json *json, uint32_t action, bool by_user,
    struct ctx_err *err)
{
	struct name_reader reader = {.names = names,
	    .by_user = by_user,
	    .prose = action == 0,
	    .action = action};

	names->n_texts++;
	return json != NULL && action != 0 ? read_json_names(&reader, json, err)
					   : read_names(&reader, text, err);
}

/* Adds the names in a part of a list of names.  A part may begin with a JSON
 * key and "=", and ends with "..." if there were more names. */
static int
read_list_part(struct name_reader *reader, struct ctx_str part,
    struct ctx_err *err)
{
	const char *equals = memchr(part.p, '=', part.n);
	struct ctx_str key = {part.p, 0};
	uint32_t below;

	reader->key = 0;
	if (equals != NULL) {
		key.n = (size_t)(equals - part.p);
		if (find_key(reader->names, ctx_str_trim(key), &reader->key,
			err) < 0)
			return -1;
		/* Otherwise the sign is in the query of a web address. */
		if (reader->key != 0) {
			part.p += key.n + 1;
			part.n -= key.n + 1;
		}
	}
	if (reader->key != 0 && part.n > 3 &&
	    memcmp(part.p + part.n - 3, "...", 3) == 0 &&
	    count_below(reader, &below, err) < 0)
		return -1;
	return read_names(reader, part, err);
}

int
ctx_summary_names_add_list(struct summary_names *names, struct ctx_str list,
    uint32_t action, struct ctx_err *err)
{
	struct name_reader reader = {.names = names,
	    .earlier = true,
	    .action = action};

	names->n_texts++;
	while (list.n > 0)
		if (read_list_part(&reader, ctx_str_cut(&list, ';'), err) < 0)
			return -1;
	return 0;
}

static int
keep_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct name_reader *reader = user;
	struct ctx_str name = read_name(reader, p, n);
	uint32_t id;

	return ctx_intern(&reader->names->kept, name.p, name.n, &id, err);
}

int
ctx_summary_names_keep(struct summary_names *names, struct ctx_str text,
    struct ctx_err *err)
{
	struct name_reader reader = {.names = names};

	return each_name(&reader, text, keep_name, err);
}

static int
find_kept_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct name_reader *reader = user;
	struct ctx_str name = read_name(reader, p, n);

	(void)err;
	return ctx_intern_has(&reader->names->kept, name.p, name.n) ? -1 : 0;
}

bool
ctx_summary_names_kept(struct summary_names *names, struct ctx_str text)
{
	struct name_reader reader = {.names = names};

	return each_name(&reader, text, find_kept_name, NULL) < 0;
}

/* ---- choosing ---- */

/* Returns true if the removed texts contain another name that differs from this
 * name only in its number.  The number must be higher by "step" (or lower, if
 * "step" is negative). */
static bool
has_neighbour(const struct summary_names *names, struct ctx_str name, int step)
{
	char text[MOST_COUNTED];
	size_t i = name.n;

	if (name.n > sizeof text)
		return false;
	memcpy(text, name.p, name.n);
	for (; step != 0 && i > 0 && ctx_is_digit(text[i - 1]); i--) {
		int digit = text[i - 1] - '0' + step;

		step = digit < 0 ? -1 : digit / 10;
		text[i - 1] = (char)('0' + (digit + 10) % 10);
	}
	return step == 0 && ctx_intern_has(&names->texts, text, name.n);
}

/* Returns true for a name of a numbered series, such as value_6, value_7 and
 * value_8, that is in only one removed text.  This text must be neither the
 * user's nor an earlier summary.  The summary lists such a name only if the
 * name is a date. */
static bool
is_counted(const struct summary_names *names, uint32_t id)
{
	const struct summary_name *name = &names->list[id - 1];
	struct ctx_str text = ctx_intern_at(&names->texts, id);
	bool before, after;

	if (name->texts > 1 || name->by_user || name->earlier)
		return false;
	before = has_neighbour(names, text, -1);
	after = has_neighbour(names, text, 1);
	return (before && (after || has_neighbour(names, text, -2))) ||
	    (after && has_neighbour(names, text, 2));
}

/* Returns true for a date such as 2026-11-27. */
static bool
is_date(struct ctx_str name)
{
	static const char form[] = "0000-00-00";

	if (name.n != sizeof form - 1)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (form[i] == '0' ? !ctx_is_digit(name.p[i])
				   : name.p[i] != form[i])
			return false;
	return true;
}

/* Returns an array with the number of names of each action (tool call), or NULL
 * with *err.  The caller must free it. */
static uint32_t *
count_by_action(const struct summary_names *names, struct ctx_err *err)
{
	uint32_t *counts, actions = 0;

	for (size_t i = 0; i < names->texts.n; i++)
		if (names->list[i].action > actions)
			actions = names->list[i].action;
	counts = calloc((size_t)actions + 1, sizeof *counts);
	if (counts == NULL)
		(void)ctx_err_nomem(err);
	for (size_t i = 0; counts != NULL && i < names->texts.n; i++)
		counts[names->list[i].action]++;
	return counts;
}

/* Returns how useful a name is in a summary, relative to the length of the
 * name.  The weights were chosen with tests/bench/survive, on that half of its
 * data that is used for such choices. together: number of names of the tool
 * call to which the name belongs; 0 if it belongs to none.  Of a list of
 * hundreds of files, for example, few are needed. */
static double
rate_name(const struct summary_names *names, uint32_t id, uint32_t together)
{
	const struct summary_name *name = &names->list[id - 1];
	struct ctx_str text = ctx_intern_at(&names->texts, id);
	double worth = (double)name->last / (double)names->n_texts;

	worth += name->by_user ? 1 : 0;
	worth += count_digits(text) > 0 ? 0.5 : 0;
	worth += name->texts > 1 ? 0.5 : 0;
	worth -= name->texts > MOST_TEXTS ? 4 : 0;
	worth -= memchr(text.p, ':', text.n) != NULL ? 1 : 0;
	for (; together > MANY_NAMES; together /= 2)
		worth -= 0.2;
	return worth - (double)text.n / 60;
}

static int
compare_rated_names(const void *a, const void *b)
{
	const struct rated_name *left = a, *right = b;

	if (left->worth != right->worth)
		return left->worth > right->worth ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

int
ctx_summary_names_sort(struct summary_names *names, struct ctx_err *err)
{
	uint32_t *by_action = count_by_action(names, err), action;
	struct ctx_str text;
	size_t n = 0;
	bool counted;

	names->order = calloc(names->texts.n + 1, sizeof *names->order);
	if (names->order == NULL || by_action == NULL) {
		free(by_action);
		return ctx_err_nomem(err);
	}
	by_action[0] = 0;
	for (uint32_t id = 1; id <= names->texts.n; id++) {
		text = ctx_intern_at(&names->texts, id);
		counted = is_counted(names, id);
		if (ctx_intern_has(&names->kept, text.p, text.n) ||
		    (counted && !is_date(text)))
			continue;
		action = names->list[id - 1].action;
		names->order[n++] = (struct rated_name){rate_name(names, id,
							    by_action[action]) -
			(counted ? 0.5 : 0),
		    id};
	}
	free(by_action);
	qsort(names->order, n, sizeof *names->order, compare_rated_names);
	names->n_order = n;
	return 0;
}
