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
/* Adds a text.  The command gets its first 4,096 bytes. */
int ctx_embed_add(struct ctx_embed *embed, const char *p, size_t n,
    struct ctx_err *err);
/* Returns the maximum bytes that the command may write about n texts and the
 * question. */
size_t ctx_embed_max(size_t n);
/* Runs the command over the question and n texts, and sets near[i] to the
 * cosine of text i and the question.  CTX_EARG: the command failed, or did not
 * write an array of finite numbers, of one length, for each line. */
int ctx_embed_nearness(struct ctx_embed *embed, struct ctx_str question,
    double *near, size_t n, struct ctx_err *err);
void ctx_embed_reset(struct ctx_embed *embed);
void ctx_embed_release(struct ctx_embed *embed);

#endif
