/* string_end.h - finds the closing quote of a JSON string */
#ifndef CTX_JSON_STRING_END_H
#define CTX_JSON_STRING_END_H

#include "base/base.h"
#include "base/vector.h"

/*
 * A search for the end of a JSON string.  When the search begins, p is the byte
 * after the opening quote, end is the end of the text, and the other members
 * are zero.  When the search ends, p is the closing quote, the end of the text,
 * or an invalid byte.  The search does not check whether the bytes are valid
 * UTF-8.
 */
struct string_end {
	const char *p, *end; /* p: current position; end: end of the text. */
	/* The first byte that is not ASCII, or NULL if none was found.  After
	 * the search it may be after p, outside of the string. */
	const char *high;
	/* An error text if the byte at p is invalid, otherwise NULL. */
	const char *wrong;
	bool escaped; /* true if the string has a backslash */
};

typedef void ctx_string_end_fn(struct string_end *search);

ctx_string_end_fn *ctx_string_end_select(enum ctx_simd simd);

/*
 * Finds the bytes of a 64-byte block that are escaped by a backslash before
 * them.  In the masks, bit i stands for byte i. backslash: mask of all
 * backslashes in the block.  Bit 0 of *carry is 1 if the block before ends with
 * a backslash that escapes the first byte of this block; *carry is updated for
 * the next block.  Returns the mask of the escaped bytes.
 *
 * Of several backslashes in a row, the first escapes the second, the third
 * escapes the fourth, and so on.  A row of backslashes is a row of 1 bits in
 * the mask.  Adding 1 at the first bit of a row carries to the bit after the
 * row; this is done for rows that begin at an odd bit.  Then all odd bits are
 * flipped.  In every row, the bits of the escaping backslashes are then 1.  The
 * bit after a row is 1 if the last backslash of the row escapes the byte after
 * the row.
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
