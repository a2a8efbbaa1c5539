/* avx512.c - back end for AVX-512 (BW, VL, VBMI2): 64 bytes as one vector */
#if defined(__x86_64__) || defined(CTX_EMULATE_AVX512)
#if defined(CTX_EMULATE_AVX512)
#include CTX_EMULATE_AVX512
#else
#include <immintrin.h>
#endif
#include <stdint.h>

struct vec {
	__m512i a;
};

static inline void
vec_load(struct vec *v, const char *p)
{
	v->a = _mm512_loadu_si512((const void *)p);
}

static inline struct vec
vec_fold(const struct vec *v)
{
	return (struct vec){_mm512_or_si512(v->a, _mm512_set1_epi8(0x20))};
}

static inline uint64_t
vec_equal(const struct vec *v, char c)
{
	return _mm512_cmpeq_epi8_mask(v->a, _mm512_set1_epi8(c));
}

static inline uint64_t
vec_range(const struct vec *v, char first, int n)
{
	return _mm512_cmple_epu8_mask(
	    _mm512_sub_epi8(v->a, _mm512_set1_epi8(first)),
	    _mm512_set1_epi8((char)n));
}

static inline uint64_t
vec_high(const struct vec *v)
{
	return _mm512_movepi8_mask(v->a);
}

/* The numbers of the bits, pressed together, sixteen at a time. */
#define CTX_VEC_EMIT
static inline void
vec_emit(uint32_t *out, uint32_t base, uint64_t bits)
{
	static const unsigned char numbers[64] = {0, 1, 2, 3, 4, 5, 6, 7, 8,
	    9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	    25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
	    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56,
	    57, 58, 59, 60, 61, 62, 63};
	int n = __builtin_popcountll(bits);
	__m512i set = _mm512_maskz_compress_epi8(bits,
	    _mm512_loadu_si512((const void *)numbers));
	__m512i all = _mm512_set1_epi32((int)base);

#define PART(k)                                                              \
	_mm512_storeu_si512((void *)(out + 16 * (k)),                         \
	    _mm512_add_epi32(all,                                             \
	    _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(set, k))))
	PART(0);
	if (n > 16) {
		PART(1);
		if (n > 32) {
			PART(2);
			PART(3);
		}
	}
#undef PART
}

#include "token/block.h"

void
ctx_split_avx512(struct ctx_split *split, struct ctx_scheme scheme,
    const char *p, size_t n, size_t max)
{
	split_text(split, scheme, p, n, max);
}

#include "token/vocab.h"

static inline unsigned
line_has(const uint64_t *line, const struct ctx_key *key)
{
	__m512i all = _mm512_broadcast_i32x4(
	    _mm_loadu_si128((const __m128i *)(const void *)key));
	unsigned equal = (unsigned)_mm512_cmpeq_epi64_mask(
	    _mm512_loadu_si512((const void *)line), all);

	return (equal & equal >> 1 & 0x55) != 0;
}

#include "token/lines.h"

size_t
ctx_probe_avx512(const struct ctx_vocab *vocab, const char *p, uint32_t start,
    const uint32_t *end, size_t n,
    struct ctx_key *keys, uint32_t *missed)
{
	return probe_lines(vocab, p, start, end, n, keys, missed);
}
#else
typedef int ctx_no_avx512; /* a file may not be empty */
#endif
