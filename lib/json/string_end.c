/*
 * string_end.c - find the end of a JSON string
 *
 * Strings are read in blocks of 64 bytes, as masks of one bit per byte.  The
 * loop over blocks is in string_end_blocks.h, which is compiled once for each
 * kind of vector.
 */
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "string_end.h"

#define BLOCK 64

/* Masks of a block: bit i is for byte i. */
struct string_block {
	uint64_t backslash;
	uint64_t stop;    /* quotes and control bytes */
	uint64_t high;    /* bytes beyond ASCII */
	uint64_t letter;  /* bytes that are valid after a backslash */
	uint64_t u;       /* bytes that are the letter u */
	uint64_t escaped; /* bytes that a backslash escapes */
	uint64_t carry;   /* bit 0: the block before escapes the first byte */
};

INLINE bool
is_hex(char c)
{
	unsigned digit = (unsigned char)c - '0';
	unsigned letter = ((unsigned char)c | 0x20u) - 'a';

	return (digit < 10) | (letter < 6);
}

/* Returns true if there are four hex digits at p.  If not, moves walk->p to the
 * first byte that is none. */
INLINE bool
has_hex4(struct string_end *walk, const char *p)
{
	size_t i;

	for (i = 0; i < 4 && p + i < walk->end && is_hex(p[i]); i++)
		;
	if (i == 4)
		return true;
	walk->p = p + i;
	if (walk->p < walk->end)
		walk->wrong = "invalid escape";
	return false;
}

/*
 * Removes escaped bytes from the stops of a block, and adds bytes that must not
 * be escaped.  Returns false if the walk is over.
 */
INLINE bool
resolve_escapes(struct string_end *walk, struct string_block *block)
{
	uint64_t reach, u;

	block->escaped = find_escaped(block->backslash, &block->carry);
	block->stop &= ~block->escaped;
	block->stop |= block->escaped & ~block->letter;
	reach = block->stop ^ (block->stop - 1); /* bits up to the first stop */
	walk->escaped |= (block->backslash & reach) != 0;
	for (u = block->escaped & block->u & reach; u != 0; u &= u - 1)
		if (!has_hex4(walk, walk->p + __builtin_ctzll(u) + 1))
			return false;
	return true;
}

/* Ends the walk at the first stop, and sets walk->wrong if that is an error. */
INLINE void
stop_walk(struct string_end *walk, const struct string_block *block)
{
	int stop = __builtin_ctzll(block->stop);

	walk->p += stop;
	if (walk->p == walk->end || *walk->p == '"')
		return;
	if ((block->escaped >> stop & 1) != 0)
		walk->wrong = "invalid escape";
	else if (*walk->p == '\n' || *walk->p == '\r')
		walk->wrong = "unterminated string";
	else
		walk->wrong = "control character in string, "
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
		return walk_avx512;
	case CTX_SIMD_AVX2:
		return walk_avx2;
	case CTX_SIMD_SSE2:
		return walk_sse2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return walk_neon;
#endif
	default:
		return walk_word;
	}
}
