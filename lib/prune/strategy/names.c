/*
 * names.c - finds the paths, identifiers, ids and numbers in a text
 *
 * Such names are what a later tool call copies from an earlier tool result.  A
 * name has a digit, an underscore, a slash or a dot inside, or a capital letter
 * after a small one.  Ordinary words have none of these.
 *
 * ctx-eval measures strategies by names of another definition, in
 * eval/find_names.c.
 */
#include "prune/strategy/names.h"

enum {
	/* a shorter name, in bytes, is ignored because it occurs everywhere */
	SHORTEST = 5,
	/* a longer word, in bytes, is ignored because it is data such as
	 * base64 */
	LONGEST = 200,
};

static bool
is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Returns true for a character that may be between the parts of a name, such as
 * a slash or a dot. */
static bool
is_joint(char c)
{
	return c == '.' || c == '/' || c == '-' || c == '@';
}

static bool
is_name_part(char c)
{
	return is_small(c) || is_capital(c) || is_decimal(c) || c == '_' ||
	    is_joint(c);
}

/* Returns true if a word is a path, identifier, id or number, not a word of
 * ordinary prose. */
static bool
is_name(const char *p, size_t n)
{
	size_t i;

	if (n < SHORTEST || n > LONGEST)
		return false;
	for (i = 0; i < n; i++)
		if (is_decimal(p[i]) || p[i] == '/' || p[i] == '.' ||
		    (p[i] == '_' && i > 0) ||
		    (is_capital(p[i]) && i > 0 && is_small(p[i - 1])))
			return true;
	return false;
}

static bool
is_hex(char c)
{
	return is_decimal(c) || (c >= 'a' && c <= 'f') ||
	    (c >= 'A' && c <= 'F');
}

/* Returns the length in bytes of a JSON escape at the start of a text, such as
 * \n or \u00e9; 1 if another character is there. */
static size_t
measure_escape(const char *p, size_t n)
{
	if (p[0] != '\\' || n < 2)
		return 1;
	return p[1] == 'u' && n >= 6 && is_hex(p[2]) && is_hex(p[3]) &&
		is_hex(p[4]) && is_hex(p[5])
	    ? 6
	    : 2;
}

/* Returns how many bytes to skip at the start of a text because they cannot
 * belong to a name.  These include the letters and digits of escapes such as
 * \n, which are in a text that is JSON inside JSON: a name does not begin with
 * them. */
static size_t
skip_separators(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (!is_name_part(p[i]) || is_joint(p[i])))
		i += measure_escape(p + i, n - i);
	return i < n ? i : n;
}

int
ctx_names_of(const struct ctx_names *names, const char *p, size_t n,
    struct ctx_err *err)
{
	size_t i, end, from;

	for (i = 0; i < n; i = end) {
		from = i + skip_separators(p + i, n - i);
		for (end = from; end < n && is_name_part(p[end]);)
			end++;
		for (i = end; i > from && is_joint(p[i - 1]);)
			i--;
		if (is_name(p + from, i - from) &&
		    names->take(names->user, p + from, i - from, err) < 0)
			return -1;
	}
	return 0;
}
