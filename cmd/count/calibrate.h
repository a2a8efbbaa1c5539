/* calibrate.h - finds the factor between counted and billed tokens (ctx-count
 * --calibrate) */
#ifndef CTX_CMD_COUNT_CALIBRATE_H
#define CTX_CMD_COUNT_CALIBRATE_H

#include "count/count.h"
#include "cli/cli.h"

/* Numbers of tokens. text: tokens in texts, which are multiplied by the
 * model's factor. rest: tokens of media, message framing and others that are
 * not multiplied. */
struct calibrate_sum {
	uint64_t text, rest;
};

/* All requests of a stream, each with the tokens that the provider billed for
 * it and the tokens that ctx counted in it. */
struct calibrate {
	struct calibrate_call *list;
	size_t n, cap;
	struct ctx_intern models;
	struct ctx_buf text; /* scratch buffer */
	/* The remaining members are about the conversation that is being
	 * read. */
	/* Tokens of the conversation, as read so far. all: of all messages;
	 * before: of the messages before the newest one. */
	struct calibrate_sum all, before;
	enum ctx_role role; /* role of the newest message */
};

/* Record the tokens that the provider billed: as a message reports them
 * (calibrate_message), or as the conversation reports them at its end
 * (calibrate_ended).  Must be called for all messages and conversations.  Token
 * counts must not be multiplied by a factor. */
int calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);
int calibrate_ended(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);

/* How results of --calibrate are printed. */
struct calibrate_choice {
	const struct ctx_models *own; /* models that the user has defined */
	/* False: the factor in the line for models.json is the best fit.  True:
	 * it is the smallest factor that counts no request too low. */
	bool upper;
	bool json; /* print JSON lines, not text */
};
/*
 * Prints, for each model, the factor by which counted tokens are multiplied to
 * get billed ones.  For each model whose factor is useful, also prints a line
 * to be copied into models.json.
 *
 * Returns 1; 0 if no record has billed tokens; or -1 and sets *err.
 */
int calibrate_report(struct calibrate *calibrate,
    const struct calibrate_choice *choice, struct ctx_err *err);
void calibrate_release(struct calibrate *calibrate);

#endif
