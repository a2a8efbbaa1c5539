/*
 * avx.h - code for vectors of 32 bytes, shared by avx2.c and avx512.c
 *
 * A mask has 64 bits, one for each of 64 bytes, and is made from two vectors of
 * 32 bytes.  AVX-512 could use one vector of 64 bytes, but on a Zen 5 processor
 * this was slower, because the mask must then be moved from a mask register to
 * an ordinary register.
 */
#ifndef CTX_TOKENIZER_SIMD_AVX_H
#define CTX_TOKENIZER_SIMD_AVX_H

#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/unicode.h"

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

	return (
	    struct vec){_mm256_or_si256(v->a, bit), _mm256_or_si256(v->b, bit)};
}

/* Returns a mask of the highest bits of 64 bytes: first those of vector a, then
 * those of vector b. */
static inline uint64_t
mask_bits(__m256i a, __m256i b)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32 |
	    (uint32_t)_mm256_movemask_epi8(a);
}

static inline uint64_t
vec_equal(const struct vec *v, char c)
{
	__m256i all = _mm256_set1_epi8(c);

	return mask_bits(_mm256_cmpeq_epi8(v->a, all),
	    _mm256_cmpeq_epi8(v->b, all));
}

/* AVX2 has no instruction that compares unsigned bytes, but it can compute
 * their minimum: x is at most n if the minimum of x and n is x. */
static inline uint64_t
vec_range(const struct vec *v, char first, int n)
{
	__m256i low = _mm256_set1_epi8(first);
	__m256i most = _mm256_set1_epi8((char)n);
	__m256i a = _mm256_sub_epi8(v->a, low);
	__m256i b = _mm256_sub_epi8(v->b, low);

	return mask_bits(_mm256_cmpeq_epi8(_mm256_min_epu8(a, most), a),
	    _mm256_cmpeq_epi8(_mm256_min_epu8(b, most), b));
}

static inline uint64_t
vec_high(const struct vec *v)
{
	return mask_bits(v->a, v->b);
}

#define CTX_VEC_CLASSES
static inline uint64_t
vec_bit(const struct vec *v, int k)
{
	return mask_bits(_mm256_slli_epi16(v->a, 7 - k),
	    _mm256_slli_epi16(v->b, 7 - k));
}

struct vec_index {
	__m256i a, b;
};

/* Computes for each byte of v an index into the table of vec_classes: the low
 * six bits of the byte, and above them the lowest bit of the byte before.
 * before: for each byte of v, the byte before it. */
static inline __m256i
index_of(__m256i v, __m256i before)
{
	return _mm256_or_si256(_mm256_and_si256(v, _mm256_set1_epi8(0x3f)),
	    _mm256_and_si256(_mm256_slli_epi16(before, 6),
		_mm256_set1_epi8(0x40)));
}

static inline struct vec_index
vec_index(const struct vec *v)
{
	__m256i a = _mm256_permute2x128_si256(v->a, v->a, 0x08);
	__m256i b = _mm256_permute2x128_si256(v->a, v->b, 0x21);

	return (
	    struct vec_index){index_of(v->a, _mm256_alignr_epi8(v->a, a, 15)),
	    index_of(v->b, _mm256_alignr_epi8(v->b, b, 15))};
}

#ifndef CTX_VEC_LOOK_UP
/* Looks up each byte of index in a table of 32 bytes.  (look_up does this for a
 * table of 128 bytes.)  The shuffle instruction selects one of 16 bytes by the
 * lowest four bits of the index.  Each further bit of the index is shifted to
 * the highest bit of its byte, where the blend instruction reads it to choose
 * between two results. */
static inline __m256i
look_up32(const __m128i *table, __m256i index)
{
	__m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128(table));
	__m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128(table + 1));

	return _mm256_blendv_epi8(_mm256_shuffle_epi8(low, index),
	    _mm256_shuffle_epi8(high, index), _mm256_slli_epi16(index, 3));
}

static inline __m256i
look_up(const __m128i *table, __m256i index)
{
	__m256i bit = _mm256_slli_epi16(index, 2);
	__m256i low = _mm256_blendv_epi8(look_up32(table, index),
	    look_up32(table + 2, index), bit);
	__m256i high = _mm256_blendv_epi8(look_up32(table + 4, index),
	    look_up32(table + 6, index), bit);

	return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(index, 1));
}

static inline struct ctx_class_bits
vec_classes(const struct vec_index *index, const uint8_t *table)
{
	const __m128i *from = (const __m128i *)(const void *)table;
	struct vec v = {look_up(from, index->a), look_up(from, index->b)};

	return (struct ctx_class_bits){vec_bit(&v, 0), vec_bit(&v, 1),
	    vec_bit(&v, 2)};
}
#endif

#define CTX_VEC_LONGS
static inline unsigned
vec_longs(const uint32_t *start, const uint32_t *end)
{
	__m256i longer = _mm256_cmpgt_epi32(
	    _mm256_sub_epi32(_mm256_loadu_si256(
				 (const __m256i *)(const void *)end),
		_mm256_loadu_si256((const __m256i *)(const void *)start)),
	    _mm256_set1_epi32(CTX_PRETOKEN_CACHE_KEY));

	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(longer));
}

struct sum {
	__m256i four;
};

static inline void
line_adds(struct sum *sum, const uint64_t *line, const struct ctx_key *key)
{
	const __m256i *half = (const __m256i *)(const void *)line;
	__m256i tokens =
	    _mm256_set1_epi64x((long long)CTX_PRETOKEN_CACHE_TOKENS);
	__m256i found = _mm256_set1_epi64x((long long)CTX_PRETOKEN_CACHE_FOUND);
	__m256i high = _mm256_loadu_si256(half + 1);
	__m256i equal =
	    _mm256_and_si256(_mm256_cmpeq_epi64(_mm256_loadu_si256(half),
				 _mm256_set1_epi64x((long long)key->lo)),
		_mm256_cmpeq_epi64(_mm256_or_si256(high, tokens),
		    _mm256_set1_epi64x((long long)key->hi)));

	high =
	    _mm256_or_si256(_mm256_srli_epi64(high, CTX_PRETOKEN_CACHE_SHIFT),
		found);
	sum->four = _mm256_add_epi64(sum->four, _mm256_and_si256(high, equal));
}

static inline uint64_t
sum_total(const struct sum *sum)
{
	__m128i two = _mm_add_epi64(_mm256_castsi256_si128(sum->four),
	    _mm256_extracti128_si256(sum->four, 1));

	return (uint64_t)_mm_cvtsi128_si64(two) +
	    (uint64_t)_mm_extract_epi64(two, 1);
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
find_least(const uint32_t *list, uint32_t n)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)list);
	__m256i b =
	    _mm256_loadu_si256((const __m256i *)(const void *)(list + 8));
	__m128i four;
	uint32_t i;

	for (i = 16; i < n; i += 16) {
		a = _mm256_min_epu32(a,
		    _mm256_loadu_si256(
			(const __m256i *)(const void *)(list + i)));
		b = _mm256_min_epu32(b,
		    _mm256_loadu_si256(
			(const __m256i *)(const void *)(list + i + 8)));
	}
	a = _mm256_min_epu32(a, b);
	four = _mm_min_epu32(_mm256_castsi256_si128(a),
	    _mm256_extracti128_si256(a, 1));
	four = _mm_min_epu32(four, _mm_unpackhi_epi64(four, four));
	four = _mm_min_epu32(four, _mm_shuffle_epi32(four, 1));
	return (uint32_t)_mm_cvtsi128_si32(four);
}

#endif
