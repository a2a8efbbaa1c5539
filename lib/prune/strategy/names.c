/*
 * names.c - finds the names in a text: paths, identifiers, ids and numbers
 *
 * Later tool calls copy such names from earlier tool results.  A word is a name
 * if it contains a digit, an underscore, a slash or a dot between other
 * characters, or a capital letter after a small letter.  Ordinary words have
 * none of these properties.
 *
 * For the measurements of ctx-eval, names are defined differently; see
 * eval/find_names.c.
 */
#include "prune/strategy/words.h"

enum {
	/* A name of fewer bytes than this is ignored, because it is not
	 * specific. */
	SHORTEST = 5,
	/* A word of more bytes than this is ignored, because it is data such as
	 * base64. */
	LONGEST = 200,
	/* A word of digits and colons that has fewer bytes than this is
	 * ignored: it is a time of day, or the number of a line and a
	 * column. */
	SHORTEST_ADDRESS = 12,
};

/* Classes of the bytes of a name.  Bytes of the classes PATH (slash, dot) and
 * DASH (hyphen, at sign) can only be between two parts of a name. */
enum {
	SMALL = 1,
	CAPITAL = 2,
	DECIMAL = 4,
	UNDERSCORE = 8,
	PART = SMALL | CAPITAL | DECIMAL | UNDERSCORE,
	PATH = 16,
	DASH = 32,
};

/* Class of each byte, or 0 if names do not contain the byte.  A table is used
 * for speed, because every byte of every text is looked up. */
/* clang-format off */
static const unsigned char name_bytes[256] = {
    ['a'] = SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL,
    SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL,
    SMALL, SMALL, SMALL, SMALL, SMALL, SMALL, SMALL,
    ['A'] = CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL,
    CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL,
    CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL, CAPITAL,
    CAPITAL, CAPITAL, CAPITAL,
    ['0'] = DECIMAL, DECIMAL, DECIMAL, DECIMAL, DECIMAL, DECIMAL, DECIMAL,
    DECIMAL, DECIMAL, DECIMAL,
    ['_'] = UNDERSCORE, ['.'] = PATH, ['/'] = PATH, ['-'] = DASH, ['@'] = DASH};
/* clang-format on */

static unsigned
find_class(char c)
{
	return name_bytes[(unsigned char)c];
}

/* Returns true for a character that can join two parts of a name, such as a
 * slash or a dot. */
static bool
is_joint(char c)
{
	return (find_class(c) & (PATH | DASH)) != 0;
}

static bool
is_time_of_day(const char *p, size_t n)
{
	size_t colons = 0;

	for (size_t i = 0; i < n; i++) {
		colons += p[i] == ':';
		if (p[i] != ':' && find_class(p[i]) != DECIMAL)
			return false;
	}
	return colons > 0 && n < SHORTEST_ADDRESS;
}

/* Returns true if a word is a name (a path, identifier, id or number), and
 * false for an ordinary word. */
static bool
is_name(const char *p, size_t n)
{
	unsigned class, before = 0;

	if (n < SHORTEST || n > LONGEST || is_time_of_day(p, n))
		return false;
	for (size_t i = 0; i < n; i++, before = class) {
		class = find_class(p[i]);
		if ((class & (DECIMAL | PATH)) != 0 ||
		    (class == UNDERSCORE && i > 0) ||
		    (class == CAPITAL && before == SMALL))
			return true;
	}
	return false;
}

bool
ctx_name_is_number(const char *p, size_t n)
{
	size_t digits = 0, dashes = 0, letters = 0;

	if ((find_class(p[0]) & DECIMAL) == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		digits += (find_class(p[i]) & DECIMAL) != 0;
		letters += (find_class(p[i]) & (SMALL | CAPITAL)) != 0;
		dashes += p[i] == '-';
	}
	return digits * 8 > n * 3 && (dashes == 0 || letters > 0);
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	    (c >= 'A' && c <= 'F');
}

/* Returns the length in bytes of the JSON escape, such as \n or \u00e9, at the
 * beginning of a text, which must begin with a backslash.  Returns 1 if nothing
 * comes after the backslash. */
static size_t
measure_escape(const char *p, size_t n)
{
	if (n < 2)
		return 1;
	return p[1] == 'u' && n >= 6 && is_hex(p[2]) && is_hex(p[3]) &&
		is_hex(p[4]) && is_hex(p[5])
	    ? 6
	    : 2;
}

/* Returns true if the two bytes at the offset "at" are hexadecimal digits and
 * form a whole word. */
static bool
is_hex_pair(const char *p, size_t n, size_t at)
{
	return at + 2 <= n && is_hex(p[at]) && is_hex(p[at + 1]) &&
	    (at == 0 || (find_class(p[at - 1]) & PART) == 0) &&
	    (at + 2 == n || (find_class(p[at + 2]) & PART) == 0);
}

/* Returns true if the byte at the offset "at" is a colon inside a name. */
static bool
joins_colon(const char *p, size_t n, size_t at)
{
	if (p[at] != ':' || at == 0 || at + 1 == n)
		return false;
	return (find_class(p[at - 1]) & find_class(p[at + 1]) & DECIMAL) != 0 ||
	    (at >= 2 && is_hex_pair(p, n, at - 2) && is_hex_pair(p, n, at + 1));
}

/* Returns the length in bytes, at least 1, of the terminal control sequence
 * (such as the sequence for bold text) that begins with the escape character at
 * the offset "at". */
static size_t
measure_control(const char *p, size_t n, size_t at)
{
	size_t i = at + 2;

	if (i >= n || p[at + 1] != '[')
		return 1;
	while (i < n &&
	    ((find_class(p[i]) & DECIMAL) != 0 || p[i] == ';' || p[i] == '?'))
		i++;
	return i < n ? i + 1 - at : i - at;
}

/* Returns the offset of the next byte that can begin a name, from the offset
 * "at" on, or n if there is none.  Skips JSON escapes such as \n, which occur
 * in JSON inside JSON, and terminal control sequences, because their letters
 * and digits do not belong to names. */
static size_t
skip_separators(const char *p, size_t n, size_t at)
{
	while (at < n && (find_class(p[at]) & PART) == 0)
		at += p[at] == '\\'   ? measure_escape(p + at, n - at)
		    : p[at] == '\033' ? measure_control(p, n, at)
				      : 1;
	return at < n ? at : n;
}

int
ctx_names_of(const struct ctx_words *names, const char *p, size_t n,
    struct ctx_err *err)
{
	unsigned class, classes;
	size_t i, end, from;

	for (i = 0; i < n; i = end) {
		from = skip_separators(p, n, i);
		classes = 0;
		for (end = from; end < n &&
		     ((class = find_class(p[end])) != 0 ||
			 (names->colons && joins_colon(p, n, end)));
		     end++)
			classes |= class;
		/* Most words have only small letters, so they are not names. */
		if ((classes & (CAPITAL | DECIMAL | UNDERSCORE | PATH)) == 0)
			continue;
		for (i = end; i > from && is_joint(p[i - 1]);)
			i--;
		if (is_name(p + from, i - from) &&
		    names->take(names->user, p + from, i - from, err) < 0)
			return -1;
	}
	return 0;
}
