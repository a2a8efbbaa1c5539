/* avx2.c - back end for AVX2: 64 bytes as two vectors */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

struct vec {
	__m256i a, b;
};

static inline void
vec_load(struct vec *v, const char *p)
{
	v->a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	v->b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
}

static inline struct vec
vec_fold(const struct vec *v)
{
	__m256i bit = _mm256_set1_epi8(0x20);

	return (struct vec){_mm256_or_si256(v->a, bit),
	    _mm256_or_si256(v->b, bit)};
}

static inline uint64_t
bits(__m256i a, __m256i b)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32 |
	    (uint32_t)_mm256_movemask_epi8(a);
}

static inline uint64_t
vec_equal(const struct vec *v, char c)
{
	__m256i all = _mm256_set1_epi8(c);

	return bits(_mm256_cmpeq_epi8(v->a, all),
	    _mm256_cmpeq_epi8(v->b, all));
}

/* AVX2 compares unsigned bytes only by their minimum. */
static inline uint64_t
vec_range(const struct vec *v, char first, int n)
{
	__m256i low = _mm256_set1_epi8(first);
	__m256i most = _mm256_set1_epi8((char)n);
	__m256i a = _mm256_sub_epi8(v->a, low);
	__m256i b = _mm256_sub_epi8(v->b, low);

	return bits(_mm256_cmpeq_epi8(_mm256_min_epu8(a, most), a),
	    _mm256_cmpeq_epi8(_mm256_min_epu8(b, most), b));
}

static inline uint64_t
vec_high(const struct vec *v)
{
	return bits(v->a, v->b);
}

#include "token/block.h"

void
ctx_split_avx2(struct ctx_split *split, struct ctx_scheme scheme,
    unsigned plain, const char *p, size_t n, size_t max)
{
	split_text(split, scheme, plain, p, n, max);
}

#include "token/avx.h"
#include "token/lines.h"

size_t
ctx_probe_avx2(const struct ctx_vocab *vocab, const char *p,
    const uint32_t *start, const uint32_t *end, size_t n,
    struct ctx_key *keys, uint32_t *missed)
{
	return probe_lines(vocab, p, start, end, n, keys, missed);
}

#include "token/lanes.h"

void
ctx_lanes_avx2(const struct ctx_vocab *vocab, struct ctx_lane *lanes,
    size_t n)
{
	merge_lanes(vocab, lanes, n);
}
#else
typedef int ctx_no_avx2; /* a file may not be empty */
#endif
