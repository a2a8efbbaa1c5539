/* bpe.h - bytes of a piece to tokens */
#ifndef CTX_TOKENIZER_ENCODE_BPE_H
#define CTX_TOKENIZER_ENCODE_BPE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define CTX_LANE    64 /* places of a lane */
#define CTX_LANES   64 /* merged side by side, at most */
#define CTX_BPE_MAX 62 /* bytes of a piece that fits a lane */

/* From here on a number stands for no merge at all.  None has a top bit, as
 * not every machine compares vectors without a sign. */
#define CTX_BPE_LANE_NONE ((uint32_t)INT32_MAX - CTX_LANE + 1)

_Static_assert(CTX_VOCAB_MAX <= CTX_BPE_LANE_NONE / CTX_LANE,
    "a token and a place fit one number");

/*
 * A piece that is being merged.  Its byte i has place i + 1; a token stands
 * at the place of its first byte, and bits of live say where there is one.
 * Before the first and behind the last stands CTX_PAIR_NOBODY.
 */
struct ctx_bpe_lane {
	uint64_t live;
	uint32_t n; /* bytes */
	uint32_t tokens[CTX_LANE];
	/* What the token at a place and the next one give. */
	uint32_t merges[CTX_LANE];
};

/*
 * What two tokens merge to, with the place of the first: the order in which
 * merges are made.  CTX_VOCAB_NONE comes out as CTX_BPE_LANE_NONE or more.
 */
static inline uint32_t
ctx_bpe_lane_rank(uint32_t merged, unsigned at)
{
	return (merged * CTX_LANE + at) & INT32_MAX;
}

/* The bytes of p, 1 to CTX_BPE_MAX, with no merge made yet. */
void ctx_bpe_lane_begin(const struct ctx_vocab *vocab,
    struct ctx_bpe_lane *lane, const char *p, size_t n);

/* The number of its tokens. */
static inline size_t
ctx_bpe_lane_count(const struct ctx_bpe_lane *lane)
{
	return (size_t)__builtin_popcountll(lane->live) - 2;
}

/* Makes all merges of n lanes, at most CTX_LANES. */
typedef void ctx_bpe_lanes_fn(const struct ctx_vocab *vocab,
    struct ctx_bpe_lane *lanes, size_t n);

ctx_bpe_lanes_fn ctx_bpe_lanes_portable, ctx_bpe_lanes_avx2,
    ctx_bpe_lanes_avx512, ctx_bpe_lanes_neon;

/* The back end for one that ctx_simd_resolve returned. */
ctx_bpe_lanes_fn *ctx_bpe_lanes_pick(enum ctx_simd simd);

/* Merges n bytes, 1 to CTX_BPE_MAX, into tokens; out has room for n. */
size_t ctx_bpe_pairs(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out);

/* What merging long pieces with one vocabulary needs; zero is valid and
 * empty. */
struct ctx_bpe {
	ctx_bpe_lanes_fn *lanes; /* NULL: the portable one */
	uint32_t *tokens;        /* the result of the last call */
	size_t n, cap;
	uint64_t *dead; /* one bit for each end of a token that led nowhere */
	size_t dead_cap;
	struct ctx_ahead *ahead; /* see bpe.c */
};

/* Merges any number of bytes in time linear in n, the result in
 * merge->tokens. */
int ctx_bpe_long(const struct ctx_vocab *vocab, struct ctx_bpe *bpe,
    const char *p, size_t n, struct ctx_err *err);
/* bpe_heap.c: the same in n log n, for vocabularies whose merges are out of
 * order; out has room for n.  0 is CTX_ENOMEM. */
size_t ctx_bpe_queue(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out, struct ctx_err *err);
void ctx_bpe_release(struct ctx_bpe *bpe);

#endif
