/* neon.c - back end for NEON: 64 bytes as four vectors */
#if defined(__aarch64__)
#include <arm_neon.h>
#include <stdint.h>

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

/* One bit for each byte that is all ones: each keeps a bit of its own, and
 * neighbours are added three times. */
static inline uint64_t
gather(const uint8x16_t yes[4])
{
	static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2,
	    4, 8, 16, 32, 64, 128};
	uint8x16_t place = vld1q_u8(places);
	uint8x16_t low = vpaddq_u8(vandq_u8(yes[0], place),
	    vandq_u8(yes[1], place));
	uint8x16_t high = vpaddq_u8(vandq_u8(yes[2], place),
	    vandq_u8(yes[3], place));

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
	return gather(yes);
}

static inline uint64_t
vec_range(const struct vec *v, char first, int n)
{
	uint8x16_t yes[4];
	int i;

	for (i = 0; i < 4; i++)
		yes[i] = vcleq_u8(
		    vsubq_u8(v->part[i], vdupq_n_u8((uint8_t)first)),
		    vdupq_n_u8((uint8_t)n));
	return gather(yes);
}

static inline uint64_t
vec_high(const struct vec *v)
{
	uint8x16_t yes[4];
	int i;

	for (i = 0; i < 4; i++)
		yes[i] = vcgeq_u8(v->part[i], vdupq_n_u8(0x80));
	return gather(yes);
}

#include "token/block.h"

void
ctx_split_neon(struct ctx_split *split, struct ctx_scheme scheme,
    const char *p, size_t n, size_t max)
{
	split_text(split, scheme, p, n, max);
}

#include "token/vocab.h"

static inline unsigned
line_has(const uint64_t *line, const struct ctx_key *key)
{
	uint64x2_t want = vld1q_u64(&key->lo);
	uint64x2_t a = vceqq_u64(vld1q_u64(line), want);
	uint64x2_t b = vceqq_u64(vld1q_u64(line + 2), want);
	uint64x2_t c = vceqq_u64(vld1q_u64(line + 4), want);
	uint64x2_t d = vceqq_u64(vld1q_u64(line + 6), want);
	/* The words of a key side by side: both have to be equal. */
	uint64x2_t ab = vandq_u64(vzip1q_u64(a, b), vzip2q_u64(a, b));
	uint64x2_t cd = vandq_u64(vzip1q_u64(c, d), vzip2q_u64(c, d));
	uint64x2_t any = vorrq_u64(ab, cd);

	return (vgetq_lane_u64(any, 0) | vgetq_lane_u64(any, 1)) != 0;
}

#include "token/lines.h"

size_t
ctx_probe_neon(const struct ctx_vocab *vocab, const char *p, uint32_t start,
    const uint32_t *end, size_t n,
    struct ctx_key *keys, uint32_t *missed)
{
	return probe_lines(vocab, p, start, end, n, keys, missed);
}
#else
typedef int ctx_no_neon; /* a file may not be empty */
#endif
