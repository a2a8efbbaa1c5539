/* embed.h - compares texts by the vectors that a command of the user makes of
 * them (embeddings) */
#ifndef CTX_PRUNE_STRATEGY_EMBED_H
#define CTX_PRUNE_STRATEGY_EMBED_H

#include "io/io.h"

/* The texts of a conversation in the form that the command reads.  A zeroed
 * struct is valid. */
struct ctx_embed {
	const struct ctx_command *command; /* the caller's */
	struct ctx_buf lines;
	size_t n;
};
/* Adds a text to those that the embedder (a command of the user) makes vectors
 * of.  The command gets the first 4,096 bytes of the text. */
int ctx_embed_add(struct ctx_embed *embed, const char *p, size_t n,
    struct ctx_err *err);
/* Returns the maximum number of bytes that the embedder, a command of the
 * user, may write when it gets n texts and the question. */
size_t ctx_embed_max(size_t n);
/* Runs the embedder over the question and n texts, and sets near[i] to the
 * cosine of the angle between the vectors of text i and of the question.
 * CTX_EARG: the command failed, or did not write an array of finite numbers,
 * all of one length, for each line. */
int ctx_embed_nearness(struct ctx_embed *embed, struct ctx_str question,
    double *near, size_t n, struct ctx_err *err);
void ctx_embed_reset(struct ctx_embed *embed);
void ctx_embed_release(struct ctx_embed *embed);

#endif
