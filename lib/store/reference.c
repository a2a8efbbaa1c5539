/*
 * reference.c - reads and writes references: lines in messages that name the
 * files to which tool results were moved
 *
 * Anybody can write a line that looks like a reference.  So a line is a
 * reference only if the whole line has the right form.  Only files in the spool
 * (the directory that the user names) are read.
 */
#include <string.h>

#include "store/store.h"

/* Reads a decimal number at the beginning of *text, and removes it from *text.
 * Returns false if there is no number, if it begins with a needless 0, or if it
 * is too large. */
static bool
take_number(struct ctx_str *text, uint64_t *n)
{
	size_t i;

	*n = 0;
	for (i = 0; i < text->n && text->p[i] >= '0' && text->p[i] <= '9'; i++)
		if (*n > (UINT64_MAX - 9) / 10)
			return false;
		else
			*n = *n * 10 + (uint64_t)(text->p[i] - '0');
	if (i == 0 || (i > 1 && text->p[0] == '0'))
		return false;
	text->p += i;
	text->n -= i;
	return true;
}

/* Parses a line of n bytes as a reference to a file of the spool (directory of
 * stored results), and stores its parts in *ref. middle: the text that a
 * reference must have between its number and its path, such as
 * CTX_REFERENCE_MIDDLE.  Returns false if the line is not such a reference. */
static bool
parse_reference(const char *p, size_t n, const char *middle,
    struct ctx_reference *ref)
{
	const size_t length = strlen(middle);
	struct ctx_str line;
	size_t slash;

	if (n < 3 || p[0] != '[' || p[n - 1] != ']')
		return false;
	line = (struct ctx_str){p + 1, n - 2};
	if (!take_number(&line, &ref->chars) || line.n <= length ||
	    memcmp(line.p, middle, length) != 0)
		return false;
	ref->path = (struct ctx_str){line.p + length, line.n - length};
	for (slash = ref->path.n; slash > 0; slash--)
		if (ref->path.p[slash - 1] == '/')
			break;
	ref->dir = (struct ctx_str){ref->path.p, slash > 0 ? slash - 1 : 0};
	ref->name = (struct ctx_str){ref->path.p + slash, ref->path.n - slash};
	ref->at = 0;
	return slash > 0 && ctx_spool_is_name(ref->name, &ref->digits);
}

bool
ctx_reference_find(const char *p, size_t n, struct ctx_reference *ref)
{
	size_t at = n;

	while (at > 0 && p[at - 1] != '\n')
		at--;
	if (!parse_reference(p + at, n - at, CTX_REFERENCE_MIDDLE, ref))
		return false;
	ref->at = at > 0 ? at - 1 : 0;
	return ctx_utf8_count(p, ref->at) <= CTX_AGE_HEAD;
}

bool
ctx_reference_media(const char *p, size_t n, struct ctx_reference *ref)
{
	return memchr(p, '\n', n) == NULL &&
	    parse_reference(p, n, CTX_REFERENCE_BYTES, ref);
}

static bool
is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool
ctx_reference_digits(struct ctx_str text, size_t *at, struct ctx_str *digits)
{
	size_t i = *at, from;

	/* The loop looks only at every CTX_SPOOL_DIGITS-th byte.  A row of at
	 * least CTX_SPOOL_DIGITS hex digits contains such a byte. */
	while ((i += CTX_SPOOL_DIGITS) <= text.n) {
		if (!is_hex_digit(text.p[i - 1]))
			continue;
		for (from = i; from > *at && is_hex_digit(text.p[from - 1]);)
			from--;
		while (i < text.n && is_hex_digit(text.p[i]))
			i++;
		*at = i;
		if (i - from < CTX_SPOOL_DIGITS)
			continue;
		*digits = (struct ctx_str){text.p + i - CTX_SPOOL_DIGITS,
		    CTX_SPOOL_DIGITS};
		return true;
	}
	return false;
}

/* Number of bytes.  A longer JSON string cannot be the text with which ctx-age
 * has replaced a tool result.  Such a text has at most CTX_AGE_HEAD characters,
 * each of at most two escapes of 6 bytes, and a line that names the file with
 * the whole result.  This line, with its path, fits into 64 KiB. */
#define NO_AGED (12 * CTX_AGE_HEAD + 65536)

bool
ctx_reference_may_be(struct ctx_str literal)
{
	return literal.n <= NO_AGED && literal.p[literal.n - 2] == ']';
}

/* Returns the path of a spool directory in the form in which references contain
 * it: without "./" at its beginning and without slashes at its end. */
static struct ctx_str
trim_spool_path(const char *dir)
{
	struct ctx_str str;

	while (dir[0] == '.' && dir[1] == '/' && dir[2] != '\0')
		dir += 2;
	str = (struct ctx_str){dir, strlen(dir)};
	while (str.n > 1 && str.p[str.n - 1] == '/')
		str.n--;
	return str;
}

bool
ctx_reference_into(const struct ctx_reference *ref, const char *dir)
{
	struct ctx_str spool_path = trim_spool_path(dir);

	return ref->dir.n == spool_path.n &&
	    memcmp(ref->dir.p, spool_path.p, spool_path.n) == 0;
}

int
ctx_reference_add(struct ctx_buf *out, const char *dir, const char *name,
    const char *middle, uint64_t chars, struct ctx_err *err)
{
	struct ctx_str spool_path = trim_spool_path(dir);

	if (ctx_buf_printf(out, err, "%s[%llu%s", out->n > 0 ? "\n" : "",
		(unsigned long long)chars, middle) < 0 ||
	    ctx_buf_add_str(out, spool_path, err) < 0)
		return -1;
	return ctx_buf_printf(out, err, "/%s]", name);
}
