/*
 * find_names.c - finds the names in a text: paths, identifiers, ids, numbers
 *
 * At each place of the text, a word is the first of these regular expressions
 * that matches (\w and \d as in Unicode):
 *   path  (?:[\w.~@-]*\/)+[\w.@-]+
 *   dashed  [A-Za-z0-9]+(?:-[A-Za-z0-9]+)+
 *   identifier  [A-Za-z_]\w*(?:\.\w+)*
 *   number  \d[\d.]*
 * Dots and dashes at the ends of a word do not belong to it.  The word is a
 * name if it has at least CTX_NAME_LEAST characters and one of these: a slash
 * (a slash at its beginning only if there is another one), a digit, a dot, an
 * underscore after its first character, or a capital letter after a small one.
 *
 * The strategies of ctx-prune define names in another way, in
 * prune/strategy/names.c.  With that definition, ctx-eval would prefer the
 * strategies that rank by it.
 *
 * Time is linear: a row of characters that can be in a path is searched only
 * once for its slashes, and no other kind of word reads a character more than
 * twice.
 */
#include <string.h>

#include "eval/session.h"
#include "tokenizer/unicode.h"

/* Kinds of words to which a character can belong, as bits.  The comment after
 * each bit describes its characters, in words or as in the brackets of a
 * regular expression. */
enum {
	IN_WORD = 1,     /* \w */
	IN_NUMBER = 2,   /* \d */
	IN_DASHED = 4,   /* ASCII letter or digit */
	BEGINS_NAME = 8, /* ASCII letter or underscore */
	IN_PATH = 16,    /* \w . ~ @ - */
	ENDS_PATH = 32,  /* \w . @ - */
};

struct text_walk {
	const char *p;
	size_t n;
	/* run_end: end of the row of path characters and slashes that was
	 * searched last. last_slash: offset after the last slash in this row
	 * after which a path can end, or 0 if there is none.  Stored so that a
	 * row is searched only once. */
	size_t run_end, last_slash;
};

static unsigned
classify_ascii(unsigned char c)
{
	const unsigned word = IN_WORD | IN_PATH | ENDS_PATH;

	if (c >= '0' && c <= '9')
		return word | IN_NUMBER | IN_DASHED;
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return word | IN_DASHED | BEGINS_NAME;
	if (c == '_')
		return word | BEGINS_NAME;
	if (c == '.' || c == '@' || c == '-')
		return IN_PATH | ENDS_PATH;
	return c == '~' ? IN_PATH : 0;
}

/* Returns the number of the general category Nd (decimal digit) in the Unicode
 * tables. */
static unsigned
get_digit_category(void)
{
	return (unsigned)(strstr(CTX_CATEGORIES, "Nd") - CTX_CATEGORIES) / 2;
}

/* Returns the properties (bits) of the character at an offset, and sets *length
 * to its length in bytes. */
static unsigned
classify_at(const struct text_walk *walk, size_t at, size_t *length)
{
	unsigned char c = (unsigned char)walk->p[at];
	unsigned bits = IN_WORD | IN_PATH | ENDS_PATH;
	uint32_t cp;

	*length = 1;
	if (c < 0x80)
		return classify_ascii(c);
	*length = ctx_char_next(walk->p + at, walk->n - at, &cp);
	if (cp == CTX_CHAR_BAD)
		return 0;
	switch (ctx_class_of(cp)) {
	case CTX_CLASS_NUMBER:
		return ctx_category_of(cp) == get_digit_category()
		    ? bits | IN_NUMBER
		    : bits;
	case CTX_CLASS_UPPER:
	case CTX_CLASS_LOWER:
	case CTX_CLASS_LETTER:
		return bits;
	default:
		return 0;
	}
}

/* Skips the characters, from an offset on, that have any of the properties in
 * bits.  Returns the offset after these characters. */
static size_t
skip_bits(const struct text_walk *walk, size_t at, unsigned bits)
{
	size_t length;

	while (at < walk->n && (classify_at(walk, at, &length) & bits) != 0)
		at += length;
	return at;
}

/* Searches the row of path characters and slashes that begins at an offset.
 * Stores the end and the last slash of the row. */
