/* avx512_emulated.h - AVX-512 emulated by SIMDe, and replacements for functions
 * that SIMDe 0.7 does not have or has wrong */
#ifndef AVX512_EMULATED_H
#define AVX512_EMULATED_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <stdint.h>

#undef _mm512_maskz_compress_epi8
#define _mm512_maskz_compress_epi8 emulated_compress
static inline simde__m512i
emulated_compress(uint64_t bits, simde__m512i v)
{
	uint8_t in[64], out[64] = {0};
	unsigned i, n = 0;

	simde_mm512_storeu_si512(in, v);
	for (i = 0; i < 64; i++)
		if ((bits >> i & 1) != 0)
			out[n++] = in[i];
	return simde_mm512_loadu_si512(out);
}

#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32 emulated_widen
static inline simde__m512i
emulated_widen(simde__m128i v)
{
	uint8_t in[16];
	uint32_t out[16];
	unsigned i;

	simde_mm_storeu_si128(in, v);
	for (i = 0; i < 16; i++)
		out[i] = in[i];
	return simde_mm512_loadu_si512(out);
}

#undef _mm256_cmpeq_epi32_mask
#define _mm256_cmpeq_epi32_mask emulated_equal
static inline uint8_t
emulated_equal(simde__m256i a, simde__m256i b)
{
	return (uint8_t)simde_mm256_movemask_ps(
	    simde_mm256_castsi256_ps(simde_mm256_cmpeq_epi32(a, b)));
}

#undef _mm256_testz_si256
#define _mm256_testz_si256 emulated_testz
static inline int
emulated_testz(simde__m256i a, simde__m256i b)
{
	uint64_t both[4];

	simde_mm256_storeu_si256((simde__m256i *)both,
	    simde_mm256_and_si256(a, b));
	return (both[0] | both[1] | both[2] | both[3]) == 0;
}

#endif
