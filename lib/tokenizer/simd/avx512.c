/* avx512.c - splits text, and looks up and merges pretokens (pieces of text
 * that are encoded by themselves), with AVX-512 instructions (BW, DQ, VL, VBMI,
 * VBMI2) */
#if defined(__x86_64__) || defined(CTX_EMULATE_AVX512)
#if defined(CTX_EMULATE_AVX512)
#include CTX_EMULATE_AVX512
#else
#include <immintrin.h>
#endif

#define CTX_VEC_PAIR
#define CTX_VEC_EMIT
#define CTX_VEC_HASH
#define CTX_VEC_LOOK_UP
#include "tokenizer/simd/avx.h"

/* An AVX-512 instruction can look up bytes in a table of 128 bytes, so the
 * steps of look_up in avx.h are not needed. */
static inline struct ctx_class_bits
vec_classes(const struct vec_index *index, const uint8_t *table)
{
	__m512i all =
	    _mm512_inserti64x4(_mm512_castsi256_si512(index->a), index->b, 1);
	__m512i found =
	    _mm512_permutex2var_epi8(_mm512_loadu_si512((const void *)table),
		all, _mm512_loadu_si512((const void *)(table + 64)));

	return (struct ctx_class_bits){_mm512_test_epi8_mask(found,
					   _mm512_set1_epi8(1)),
	    _mm512_test_epi8_mask(found, _mm512_set1_epi8(2)),
	    _mm512_test_epi8_mask(found, _mm512_set1_epi8(4))};
}

/* Writes base plus the position of each bit that is set to out.  One
 * instruction selects these positions from the numbers 0 to 63; sixteen
 * positions are written at a time. */
static inline void
vec_emit(uint32_t *out, uint32_t base, uint64_t bits)
{
	static const unsigned char numbers[64] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
	    10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
	    27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
	    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
	    61, 62, 63};
	int n = __builtin_popcountll(bits);
	__m512i set = _mm512_maskz_compress_epi8(bits,
	    _mm512_loadu_si512((const void *)numbers));
	__m512i all = _mm512_set1_epi32((int)base);

#define PART(k)                                       \
	_mm512_storeu_si512((void *)(out + 16 * (k)), \
	    _mm512_add_epi32(all,                     \
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

/* Returns the value of the pair of tokens with this tag in a line of the hash
 * table, or 0 if the line does not contain the tag.  The compress instruction
 * moves the value to the beginning of the vector. */
static inline uint32_t
pair_in(const uint32_t *entry, uint32_t tag)
{
	const __m256i *half = (const __m256i *)(const void *)entry;
	__m256i one = _mm256_maskz_compress_epi32(
	    _mm256_cmpeq_epi32_mask(_mm256_loadu_si256(half),
		_mm256_set1_epi32((int)tag)),
	    _mm256_loadu_si256(half + 1));

	return (uint32_t)_mm256_cvtsi256_si32(one);
}

/* Hashes eight keys at once.  A key consists of two words of 64 bits.  First,
 * the first words of all keys are moved to one vector, and the second words to
 * another. */
static inline void
vec_hash(uint32_t *out, const struct ctx_key *keys, unsigned shift)
{
	const __m512i low = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
	const __m512i high = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
	__m512i a = _mm512_loadu_si512((const void *)keys);
	__m512i b = _mm512_loadu_si512((const void *)(keys + 4));
	__m512i lo = _mm512_permutex2var_epi64(a, low, b);
	__m512i hi = _mm512_permutex2var_epi64(a, high, b);
	__m512i hash = _mm512_xor_si512(lo, _mm512_rol_epi64(hi, CTX_KEY_TURN));

	hash = _mm512_mullo_epi64(hash,
	    _mm512_set1_epi64((long long)CTX_KEY_SPREAD));
	hash = _mm512_srl_epi64(hash, _mm_cvtsi32_si128((int)shift));
	_mm256_storeu_si256((__m256i *)(void *)out,
	    _mm512_cvtepi64_epi32(hash));
}

#include "tokenizer/simd/pretokenize_block.h"
#include "tokenizer/simd/pretoken_batch.h"
#include "tokenizer/simd/bpe_interleaved.h"

const struct ctx_backend ctx_backend_avx512 = {split_text, look_up_pretokens,
    merge_pretokens};
#else
/* ISO C forbids a source file without any declaration. */
typedef int ctx_no_avx512;
#endif
