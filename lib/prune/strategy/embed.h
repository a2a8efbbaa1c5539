/* embed.h - the nearness of texts by an external command */
#ifndef CTX_PRUNE_STRATEGY_EMBED_H
#define CTX_PRUNE_STRATEGY_EMBED_H

#include "base/base.h"

/* The texts of a conversation, as lines for the command.  Zero is valid. */
struct ctx_embed {
	const char *command; /* set by the caller, as is ... */
	unsigned seconds;    /* ... the time after which it is killed */
	struct ctx_buf lines;
	size_t n;
};
/* Adds a text, of which the command is given the first few kilobytes. */
int ctx_embed_add(struct ctx_embed *embed, const char *p, size_t n,
    struct ctx_err *err);
/* Bytes that the command may write about n texts and the question. */
size_t ctx_embed_max(size_t n);
/*
 * Runs the command over the texts and the question and sets near[i] to the
 * cosine of each of n texts to it.  CTX_EARG: the command failed, or did not
 * write one array of as many finite numbers for each line.
 */
int ctx_embed_nearness(struct ctx_embed *embed, struct ctx_str question,
    double *near, size_t n, struct ctx_err *err);
void ctx_embed_reset(struct ctx_embed *embed);
void ctx_embed_release(struct ctx_embed *embed);

#endif
