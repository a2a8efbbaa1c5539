/* avx.h - lines of tables as vectors of 32 bytes, for avx2.c and avx512.c */
#ifndef CTX_TOKEN_AVX_H
#define CTX_TOKEN_AVX_H

#include "token/vocab.h"

static inline bool
line_has(const uint64_t *line, const struct ctx_key *key)
{
	const __m256i *half = (const __m256i *)(const void *)line;
	__m256i lo = _mm256_cmpeq_epi64(_mm256_loadu_si256(half),
	    _mm256_set1_epi64x((long long)key->lo));
	__m256i hi = _mm256_cmpeq_epi64(_mm256_loadu_si256(half + 1),
	    _mm256_set1_epi64x((long long)key->hi));

	return !_mm256_testz_si256(lo, hi);
}

#ifndef CTX_VEC_PAIR
static inline uint32_t
pair_in(const uint32_t *entry, uint32_t tag)
{
	const __m256i *half = (const __m256i *)(const void *)entry;
	__m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256(half),
	    _mm256_set1_epi32((int)tag));
	__m256i one = _mm256_and_si256(equal, _mm256_loadu_si256(half + 1));
	__m128i four = _mm_or_si128(_mm256_castsi256_si128(one),
	    _mm256_extracti128_si256(one, 1));

	four = _mm_or_si128(four, _mm_unpackhi_epi64(four, four));
	return (uint32_t)_mm_cvtsi128_si32(four) |
	    (uint32_t)_mm_extract_epi32(four, 1);
}
#endif

static inline uint32_t
least16(const uint32_t *list)
{
	const __m256i *half = (const __m256i *)(const void *)list;
	__m256i eight = _mm256_min_epu32(_mm256_loadu_si256(half),
	    _mm256_loadu_si256(half + 1));
	__m128i four = _mm_min_epu32(_mm256_castsi256_si128(eight),
	    _mm256_extracti128_si256(eight, 1));

	four = _mm_min_epu32(four, _mm_unpackhi_epi64(four, four));
	four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 1));
	return (uint32_t)_mm_cvtsi128_si32(four);
}

#endif
