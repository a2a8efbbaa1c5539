/*
 * string_end.c - finds the end of a JSON string
 *
 * Strings are read in blocks of 64 bytes, as bit masks with one bit per byte.
 * The code that searches the blocks is in string_end_blocks.h, which is
 * compiled once for each kind of SIMD vector.
 */
#include <string.h>

#include "base/base.h"
#include "base/vector_avx.h"
#include "string_end.h"

#define BLOCK 64

/* Bit masks that describe a block of 64 bytes: bit i belongs to byte i. */
struct string_block {
	uint64_t backslash;
	/* Before the call of resolve_escapes: quotes and control bytes.  After
	 * this call: the bytes that end the search. */
	uint64_t stop;
	uint64_t high;    /* bytes that are not ASCII */
	uint64_t letter;  /* bytes that are valid after a backslash */
	uint64_t u;       /* bytes that are the letter u */
	uint64_t escaped; /* bytes that a backslash escapes */
	/* Bit 0 is set if the block before ends with a backslash that escapes
	 * the first byte of this block. */
	uint64_t carry;
};

INLINE bool
is_hex(char c)
{
	unsigned digit = (unsigned char)c - '0';
	unsigned letter = ((unsigned char)c | 0x20u) - 'a';

	return (digit < 10) | (letter < 6);
}

/* Returns true if there are four hex digits at p.  Otherwise sets search->p to
 * the first byte that is not a hex digit. */
INLINE bool
has_hex4(struct string_end *search, const char *p)
{
	size_t i;

	for (i = 0; i < 4 && p + i < search->end && is_hex(p[i]); i++)
		;
	if (i == 4)
		return true;
	search->p = p + i;
	if (search->p < search->end)
		search->wrong = "invalid escape";
	return false;
}

/*
 * Corrects block->stop, the mask of the bytes that end the search: removes
 * escaped quotes, and adds bytes that must not follow a backslash.  Returns
 * false if an invalid \u escape, or the end of the text inside one, ends the
 * search.
 */
INLINE bool
resolve_escapes(struct string_end *search, struct string_block *block)
{
	uint64_t reach;

	block->escaped = find_escaped(block->backslash, &block->carry);
	block->stop &= ~block->escaped;
	block->stop |= block->escaped & ~block->letter;
	/* the bits up to and including the lowest 1 bit of stop */
	reach = block->stop ^ (block->stop - 1);
	search->escaped |= (block->backslash & reach) != 0;
	for (uint64_t u = block->escaped & block->u & reach; u != 0; u &= u - 1)
		if (!has_hex4(search, search->p + __builtin_ctzll(u) + 1))
			return false;
	return true;
}

/* Ends the search at the first byte of the block that cannot be inside the
 * string.  If this byte is neither the closing quote nor the end of the text,
 * sets search->wrong to an error text. */
INLINE void
stop_search(struct string_end *search, const struct string_block *block)
{
	int stop = __builtin_ctzll(block->stop);

	search->p += stop;
	if (search->p == search->end || *search->p == '"')
		return;
	if ((block->escaped >> stop & 1) != 0)
		search->wrong = "invalid escape";
	else if (*search->p == '\n' || *search->p == '\r')
		search->wrong = "unterminated string";
	else
		search->wrong = "control character in string, "
				"escape it as \\u0000-\\u001f";
}

#define KIND(name) name##_word
#define VECTOR     uint64_t
#define MASK       uint64_t
#define TARGET
#include "string_end_blocks.h"

#if defined(__x86_64__)
#define KIND(name) name##_avx512
#define VECTOR     __m512i
#define MASK       uint64_t
#define TARGET     AVX512
#define LOOKUP
#include "string_end_blocks.h"

#define KIND(name) name##_avx2
#define VECTOR     __m256i
#define MASK       __m256i
#define TARGET     AVX2
#define LOOKUP
#include "string_end_blocks.h"

#define KIND(name) name##_sse2
#define VECTOR     __m128i
#define MASK       __m128i
#define TARGET
#include "string_end_blocks.h"

#elif defined(__aarch64__)
#define KIND(name) name##_neon
#define VECTOR     uint8x16_t
#define MASK       uint8x16_t
#define TARGET
#define LOOKUP
#include "string_end_blocks.h"
#endif

ctx_string_end_fn *
ctx_string_end_select(enum ctx_simd simd)
{
	switch (ctx_simd_resolve(simd)) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return search_avx512;
	case CTX_SIMD_AVX2:
		return search_avx2;
	case CTX_SIMD_SSE2:
		return search_sse2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return search_neon;
#endif
	default:
		return search_word;
	}
}
