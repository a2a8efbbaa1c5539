/* crossing.h - looks up whether a token may contain two characters, the table
 * CROSSING of a packed vocabulary */
#ifndef CTX_TOKENIZER_VOCABULARY_CROSSING_H
#define CTX_TOKENIZER_VOCABULARY_CROSSING_H

#include "tokenizer/vocabulary/vocabulary.h"

/* binary logarithm of the number of bits for pairs of characters in the table
 * CROSSING */
#define CTX_CROSSING_BITS 19

/* Returns the index of a bit in the table CROSSING: the bit for the character a
 * directly before the character b.  Several pairs of characters may have the
 * same bit. */
static inline uint64_t
ctx_crossing_bit(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15u ^ b * 0xd6e8feb86659fd93u) >>
	    (64 - CTX_CROSSING_BITS);
}

/* Returns the index of a bit in the table CROSSING: the bit for the byte "last"
 * directly before the byte "first".  The bit is for tokens that contain only a
 * part of the character that ends with "last", or only a part of the character
 * that begins with "first".  If v->chars is true, there are no such tokens, and
 * the bit is for two ASCII characters. */
static inline uint64_t
ctx_crossing_bytes(unsigned char last, unsigned char first)
{
	return (UINT64_C(1) << CTX_CROSSING_BITS) + last * 256u + first;
}

/* Returns false if no reachable token contains the end of the character a and,
 * directly after it, the beginning of the character b.  May return true
 * although there is no such token, because several pairs of characters have the
 * same bit. last: last byte of a. first: first byte of b. */
static inline bool
ctx_vocab_crossing(const struct ctx_vocab *v, uint32_t a, uint32_t b,
    unsigned char last, unsigned char first)
{
	uint64_t chars = ctx_crossing_bit(a, b);
	uint64_t bytes = ctx_crossing_bytes(last, first);

	return ((v->crossing[chars / 64] >> chars % 64 |
		    v->crossing[bytes / 64] >> bytes % 64) &
		   1) != 0;
}

#endif
