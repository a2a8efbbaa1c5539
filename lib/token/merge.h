/* merge.h - bytes of a piece to tokens */
#ifndef CTX_TOKEN_MERGE_H
#define CTX_TOKEN_MERGE_H

#include "token/vocab.h"

/* Up to here a piece is merged pair by pair. */
#define CTX_MERGE_MAX 64

/* Merges n bytes, 1 to CTX_MERGE_MAX, into tokens; out has room for n. */
size_t ctx_merge_pairs(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out);

/* What merging long pieces with one vocabulary needs; zero is valid and
 * empty. */
struct ctx_merge {
	uint32_t *tokens; /* the result of the last call */
	size_t n, cap;
	uint64_t *dead; /* one bit for each end of a token that led nowhere */
	size_t dead_cap;
	uint64_t *pairs; /* pairs of tokens judged before, see merge.c */
};

/* Merges any number of bytes in time linear in n, the result in
 * merge->tokens. */
int ctx_merge_long(const struct ctx_vocab *vocab, struct ctx_merge *merge,
    const char *p, size_t n, struct ctx_err *err);
/* queue.c: the same in n log n, for vocabularies whose merges are out of
 * order; out has room for n.  0 is CTX_ENOMEM. */
size_t ctx_merge_queue(const struct ctx_vocab *vocab, const char *p, size_t n,
    uint32_t *out, struct ctx_err *err);
void ctx_merge_release(struct ctx_merge *merge);

#endif
