/* neon.c - splits text, and looks up and merges pretokens (pieces of text that
 * are encoded by themselves), with NEON instructions; 64 bytes are four
 * vectors */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

#include "tokenizer/unicode.h"

struct vec {
	uint8x16_t part[4];
};

static inline void
vec_load(struct vec *v, const char *p)
{
	int i;

	for (i = 0; i < 4; i++)
		v->part[i] = vld1q_u8((const uint8_t *)p + 16 * i);
}

static inline struct vec
vec_fold(const struct vec *v)
{
	struct vec folded;
	int i;

	for (i = 0; i < 4; i++)
		folded.part[i] = vorrq_u8(v->part[i], vdupq_n_u8(0x20));
	return folded;
}

/* Makes a mask of 64 bits from 64 bytes, in each of which all bits are set or
 * none.  In each of eight consecutive bytes, one bit is kept: in the first byte
 * bit 0, in the next byte bit 1, and so on.  Three additions of neighbouring
 * bytes then combine eight of these bits to one byte. */
static inline uint64_t
gather_bits(const uint8x16_t yes[4])
{
	static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4,
	    8, 16, 32, 64, 128};
	uint8x16_t place = vld1q_u8(places);
	uint8x16_t low =
	    vpaddq_u8(vandq_u8(yes[0], place), vandq_u8(yes[1], place));
	uint8x16_t high =
	    vpaddq_u8(vandq_u8(yes[2], place), vandq_u8(yes[3], place));

	low = vpaddq_u8(low, high);
	low = vpaddq_u8(low, low);
	return vgetq_lane_u64(vreinterpretq_u64_u8(low), 0);
}

static inline uint64_t
vec_equal(const struct vec *v, char c)
{
	uint8x16_t yes[4];
	int i;

	for (i = 0; i < 4; i++)
		yes[i] = vceqq_u8(v->part[i], vdupq_n_u8((uint8_t)c));
	return gather_bits(yes);
}

static inline uint64_t
vec_range(const struct vec *v, char first, int n)
{
	uint8x16_t yes[4];
	int i;

	for (i = 0; i < 4; i++)
		yes[i] =
		    vcleq_u8(vsubq_u8(v->part[i], vdupq_n_u8((uint8_t)first)),
			vdupq_n_u8((uint8_t)n));
	return gather_bits(yes);
}

static inline uint64_t
vec_high(const struct vec *v)
{
	uint8x16_t yes[4];
	int i;

	for (i = 0; i < 4; i++)
		yes[i] = vcgeq_u8(v->part[i], vdupq_n_u8(0x80));
	return gather_bits(yes);
}

#define CTX_VEC_CLASSES
struct vec_index {
	uint8x16_t part[4];
};

static inline uint64_t
vec_bit(const struct vec *v, int k)
{
	uint8x16_t yes[4];
	int i;

	for (i = 0; i < 4; i++)
		yes[i] = vtstq_u8(v->part[i], vdupq_n_u8((uint8_t)(1 << k)));
	return gather_bits(yes);
}

/* Computes for each byte an index into a table: the low six bits of the byte
 * and, above them, the lowest bit of the byte before. */
static inline struct vec_index
vec_index(const struct vec *v)
{
	uint8x16_t before = vdupq_n_u8(0);
	struct vec_index index;
	int i;

	for (i = 0; i < 4; i++) {
		index.part[i] =
		    vandq_u8(vsliq_n_u8(v->part[i],
				 vextq_u8(before, v->part[i], 15), 6),
			vdupq_n_u8(0x7f));
		before = v->part[i];
	}
	return index;
}

/* The first instruction (vqtbl4q) looks up the indices below 64; the second
 * (vqtbx4q) looks up the other indices, and keeps the results of the first
 * instruction. */
static inline struct ctx_class_bits
vec_classes(const struct vec_index *index, const uint8_t *table)
{
	uint8x16x4_t low = vld1q_u8_x4(table), high = vld1q_u8_x4(table + 64);
	struct vec found;
	int i;

	for (i = 0; i < 4; i++)
		found.part[i] = vqtbx4q_u8(vqtbl4q_u8(low, index->part[i]),
		    high, vsubq_u8(index->part[i], vdupq_n_u8(64)));
	return (struct ctx_class_bits){vec_bit(&found, 0), vec_bit(&found, 1),
	    vec_bit(&found, 2)};
}

#include "tokenizer/simd/pretokenize_block.h"

#include "tokenizer/encode/pretoken_cache.h"

struct sum {
	uint64x2_t two;
};

static inline void
line_adds(struct sum *sum, const uint64_t *line, const struct ctx_key *key)
{
	uint64x2_t tokens = vdupq_n_u64(CTX_PRETOKEN_CACHE_TOKENS);
	uint64x2_t found = vdupq_n_u64(CTX_PRETOKEN_CACHE_FOUND);
	uint64x2_t lo = vdupq_n_u64(key->lo), hi = vdupq_n_u64(key->hi);
	uint64x2_t a = vld1q_u64(line + 4), b = vld1q_u64(line + 6);
	uint64x2_t in_a = vandq_u64(vceqq_u64(vld1q_u64(line), lo),
	    vceqq_u64(vorrq_u64(a, tokens), hi));
	uint64x2_t in_b = vandq_u64(vceqq_u64(vld1q_u64(line + 2), lo),
	    vceqq_u64(vorrq_u64(b, tokens), hi));

	a = vorrq_u64(vshrq_n_u64(a, CTX_PRETOKEN_CACHE_SHIFT), found);
	b = vorrq_u64(vshrq_n_u64(b, CTX_PRETOKEN_CACHE_SHIFT), found);
	sum->two = vaddq_u64(sum->two,
	    vaddq_u64(vandq_u64(a, in_a), vandq_u64(b, in_b)));
}

static inline uint64_t
sum_total(const struct sum *sum)
{
	return vgetq_lane_u64(sum->two, 0) + vgetq_lane_u64(sum->two, 1);
}

static inline uint32_t
pair_in(const uint32_t *entry, uint32_t tag)
{
	uint32x4_t all = vdupq_n_u32(tag);
	uint32x4_t a =
	    vandq_u32(vceqq_u32(vld1q_u32(entry), all), vld1q_u32(entry + 8));
	uint32x4_t b = vandq_u32(vceqq_u32(vld1q_u32(entry + 4), all),
	    vld1q_u32(entry + 12));

	return vmaxvq_u32(vorrq_u32(a, b));
}

static inline uint32_t
find_least(const uint32_t *list, uint32_t n)
{
	uint32x4_t a = vld1q_u32(list), b = vld1q_u32(list + 4);
	uint32x4_t c = vld1q_u32(list + 8), d = vld1q_u32(list + 12);
	uint32_t i;

	for (i = 16; i < n; i += 16) {
		a = vminq_u32(a, vld1q_u32(list + i));
		b = vminq_u32(b, vld1q_u32(list + i + 4));
		c = vminq_u32(c, vld1q_u32(list + i + 8));
		d = vminq_u32(d, vld1q_u32(list + i + 12));
	}
	return vminvq_u32(vminq_u32(vminq_u32(a, b), vminq_u32(c, d)));
}

#include "tokenizer/simd/pretoken_batch.h"
#include "tokenizer/simd/bpe_interleaved.h"

const struct ctx_backend ctx_backend_neon = {split_text, look_up_pretokens,
    merge_pretokens};
#else
/* ISO C forbids a source file without any declaration. */
typedef int ctx_no_neon;
#endif
