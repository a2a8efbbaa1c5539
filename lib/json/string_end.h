/* string_end.h - find the end of a JSON string */
#ifndef CTX_JSON_STRING_END_H
#define CTX_JSON_STRING_END_H

#include "base/base.h"
#include "base/vector.h"

/*
 * A search for the end of a string.  It begins with p after the opening quote,
 * end set, and the other members zero.  It ends with p at the closing quote, at
 * the end of the text, or at an invalid byte.  UTF-8 is not validated.
 */
struct string_end {
	const char *p, *end; /* the position; the end of the text */
	const char *high;    /* the first byte beyond ASCII, or NULL */
	const char *wrong;   /* why the byte at p is invalid, or NULL */
	bool escaped;        /* true if there was a backslash */
};

typedef void ctx_string_end_fn(struct string_end *search);

ctx_string_end_fn *ctx_string_end_select(enum ctx_simd simd);

/*
 * Returns a mask of the bytes of a 64-byte block that a backslash escapes;
 * these may be backslashes.  Bit 0 of *carry is set if the block before escapes
 * the first byte; it is updated for the block after.
 *
 * The sum turns a run of backslashes that begins at an odd bit into one bit
 * after the run, and keeps a run that begins at an even bit.  Flipping the odd
 * bits then leaves, in both cases, every second bit of the run, from its first:
 * the backslashes that escape.  The bit after the run is set if its last
 * backslash escapes.
 */
INLINE uint64_t
find_escaped(uint64_t backslash, uint64_t *carry)
{
	const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
	uint64_t open = backslash & ~*carry;
	uint64_t pairs = (open + (odd & ~(open << 1))) ^ odd;
	uint64_t escaped = pairs ^ (backslash | *carry);

	*carry = (pairs & backslash) >> 63;
	return escaped;
}

#endif
