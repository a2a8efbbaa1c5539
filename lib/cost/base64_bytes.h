/* base64_bytes.h - decodes single bytes of a base64 text, without decoding all
 * of it */
#ifndef CTX_COST_BASE64_BYTES_H
#define CTX_COST_BASE64_BYTES_H

#include "base/base.h"

/* A base64 text.  Single bytes of it are decoded when they are needed. */
struct ctx_base64 {
	const char *p;
	size_t n; /* number of base64 characters, without padding */
};

/* Returns the number from 0 to 63 that a base64 character stands for, or -1 for
 * any other character. */
static inline int
ctx_base64_sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	/* + (or - in URL-safe base64) is 62; / (or _) is 63 */
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

/* Returns the number of bytes of a base64 text after decoding. */
static inline size_t
ctx_base64_length(const struct ctx_base64 *b)
{
	return b->n / 4 * 3 + b->n % 4 * 3 / 4;
}

/* Returns the byte at an offset in the decoded text, or -1 after its end, or if
 * its characters are not base64. */
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

/* Returns the n bytes of the decoded text that begin at an offset, as an
 * unsigned integer, or 0 if there are fewer bytes, or if their characters are
 * not base64. little: true for little-endian byte order; false for
 * big-endian. */
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

/* Returns true if the decoded text contains the given text exactly at an
 * offset. */
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
