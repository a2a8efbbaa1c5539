/* embed.h - compares texts by their embeddings (vectors), which a program of
 * the user makes */
#ifndef CTX_PRUNE_STRATEGY_EMBED_H
#define CTX_PRUNE_STRATEGY_EMBED_H

#include "io/io.h"

/* The texts of a conversation whose embeddings are needed, in the form in which
 * the embedder reads them.  A struct of zeros is valid. */
struct ctx_embed {
	/* the embedder; owned by the caller */
	const struct ctx_command *command;
	struct ctx_buf lines;
	size_t n;
};
/* Adds a text whose embedding is needed.  The embedder gets only the first
 * 4,096 bytes of the text. */
int ctx_embed_add(struct ctx_embed *embed, const char *p, size_t n,
    struct ctx_err *err);
/* Returns the maximum length in bytes of the output of the embedder (a program
 * of the user) for n texts and the question. */
size_t ctx_embed_max(size_t n);
/* Runs the embedder for the question and n texts.  Sets near[i] to the cosine
 * of the angle between the embeddings of text i and of the question.  CTX_EARG:
 * the embedder has failed, or has not written an array of finite numbers, all
 * of one length, for each line. */
int ctx_embed_nearness(struct ctx_embed *embed, struct ctx_str question,
    double *near, size_t n, struct ctx_err *err);
void ctx_embed_reset(struct ctx_embed *embed);
void ctx_embed_release(struct ctx_embed *embed);

#endif
