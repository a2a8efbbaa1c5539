/*
 * string_end.c - to the end of a JSON string
 *
 * By blocks of 64 bytes, as masks of one bit a byte.  The loop over blocks
 * stands once, in string_end_blocks.h, and is compiled for every kind of
 * vector.
 */
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "string_end.h"

#define BLOCK 64

/* Bit i speaks of byte i. */
struct string_block {
	uint64_t backslash;
	uint64_t stop;    /* quotes and control bytes */
	uint64_t high;    /* bytes beyond ASCII */
	uint64_t letter;  /* bytes that may follow a backslash, and */
	uint64_t u;       /* this one of them */
	uint64_t escaped; /* bytes that do follow one */
	uint64_t carry;   /* bit 0: the block before escapes the first byte */
};

INLINE bool
is_hex(char c)
{
	unsigned digit = (unsigned char)c - '0';
	unsigned letter = ((unsigned char)c | 0x20u) - 'a';

	return (digit < 10) | (letter < 6);
}

/* Are there four hex digits at p?  If not, the walk ends where one lacks. */
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
 * Takes what is escaped out of the stops of a block; what must not be
 * escaped becomes one.  Returns false if the walk is over.
 */
INLINE bool
resolve_escapes(struct string_end *walk, struct string_block *block)
{
	uint64_t reach, u;

	block->escaped = find_escaped(block->backslash, &block->carry);
	block->stop &= ~block->escaped;
	block->stop |= block->escaped & ~block->letter;
	reach = block->stop ^ (block->stop - 1); /* the first stop and before */
	walk->escaped |= (block->backslash & reach) != 0;
	for (u = block->escaped & block->u & reach; u != 0; u &= u - 1)
		if (!has_hex4(walk, walk->p + __builtin_ctzll(u) + 1))
			return false;
	return true;
}

/* The walk is over: goes to the stop and says what it is. */
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
