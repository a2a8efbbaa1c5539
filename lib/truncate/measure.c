/*
 * measure.c - measures the size of a text in the unit of its limit: characters,
 * bytes, tokens or lines
 */
#include "truncate/cut_points.h"

/* Returns the number of lines in a text.  A last line without a line feed is
 * counted, too. */
static uint64_t
count_lines(const char *p, size_t n)
{
	return ctx_cut_line_feeds(p, n) + (n > 0 && p[n - 1] != '\n');
}

int
ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err)
{
	switch (shortener->unit) {
	case CTX_SIZE_CHARS:
		*size = ctx_utf8_count(p, n);
		return 0;
	case CTX_SIZE_BYTES:
		*size = n;
		return 0;
	case CTX_SIZE_LINES:
		*size = count_lines(p, n);
		return 0;
	case CTX_SIZE_TOKENS:
		break;
	}
	if (ctx_token_count(shortener->counter->tokens, p, n, size, err) < 0)
		return -1;
	*size = ctx_text_to_model(shortener->counter, p, n, *size);
	return 0;
}
