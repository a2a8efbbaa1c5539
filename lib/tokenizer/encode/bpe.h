/* bpe.h - merges the bytes of a pretoken into tokens (byte-pair encoding) */
#ifndef CTX_TOKENIZER_ENCODE_BPE_H
#define CTX_TOKENIZER_ENCODE_BPE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_LANE  64 /* number of byte positions in a struct ctx_bpe_lane */
#define CTX_LANES 64 /* maximum number of pretokens that are merged at once */
/* maximum number of bytes of a pretoken in a struct ctx_bpe_lane */
#define CTX_BPE_MAX 62

/* Ranks of merges from this value on mean that there is no merge.  The top bit
 * is not used, because some processors compare vectors of signed numbers
 * only. */
#define CTX_BPE_LANE_NONE ((uint32_t)INT32_MAX - CTX_LANE + 1)

_Static_assert(CTX_VOCAB_MAX <= CTX_BPE_LANE_NONE / CTX_LANE,
    "a token and a place fit one number");

/* A lane: a pretoken that is being merged, at the same time as others.  Byte i
 * has position i + 1; a token has the position of its first byte.  The
 * positions 0 and n + 1 contain CTX_PAIR_NOBODY, as no token merges with it. */
struct ctx_bpe_lane {
	/* bit i is set if a token begins at position i of the lane, or the
	 * lane ends there */
	uint64_t occupied;
	uint32_t n; /* bytes of the pretoken */
	uint32_t tokens[CTX_LANE];
	/* merges[i]: rank (ctx_bpe_lane_rank) of the merge of the token at
	 * position i and the next one */
	uint32_t merges[CTX_LANE];
};

/* Returns the rank of a merge.  Ranks are ordered by the number of the token
 * that results, then by the position of the first of its two parts.  The merge
 * with the lowest rank is made first.  If no token results (CTX_VOCAB_NONE),
 * the rank is CTX_BPE_LANE_NONE or more. */
static inline uint32_t
ctx_bpe_lane_rank(uint32_t merged, unsigned at)
{
	return (merged * CTX_LANE + at) & INT32_MAX;
}

/* Sets up a lane to merge the n bytes of p, 1 to CTX_BPE_MAX.  No merge is made
 * yet. */
void ctx_bpe_lane_begin(const struct ctx_vocab *vocab,
    struct ctx_bpe_lane *lane, const char *p, size_t n);

/* Returns the number of tokens that a pretoken in a lane has now. */
static inline size_t
ctx_bpe_lane_count(const struct ctx_bpe_lane *lane)
{
	return (size_t)__builtin_popcountll(lane->occupied) - 2;
}

/* Makes all merges of the pretokens in n lanes, at most CTX_LANES. */
typedef void ctx_bpe_lanes_fn(const struct ctx_vocab *vocab,
    struct ctx_bpe_lane *lanes, size_t n);

ctx_bpe_lanes_fn ctx_bpe_lanes_portable, ctx_bpe_lanes_avx2,
    ctx_bpe_lanes_avx512, ctx_bpe_lanes_neon;

/* Returns the implementation for an instruction set from ctx_simd_resolve. */
ctx_bpe_lanes_fn *ctx_bpe_lanes_pick(enum ctx_simd simd);

/* Merges n bytes, 1 to CTX_BPE_MAX, into tokens and writes the tokens to out,
 * which has room for n.  Returns the number of tokens. */
size_t ctx_bpe_pairs(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out);

/* Working memory for merging long pretokens with one vocabulary.  A zeroed
 * struct is valid. */
struct ctx_bpe {
	/* function that merges several pretokens at once; NULL:
	 * ctx_bpe_lanes_portable is used */
	ctx_bpe_lanes_fn *lanes;
	uint32_t *tokens; /* the tokens that the last call found */
	size_t n, cap;
	uint64_t *dead; /* bit i is set if no encoding can continue at byte i */
	size_t dead_cap;
	/* pieces of a long pretoken that are encoded before the rest; see
	 * bpe.c */
	struct ctx_ahead *ahead;
};

/* Merges n bytes, any number, into tokens in linear time.  The tokens are then
 * in bpe->tokens, their number in bpe->n. */
int ctx_bpe_long(const struct ctx_vocab *vocab, struct ctx_bpe *bpe,
    const char *p, size_t n, struct ctx_err *err);
/* Merges n bytes into tokens in n log n time, for vocabularies with
 * CTX_VOCAB_DISORDER.  Writes the tokens to out, which has room for n, and
 * returns their number; 0 with *err if there is no memory.  Defined in
 * bpe_heap.c. */
size_t ctx_bpe_queue(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out, struct ctx_err *err);
void ctx_bpe_release(struct ctx_bpe *bpe);

#endif