static void
search_run(struct text_walk *walk, size_t at)
{
	size_t length;

	walk->last_slash = 0;
	for (; at < walk->n; at += length) {
		if (walk->p[at] == '/') {
			if (at + 1 < walk->n &&
			    (classify_at(walk, at + 1, &length) & ENDS_PATH))
				walk->last_slash = at + 1;
			length = 1;
		} else if (!(classify_at(walk, at, &length) & IN_PATH)) {
			break;
		}
	}
	walk->run_end = at;
}

/* Each function match_... tests whether a word of one kind begins at an offset.
 * It returns the offset after the word, or 0 if there is none. */
static size_t
match_path(struct text_walk *walk, size_t at)
{
	if (at >= walk->run_end)
		search_run(walk, at);
	if (walk->last_slash <= at)
		return 0;
	return skip_bits(walk, walk->last_slash, ENDS_PATH);
}

static size_t
match_dashed(const struct text_walk *walk, size_t at)
{
	size_t end = skip_bits(walk, at, IN_DASHED), next;
	bool dashed = false;

	if (end == at)
		return 0;
	for (; end < walk->n && walk->p[end] == '-'; end = next) {
		next = skip_bits(walk, end + 1, IN_DASHED);
		if (next == end + 1)
			break;
		dashed = true;
	}
	return dashed ? end : 0;
}

static size_t
match_identifier(const struct text_walk *walk, size_t at)
{
	size_t length, end, next;

	if (!(classify_at(walk, at, &length) & BEGINS_NAME))
		return 0;
	end = skip_bits(walk, at, IN_WORD);
	for (; end < walk->n && walk->p[end] == '.'; end = next) {
		next = skip_bits(walk, end + 1, IN_WORD);
		if (next == end + 1)
			break;
	}
	return end;
}

static size_t
match_number(const struct text_walk *walk, size_t at)
{
	size_t length, end;

	if (!(classify_at(walk, at, &length) & IN_NUMBER))
		return 0;
	for (end = at + length; end < walk->n; end += length)
		if (!(classify_at(walk, end, &length) & IN_NUMBER) &&
		    walk->p[end] != '.')
			break;
	return end;
}

/* Returns true if a word is a name, and not ordinary prose: it has a slash,
 * digit, dot, underscore or inner capital letter. */
static bool
is_special_word(const char *p, size_t n)
{
	const struct text_walk word = {.p = p, .n = n};
	size_t length;

	if (n < CTX_NAME_LEAST || ctx_utf8_count(p, n) < CTX_NAME_LEAST)
		return false;
	if (p[0] == '/' && memchr(p + 1, '/', n - 1) == NULL)
		return false;
	for (size_t i = 0; i < n; i += length) {
		if ((classify_at(&word, i, &length) & IN_NUMBER) ||
		    p[i] == '/' || p[i] == '.' || (i > 0 && p[i] == '_'))
			return true;
		if (i > 0 && p[i] >= 'A' && p[i] <= 'Z' && p[i - 1] >= 'a' &&
		    p[i - 1] <= 'z')
			return true;
	}
	return false;
}

static size_t
match_word(struct text_walk *walk, size_t at)
{
	size_t end = match_path(walk, at);

	if (end == 0)
		end = match_dashed(walk, at);
	if (end == 0)
		end = match_identifier(walk, at);
	return end != 0 ? end : match_number(walk, at);
}

int
ctx_find_names(const struct ctx_name_taker *taker, const char *p, size_t n,
    struct ctx_err *err)
{
	struct text_walk walk = {.p = p, .n = n};
	size_t end, from, to, length;

	for (size_t at = 0; at < n; at = end) {
		end = match_word(&walk, at);
		if (end == 0) {
			(void)classify_at(&walk, at, &length);
			end = at + length;
			continue;
		}
		for (from = at; from < end && strchr(".-", p[from]); from++)
			;
		for (to = end; to > from && strchr(".-", p[to - 1]); to--)
			;
		if (is_special_word(p + from, to - from) &&
		    taker->take(taker->user, p + from, to - from, err) < 0)
			return -1;
	}
	return 0;
}
