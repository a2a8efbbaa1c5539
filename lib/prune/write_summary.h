/* write_summary.h - functions that make a summary and find its place */
#ifndef CTX_PRUNE_WRITE_SUMMARY_H
#define CTX_PRUNE_WRITE_SUMMARY_H

#include "prune/held_conversation.h"

/* What a summary's writer needs to know about the removed messages. */
struct removal {
	/* Dialect of the last removed message that is not a summary, or NULL if
	 * there is none. */
	const struct ctx_dialect *dialect;
	uint64_t tokens;
	/* how many of the removed tokens belong to summaries of earlier runs */
	uint64_t earlier;
};

/* Place where a summary is inserted. */
struct summary_place {
	size_t message_index; /* index of a message in memory */
	/* True if the summary becomes a block of this message.  False if it
	 * becomes a separate message before this message. */
	bool is_block;
};

/* A summary that is being written. */
struct summary_job {
	struct prune *run;
	struct held_conversation *conversation;
	struct removal removal;
	struct summary_place place;
	/* the built-in summarizer, or NULL if it is not used */
	struct ctx_summary *lines;
	/* Input of the user's summarizer: the prompt, then the removed
	 * blocks. */
	struct ctx_buf input;
	struct ctx_buf name;     /* scratch */
	struct ctx_buf block;    /* the text of the block being read */
	struct ctx_buf text;     /* the summary, without its prefix */
	struct ctx_buf composed; /* the summary with its prefix */
	/* Maximum numbers of tokens of the summary's text. max_tokens: counted
	 * with the encoding; most_tokens: counted as the model does. */
	uint64_t max_tokens, most_tokens;
};

/* ---- summary_input.c ---- */

/* Adds all messages of the conversation to the input of the summary. */
int ctx_prune_collect_summary_input(struct summary_job *job,
    struct ctx_err *err);

/* ---- summary_place.c ---- */

/* Finds the place in a conversation where a summary is inserted. dialect: the
 * dialect (format) of the summary. */
int ctx_prune_find_summary_place(struct prune *run,
    const struct held_conversation *conversation,
    const struct ctx_dialect *dialect, struct summary_place *place,
    struct ctx_err *err);

#endif
