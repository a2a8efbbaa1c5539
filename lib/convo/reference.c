/*
 * reference.c - the line that stands for a result in the spool
 *
 * It may be forged by any tool, so it is known by its whole shape only, and
 * what it names is looked at by nobody but the spool that it must name.
 */
#include <string.h>

#include "convo/reference.h"

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* Is this the name of a spool file: safe bytes, digits, an extension? */
static bool
is_spool_name(struct ctx_str name, struct ctx_str *digits)
{
	size_t stem = name.n, i;

	for (i = 0; i < name.n; i++)
		if (!is_name_byte(name.p[i]))
			return false;
	while (stem > 0 && name.p[stem - 1] != '.')
		stem--;
	stem = stem > 0 ? stem - 1 : name.n;
	if (stem < CTX_SPOOL_DIGITS || name.p[0] == '.' || name.p[0] == '-')
		return false;
	*digits = (struct ctx_str){name.p + stem - CTX_SPOOL_DIGITS,
	    CTX_SPOOL_DIGITS};
	for (i = 0; i < CTX_SPOOL_DIGITS; i++)
		if (!is_hex(digits->p[i]))
			return false;
	return true;
}

/* Takes the number at the start of *text. */
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

bool
ctx_reference_find(const char *p, size_t n, struct reference *ref)
{
	static const char middle[] = CTX_REFERENCE_MIDDLE;
	const size_t length = sizeof middle - 1;
	struct ctx_str line;
	size_t at = n, slash;

	if (n == 0 || p[n - 1] != ']')
		return false;
	while (at > 0 && p[at - 1] != '\n')
		at--;
	if (p[at] != '[')
		return false;
	line = (struct ctx_str){p + at + 1, n - at - 2};
	if (n - at < 3 || !take_number(&line, &ref->chars) ||
	    line.n <= length || memcmp(line.p, middle, length) != 0)
		return false;
	ref->path = (struct ctx_str){line.p + length, line.n - length};
	for (slash = ref->path.n; slash > 0; slash--)
		if (ref->path.p[slash - 1] == '/')
			break;
	ref->dir = (struct ctx_str){ref->path.p, slash > 0 ? slash - 1 : 0};
	ref->name = (struct ctx_str){ref->path.p + slash,
	    ref->path.n - slash};
	if (slash == 0 || !is_spool_name(ref->name, &ref->digits))
		return false;
	ref->at = at > 0 ? at - 1 : 0;
	return ctx_utf8_count(p, ref->at) <= CTX_REFERENCE_HEAD;
}
