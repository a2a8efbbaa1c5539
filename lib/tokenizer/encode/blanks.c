/* blanks.c - replaces U+2581 in a text by blanks, for SentencePiece
 * vocabularies */
#include <string.h>

#include "tokenizer/encode/blanks.h"

#define SIGN_BYTES (sizeof CTX_BLANK_SIGN - 1)

/* Returns the offset of the first U+2581 at or after the offset "at", or n if
 * there is none. */
static size_t
find_sign(const char *p, size_t n, size_t at)
{
	const char *found;

	while (at < n) {
		found =
		    memchr(p + at, (unsigned char)CTX_BLANK_SIGN[0], n - at);
		if (found == NULL)
			return n;
		at = (size_t)(found - p);
		if (n - at >= SIGN_BYTES &&
		    memcmp(found, CTX_BLANK_SIGN, SIGN_BYTES) == 0)
			return at;
		at++;
	}
	return n;
}

int
ctx_blanks_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err)
{
	*at = *end = find_sign(p, n, *at);
	if (*at == n)
		return 0;
	*end += SIGN_BYTES;
	nfc->out.n = 0;
	return ctx_buf_add(&nfc->out, " ", 1, err) < 0 ? -1 : 1;
}

size_t
ctx_blanks_replace(char *p, size_t n)
{
	size_t at, to = 0, next;

	for (at = 0; at < n; at = next + SIGN_BYTES) {
		next = find_sign(p, n, at);
		memmove(p + to, p + at, next - at);
		to += next - at;
		if (next == n)
			break;
		p[to++] = ' ';
	}
	return to;
}
