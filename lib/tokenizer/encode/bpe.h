/* bpe.h - merges the bytes of a pretoken into tokens */
#ifndef CTX_TOKENIZER_ENCODE_BPE_H
#define CTX_TOKENIZER_ENCODE_BPE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_LANE    64 /* positions of a lane */
#define CTX_LANES   64 /* most lanes merged at once */
#define CTX_BPE_MAX 62 /* most bytes of a pretoken in a lane */

/* Values from here on mean "no merge".  They have no top bit, because some
 * machines only compare vectors of signed numbers. */
#define CTX_BPE_LANE_NONE ((uint32_t)INT32_MAX - CTX_LANE + 1)

_Static_assert(CTX_VOCAB_MAX <= CTX_BPE_LANE_NONE / CTX_LANE,
    "a token and a place fit one number");

/* A pretoken that is being merged.  Byte i has position i + 1; a token has
 * the position of its first byte.  The positions 0 and n + 1 hold
 * CTX_PAIR_NOBODY. */
struct ctx_bpe_lane {
	/* bit i: position i holds a token or an end */
	uint64_t occupied;
	uint32_t n; /* bytes */
	uint32_t tokens[CTX_LANE];
	/* ctx_bpe_lane_rank of the token at a position and the next one. */
	uint32_t merges[CTX_LANE];
};

/* Returns the rank of a merge: the resulting token, then the position of its
 * first part.  The lowest rank is merged first.  CTX_VOCAB_NONE gives a rank of
 * CTX_BPE_LANE_NONE or more. */
static inline uint32_t
ctx_bpe_lane_rank(uint32_t merged, unsigned at)
{
	return (merged * CTX_LANE + at) & INT32_MAX;
}

/* Fills a lane with the n bytes of p, 1 to CTX_BPE_MAX, before any merge. */
void ctx_bpe_lane_begin(const struct ctx_vocab *vocab,
    struct ctx_bpe_lane *lane, const char *p, size_t n);

/* Returns the number of tokens of a lane. */
static inline size_t
ctx_bpe_lane_count(const struct ctx_bpe_lane *lane)
{
	return (size_t)__builtin_popcountll(lane->occupied) - 2;
}

/* Makes all merges of n lanes, at most CTX_LANES. */
typedef void ctx_bpe_lanes_fn(const struct ctx_vocab *vocab,
    struct ctx_bpe_lane *lanes, size_t n);

ctx_bpe_lanes_fn ctx_bpe_lanes_portable, ctx_bpe_lanes_avx2,
    ctx_bpe_lanes_avx512, ctx_bpe_lanes_neon;

/* Returns the back end for a value of ctx_simd_resolve. */
ctx_bpe_lanes_fn *ctx_bpe_lanes_pick(enum ctx_simd simd);

/* Merges n bytes, 1 to CTX_BPE_MAX, and writes the tokens to out, which has
 * room for n.  Returns their number. */
size_t ctx_bpe_pairs(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out);

/* Working memory for merging long pretokens with one vocabulary.  Zero is valid
 * and empty. */
struct ctx_bpe {
	ctx_bpe_lanes_fn *lanes; /* NULL: ctx_bpe_lanes_portable */
	uint32_t *tokens;        /* result of the last call */
	size_t n, cap;
	uint64_t *dead; /* bit i: no encoding continues at byte i */
	size_t dead_cap;
	struct ctx_ahead *ahead; /* see bpe.c */
};

/* Merges n bytes, any number, in linear time.  The result is bpe->tokens and
 * bpe->n. */
int ctx_bpe_long(const struct ctx_vocab *vocab, struct ctx_bpe *bpe,
    const char *p, size_t n, struct ctx_err *err);
/* Merges n bytes in n log n time, for vocabularies with CTX_VOCAB_DISORDER.
 * Writes the tokens to out, which has room for n, and returns their number; 0
 * is CTX_ENOMEM.  In bpe_heap.c. */
size_t ctx_bpe_queue(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out, struct ctx_err *err);
void ctx_bpe_release(struct ctx_bpe *bpe);

#endif
