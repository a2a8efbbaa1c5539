/* bpe.h - merges the bytes of a pretoken (a word, a number, ...) into tokens
 * (byte-pair encoding) */
#ifndef CTX_TOKENIZER_ENCODE_BPE_H
#define CTX_TOKENIZER_ENCODE_BPE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* number of positions of a pretoken: one per byte, and two for its
 * ends */
#define CTX_BPE_POSITIONS 64
/* maximum number of pretokens that are merged at once */
#define CTX_BPE_BATCH 64
/* maximum number of bytes of a pretoken in a struct ctx_bpe_pretoken */
#define CTX_BPE_MAX 62

/* From this value on, a rank means that two tokens do not merge.  Ranks do not
 * use the top bit, because some processors can compare only vectors of signed
 * numbers. */
#define CTX_BPE_MERGE_NONE ((uint32_t)INT32_MAX - CTX_BPE_POSITIONS + 1)

_Static_assert(CTX_VOCAB_MAX <= CTX_BPE_MERGE_NONE / CTX_BPE_POSITIONS,
    "a token and a place fit one number");

/* A pretoken that is being merged, alone or together with other pretokens.
 * Byte i of the pretoken has position i + 1.  A token has the position of its
 * first byte.  At position 0 and position n + 1, before and after all bytes, is
 * CTX_PAIR_NOBODY, a pseudo token that merges with no token. */
struct ctx_bpe_pretoken {
	/* Bit i is set if a token begins at position i.  Bits 0 and n + 1 are
	 * set for the ends of the pretoken. */
	uint64_t occupied;
	uint32_t n; /* length of the pretoken in bytes */
	uint32_t tokens[CTX_BPE_POSITIONS];
	/* merges[i] is the rank (ctx_bpe_merge_rank) of merging the token at
	 * position i with the token after it. */
	uint32_t merges[CTX_BPE_POSITIONS];
};

/* Returns the rank of merging two tokens, which says when this is done: the
 * merge with the lowest rank first.  Ranks are ordered by the number of the
 * resulting token (merged), then by the position of the first of the two
 * tokens (at).  If the tokens do not merge (merged is CTX_VOCAB_NONE), the
 * rank is CTX_BPE_MERGE_NONE or more. */
static inline uint32_t
ctx_bpe_merge_rank(uint32_t merged, unsigned at)
{
	return (merged * CTX_BPE_POSITIONS + at) & INT32_MAX;
}

/* Begins to merge a pretoken, the n bytes at p; n is 1 to CTX_BPE_MAX.
 * Nothing is merged yet. */
void ctx_bpe_pretoken_begin(const struct ctx_vocab *vocab,
    struct ctx_bpe_pretoken *pretoken, const char *p, size_t n);

/* Returns how many tokens a pretoken consists of now. */
static inline size_t
ctx_bpe_pretoken_count(const struct ctx_bpe_pretoken *pretoken)
{
	return (size_t)__builtin_popcountll(pretoken->occupied) - 2;
}

/* Merges n pretokens as far as possible; n is at most
 * CTX_BPE_BATCH. */
typedef void ctx_bpe_merge_fn(const struct ctx_vocab *vocab,
    struct ctx_bpe_pretoken *pretokens, size_t n);

ctx_bpe_merge_fn ctx_bpe_merge_portable, ctx_bpe_merge_avx2,
    ctx_bpe_merge_avx512, ctx_bpe_merge_neon;

/* Returns the merge function for an instruction set. simd: a result of
 * ctx_simd_resolve. */
ctx_bpe_merge_fn *ctx_bpe_merge_pick(enum ctx_simd simd);

/* Merges the n bytes of a pretoken, 1 to CTX_BPE_MAX, into tokens and writes
 * these to the array "out", which has room for n.  Returns the number of
 * tokens. */
size_t ctx_bpe_pairs(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out);

/* Working memory for merging long pretokens with one vocabulary.  A zeroed
 * struct is valid. */
struct ctx_bpe {
	/* Function that merges several pretokens at once.  NULL:
	 * ctx_bpe_merge_portable. */
	ctx_bpe_merge_fn *merge;
	uint32_t *tokens; /* tokens that the last call has found */
	size_t n, cap;
	/* Bit i is set if byte i of the pretoken is a dead end: no token of the
	 * encoding begins there. */
	uint64_t *dead;
	size_t dead_cap;
	/* windows: pieces of the pretoken that were encoded alone; see bpe.c */
	struct ctx_ahead *ahead;
};

/* Merges a pretoken of any length, the n bytes at p, into tokens in linear
 * time.  Afterwards bpe->tokens has the tokens, and bpe->n their number. */
int ctx_bpe_long(const struct ctx_vocab *vocab, struct ctx_bpe *bpe,
    const char *p, size_t n, struct ctx_err *err);
/* Merges the n bytes of a pretoken into tokens in n log n time, for
 * vocabularies with CTX_VOCAB_DISORDER.  Writes the tokens to the array "out",
 * which has room for n, and returns their number; 0 with *err if there is no
 * memory.  Defined in bpe_heap.c. */
size_t ctx_bpe_queue(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out, struct ctx_err *err);
void ctx_bpe_release(struct ctx_bpe *bpe);

#endif
