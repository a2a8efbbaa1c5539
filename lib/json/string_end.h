/* string_end.h - to the end of a JSON string */
#ifndef CTX_JSON_STRING_END_H
#define CTX_JSON_STRING_END_H

#include "base/base.h"
#include "base/vector.h"

/*
 * Begins with p behind the opening quote and the rest zero; ends with p at
 * the closing quote, at the end of the text, or at the byte that is wrong.
 * UTF-8 is not looked at.
 */
struct string_end {
	const char *p, *end; /* the place reached; the end of the text */
	const char *high;    /* the first byte beyond ASCII, or NULL */
	const char *wrong;   /* what is wrong at p, or NULL */
	bool escaped;        /* there was a backslash */
};

typedef void ctx_string_end_fn(struct string_end *walk);

ctx_string_end_fn *ctx_string_end_select(enum ctx_simd simd);

/*
 * Of 64 bytes those that a backslash escapes, other backslashes among them.
 * Bit 0 of carry: the block before escapes the first byte; it is set for the
 * block behind.  A run of backslashes that begins at an odd place is added
 * that place, which makes one bit behind the run of it; a run at an even place
 * stays.  With the odd places turned over, both are every other bit from the
 * first on, these are the backslashes that escape, and the byte behind the run
 * if the last of it does.
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
