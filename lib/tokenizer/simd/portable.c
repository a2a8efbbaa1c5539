/*
 * portable.c - splits text, and looks up and merges pretokens, on any processor
 *
 * A block of 64 bytes is stored as eight words of 64 bits.  Arithmetic on a
 * word compares all of its eight bytes at once.  The result of a comparison is
 * the highest bit of each byte; a multiplication collects these eight bits.
 */
#include <stdint.h>
#include <string.h>

#define ONES 0x0101010101010101u
#define TOPS 0x8080808080808080u

struct vec {
	/* bits 8 * i to 8 * i + 7 of a word: byte i of its part of the text */
	uint64_t word[8];
};

static inline void
vec_load(struct vec *v, const char *p)
{
	unsigned i;

	memcpy(v->word, p, sizeof v->word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (i = 0; i < 8; i++)
		v->word[i] = __builtin_bswap64(v->word[i]);
#else
	(void)i;
#endif
}

static inline struct vec
vec_fold(const struct vec *v)
{
	struct vec folded;
	unsigned i;

	for (i = 0; i < 8; i++)
		folded.word[i] = v->word[i] | 0x20 * ONES;
	return folded;
}

/* Returns the highest bits of the eight bytes of a word, as a number of eight
 * bits.  The lowest bit of this number belongs to the first byte. */
static inline uint64_t
gather_bits(uint64_t tops)
{
	return ((tops & TOPS) >> 7) * 0x0102040810204080u >> 56;
}

/* Compares each byte of a word with a range.  In the result, the highest bit of
 * a byte is set if the byte is at least "first" and at most first + n.  first +
 * n must be below 0x80.  For bytes of 0x80 or more the bit is not set. */
static inline uint64_t
mark_in_range(uint64_t word, unsigned first, unsigned n)
{
	uint64_t low = word & ~TOPS;
	uint64_t from = low + (0x80 - first) * ONES;
	uint64_t beyond = low + (0x7f - first - n) * ONES;

	return from & ~beyond & ~word;
}

static inline uint64_t
vec_range(const struct vec *v, char first, unsigned n)
{
	uint64_t bits = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		bits |= gather_bits(
			    mark_in_range(v->word[i], (unsigned char)first, n))
		    << 8 * i;
	return bits;
}

static inline uint64_t
vec_equal(const struct vec *v, char c)
{
	return vec_range(v, c, 0);
}

static inline uint64_t
vec_high(const struct vec *v)
{
	uint64_t bits = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		bits |= gather_bits(v->word[i]) << 8 * i;
	return bits;
}

#include "tokenizer/simd/pretokenize_block.h"

#include "tokenizer/encode/pretoken_cache.h"

struct sum {
	uint64_t total;
};

static inline void
line_adds(struct sum *sum, const uint64_t *line, const struct ctx_key *key)
{
	uint64_t found = 0, equal;
	unsigned i;

	for (i = 0; i < 4; i++) {
		equal = (line[i] ^ key->lo) |
		    ((line[4 + i] | CTX_PRETOKEN_CACHE_TOKENS) ^ key->hi);
		found |= equal == 0 ? line[4 + i] : 0;
	}
	found = found >> CTX_PRETOKEN_CACHE_SHIFT & 0xff;
	sum->total += found > 0 ? found + CTX_PRETOKEN_CACHE_FOUND : 0;
}

static inline uint64_t
sum_total(const struct sum *sum)
{
	return sum->total;
}

#include "tokenizer/simd/pretoken_batch.h"

const struct ctx_backend ctx_backend_portable = {split_text, look_up_pretokens,
    ctx_bpe_merge_portable};
