/* bpe.h - merges the bytes of a pretoken (a word, a number, ...) into tokens by
 * byte-pair encoding */
#ifndef CTX_TOKENIZER_ENCODE_BPE_H
#define CTX_TOKENIZER_ENCODE_BPE_H

#include "base/base.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* number of positions in a pretoken (piece of text that is encoded by itself):
 * one for each byte, one before the first byte, and one after the last byte */
#define CTX_BPE_POSITIONS 64
/* maximum number of pretokens (words, numbers, ...) that one call merges */
#define CTX_BPE_BATCH 64
/* maximum length in bytes of the pretoken (word, number, ...) in a struct
 * ctx_bpe_pretoken */
#define CTX_BPE_MAX 62

/* A rank of at least this value means that two tokens do not merge.  Ranks do
 * not use the highest bit, because some processors can compare vectors only of
 * signed numbers. */
#define CTX_BPE_MERGE_NONE ((uint32_t)INT32_MAX - CTX_BPE_POSITIONS + 1)

_Static_assert(CTX_VOCAB_MAX <= CTX_BPE_MERGE_NONE / CTX_BPE_POSITIONS,
    "a token and a place fit one number");

/* A pretoken (word, number, ...) whose bytes are being merged into tokens.
 * Byte i of the pretoken has the position i + 1; the position of a token is
 * that of its first byte.  At the positions 0 and n + 1, before and after all
 * bytes, is CTX_PAIR_NOBODY, a pseudo token that never merges. */
struct ctx_bpe_pretoken {
	/* Bit i is set if a token begins at position i.  Bits 0 and n + 1 are
	 * set for the ends of the pretoken. */
	uint64_t occupied;
	uint32_t n; /* length of the pretoken in bytes */
	uint32_t tokens[CTX_BPE_POSITIONS];
	/* merges[i]: rank (ctx_bpe_merge_rank) of the merge of the token at
	 * position i with the token after it */
	uint32_t merges[CTX_BPE_POSITIONS];
};

/* Returns the rank of a merge of two tokens.  The merge with the lowest rank is
 * made first.  Ranks are ordered by the number of the resulting token (merged),
 * and then by the position of the first of the two tokens (at).  If the tokens
 * do not merge, the caller must pass CTX_VOCAB_NONE as "merged", and the rank
 * is at least CTX_BPE_MERGE_NONE. */
static inline uint32_t
ctx_bpe_merge_rank(uint32_t merged, unsigned at)
{
	return (merged * CTX_BPE_POSITIONS + at) & INT32_MAX;
}

/* Prepares a pretoken (word, number, ...) for merging: the n bytes at p; n is 1
 * to CTX_BPE_MAX. */
void ctx_bpe_pretoken_begin(const struct ctx_vocab *vocab,
    struct ctx_bpe_pretoken *pretoken, const char *p, size_t n);

/* Returns the current number of tokens of a pretoken. */
static inline size_t
ctx_bpe_pretoken_count(const struct ctx_bpe_pretoken *pretoken)
{
	return (size_t)__builtin_popcountll(pretoken->occupied) - 2;
}

/* Merges n pretokens (words, numbers, ...) as far as possible; n is at most
 * CTX_BPE_BATCH. */
typedef void ctx_bpe_merge_fn(const struct ctx_vocab *vocab,
    struct ctx_bpe_pretoken *pretokens, size_t n);

ctx_bpe_merge_fn ctx_bpe_merge_portable;

/* Merges a pretoken (word, number, ...) of n bytes, 1 to CTX_BPE_MAX, into
 * tokens.  Writes the tokens to the array "out", which must have n elements,
 * and returns their number. */
size_t ctx_bpe_pairs(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out);

/* Working memory for merging long pretokens (words, numbers, ...) with one
 * vocabulary.  A struct of zeros is valid. */
struct ctx_bpe {
	/* The function that merges several pretokens in one call; if NULL,
	 * ctx_bpe_merge_portable is used. */
	ctx_bpe_merge_fn *merge;
	/* tokens of the last pretoken that was merged */
	uint32_t *tokens;
	size_t n, cap;
	/* Bit i is set if byte i of the pretoken is a dead end: no token of the
	 * result begins at this byte. */
	uint64_t *dead;
	size_t dead_cap;
	/* Working memory for windows, which are pieces of a long pretoken that
	 * are encoded separately; see bpe.c. */
	struct ctx_ahead *ahead;
};

/* Merges a pretoken (word, number, ...) of any length (n bytes) into tokens, in
 * linear time or, for some pretokens of vocabularies with CTX_VOCAB_DISORDER,
 * in n log n time.  Stores the tokens in bpe->tokens, and their number in
 * bpe->n. */
int ctx_bpe_long(const struct ctx_vocab *vocab, struct ctx_bpe *bpe,
    const char *p, size_t n, struct ctx_err *err);
/* Merges a pretoken (word, number, ...) of n bytes into tokens in n log n time,
 * for vocabularies with CTX_VOCAB_DISORDER.  Writes the tokens to the array
 * "out", which must have n elements.  Returns their number, or 0 with *err if
 * there is not enough memory.  Defined in bpe_heap.c. */
size_t ctx_bpe_queue(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out, struct ctx_err *err);
void ctx_bpe_release(struct ctx_bpe *bpe);

#endif
