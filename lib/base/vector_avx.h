/* vector_avx.h - the operations of vector.h with AVX2 and AVX-512 */
#ifndef CTX_BASE_VECTOR_AVX_H
#define CTX_BASE_VECTOR_AVX_H

#include "base/vector.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

INLINE AVX2 __m256i
load_avx2(const char *p)
{
	return _mm256_loadu_si256((const void *)p);
}

INLINE AVX2 __m256i
equal_avx2(__m256i v, char c)
{
	return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}

INLINE AVX2 __m256i
stops_avx2(__m256i v)
{
	v = _mm256_xor_si256(v, _mm256_set1_epi8(2));
	return _mm256_cmpeq_epi8(v, _mm256_min_epu8(v, _mm256_set1_epi8(' ')));
}

/* Subtracts c from every byte of a vector.  Results below 0 become 0. */
INLINE AVX2 __m256i
less_avx2(__m256i v, unsigned char c)
{
	return _mm256_subs_epu8(v, _mm256_set1_epi8((char)c));
}

INLINE AVX2 __m256i
keep_avx2(__m256i v, unsigned char bits)
{
	return _mm256_and_si256(v, _mm256_set1_epi8((char)bits));
}

/* Returns the high four bits of every byte of a vector, each as a number from 0
 * to 15. */
INLINE AVX2 __m256i
half_avx2(__m256i v)
{
	return keep_avx2(_mm256_srli_epi16(v, 4), 0x0f);
}

/* Looks up every byte of v in a table of 16 bytes.  The bytes of v are indices,
 * and must be below 16. */
INLINE AVX2 __m256i
lookup_avx2(const uint8_t table[16], __m256i v)
{
	const __m128i entries = _mm_loadu_si128((const void *)table);

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), v);
}

INLINE AVX2 __m256i
high_avx2(__m256i v)
{
	return v;
}

INLINE AVX2 uint64_t
bits_avx2(__m256i v)
{
	return (uint32_t)_mm256_movemask_epi8(v);
}

INLINE AVX2 bool
any_avx2(__m256i v)
{
	return !_mm256_testz_si256(v, v);
}

/* Compares each byte of a vector with 0: true for bytes that are not 0.  All
 * bytes must be below 128. */
INLINE AVX2 __m256i
some_avx2(__m256i v)
{
	return _mm256_cmpgt_epi8(v, _mm256_setzero_si256());
}

#define AVX512 __attribute__((target("avx512bw,bmi,bmi2")))

INLINE AVX512 __m512i
load_avx512(const char *p)
{
	return _mm512_loadu_si512((const void *)p);
}

INLINE AVX512 uint64_t
equal_avx512(__m512i v, char c)
{
	return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(c));
}

INLINE AVX512 uint64_t
stops_avx512(__m512i v)
{
	v = _mm512_xor_si512(v, _mm512_set1_epi8(2));
	return _mm512_cmple_epu8_mask(v, _mm512_set1_epi8(' '));
}

INLINE AVX512 uint64_t
high_avx512(__m512i v)
{
	return _mm512_movepi8_mask(v);
}

INLINE AVX512 __m512i
less_avx512(__m512i v, unsigned char c)
{
	return _mm512_subs_epu8(v, _mm512_set1_epi8((char)c));
}

INLINE AVX512 __m512i
keep_avx512(__m512i v, unsigned char bits)
{
	return _mm512_and_si512(v, _mm512_set1_epi8((char)bits));
}

INLINE AVX512 __m512i
half_avx512(__m512i v)
{
	return keep_avx512(_mm512_srli_epi16(v, 4), 0x0f);
}

INLINE AVX512 __m512i
lookup_avx512(const uint8_t table[16], __m512i v)
{
	const __m128i entries = _mm_loadu_si128((const void *)table);

	return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), v);
}

INLINE AVX512 bool
any_avx512(__m512i v)
{
	return _mm512_test_epi8_mask(v, v) != 0;
}

INLINE AVX512 uint64_t
bits_avx512(uint64_t found)
{
	return found;
}

INLINE AVX512 uint64_t
some_avx512(__m512i v)
{
	return _mm512_test_epi8_mask(v, v);
}
#endif

#endif
