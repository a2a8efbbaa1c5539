/* base64_bytes.h - reads single bytes of a base64 text, without decoding all
 * of it */
#ifndef CTX_COST_BASE64_BYTES_H
#define CTX_COST_BASE64_BYTES_H

#include "base/base.h"

/* A base64 text whose bytes are decoded one by one when they are needed. */
struct ctx_base64 {
	const char *p;
	size_t n; /* length of the base64 without padding */
};

/* Returns the value of a base64 character, or -1. */
static inline int
ctx_base64_sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	/* In the URL-safe form of base64 the last two digits are - and _. */
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

/* Returns the number of decoded bytes. */
static inline size_t
ctx_base64_length(const struct ctx_base64 *b)
{
	return b->n / 4 * 3 + b->n % 4 * 3 / 4;
}

/* Returns the decoded byte at this offset, or -1 if the text has no such byte.
 */
static inline int
ctx_base64_byte(const struct ctx_base64 *b, size_t at)
{
	size_t from = at / 3 * 4 + at % 3;
	unsigned shift = (unsigned)(at % 3) * 2;
	int high, low;

	if (at >= ctx_base64_length(b))
		return -1;
	high = ctx_base64_sextet(b->p[from]);
	low = ctx_base64_sextet(b->p[from + 1]);
	if (high < 0 || low < 0)
		return -1;
	return ((high << (2 + shift)) | (low >> (4 - shift))) & 0xff;
}

/* Returns the n decoded bytes from this offset as a number; 0 if the text has
 * not so many.  If little is true, the first byte is the least significant. */
static inline uint32_t
ctx_base64_uint(const struct ctx_base64 *b, size_t at, size_t n, bool little)
{
	uint32_t value = 0;
	size_t i;
	int c;

	for (i = 0; i < n; i++) {
		c = ctx_base64_byte(b, little ? at + n - 1 - i : at + i);
		if (c < 0)
			return 0;
		value = value << 8 | (uint32_t)c;
	}
	return value;
}

/* Returns true if the decoded bytes from the given offset on begin with text.
 */
static inline bool
ctx_base64_has(const struct ctx_base64 *b, size_t at, const char *text)
{
	size_t i;

	for (i = 0; text[i] != '\0'; i++)
		if (ctx_base64_byte(b, at + i) != (unsigned char)text[i])
			return false;
	return true;
}

#endif
