/* walk.h - to the end of a JSON string */
#ifndef CTX_JSON_WALK_H
#define CTX_JSON_WALK_H

#include "base/vector.h"
#include "ctx.h"

/*
 * Begins with p behind the opening quote and the rest zero; ends with p at
 * the closing quote, at the end of the text, or at the byte that is wrong.
 * UTF-8 is not looked at.
 */
struct walk {
	const char *p, *end; /* the place reached; the end of the text */
	const char *high;    /* the first byte beyond ASCII, or NULL */
	const char *wrong;   /* what is wrong at p, or NULL */
	bool escaped;        /* there was a backslash */
};

typedef void ctx_walk(struct walk *walk);

ctx_walk *ctx_walk_pick(enum ctx_simd simd);

/*
 * Of 64 bytes with backslashes those behind an odd number of them; those
 * within a run are left out, as a backslash may follow one in any case.  Bit
 * 0 of carry: the block before escapes the first byte; it is set for the
 * block behind.  Adding its first bit to a run leaves one bit, behind it:
 * runs that begin and end at places of one parity are of even length and
 * escape nothing.
 */
INLINE uint64_t
find_escaped(uint64_t backslash, uint64_t *carry)
{
	const uint64_t even = UINT64_C(0x5555555555555555);
	uint64_t first = *carry, run = backslash & ~first;
	uint64_t start = run & ~(run << 1);
	uint64_t behind_even = run + (start & even);
	uint64_t behind_odd = run + (start & ~even);

	*carry = behind_odd < run; /* it ends behind the block */
	return first | (behind_even & ~run & ~even) |
	    (behind_odd & ~run & even);
}

#endif
