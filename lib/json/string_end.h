/* string_end.h - find the end of a JSON string */
#ifndef CTX_JSON_STRING_END_H
#define CTX_JSON_STRING_END_H

#include "base/base.h"
#include "base/vector.h"

/*
 * A search for the end of a JSON string.  Before the search, p is the byte
 * after the opening quote, end the end of the text, and the other members are
 * zero.  After the search, p is the closing quote, the end of the text, or an
 * invalid byte.  The search does not check if the bytes are valid UTF-8.
 */
struct string_end {
	const char *p, *end; /* current position; end of the text */
	/* the first byte beyond ASCII; NULL if there is none */
	const char *high;
	/* why the byte at p is invalid; NULL if it is not */
	const char *wrong;
	bool escaped; /* true if the string has a backslash */
};

typedef void ctx_string_end_fn(struct string_end *search);

ctx_string_end_fn *ctx_string_end_select(enum ctx_simd simd);

/*
 * Returns a mask of the bytes of a 64-byte block that a backslash escapes; they
 * may be backslashes themselves.  backslash is the mask of all backslashes. Bit
 * 0 of *carry is set if the last byte of the block before escapes the first
 * byte; it is updated for the next block.
 *
 * In a run of backslashes, every second one escapes, beginning with the first.
 * The sum turns a run that begins at an odd bit into one bit after the run, and
 * keeps a run that begins at an even bit.  Flipping the odd bits then leaves,
 * in both cases, the backslashes that escape.  The bit after the run is set if
 * the run's last backslash escapes.
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
