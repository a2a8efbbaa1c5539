/* calibrate.h - compares counted with billed tokens (ctx-count --calibrate) */
#ifndef CTX_CMD_COUNT_CALIBRATE_H
#define CTX_CMD_COUNT_CALIBRATE_H

#include "cli/cli.h"

/* Tokens of messages. text is the tokens of texts, which are multiplied by the
 * model's factor. rest is the tokens of media, message framing and the like,
 * which are not multiplied. */
struct calibrate_sum {
	uint64_t text, rest;
};

/* The requests in a stream: for each request, the tokens that the provider
 * billed and those that ctx counted. */
struct calibrate {
	struct calibrate_call *list;
	size_t n, cap;
	struct ctx_intern models;
	struct ctx_buf text; /* scratch buffer */
	/* From here on, the members are about the conversation that is being
	 * read. */
	/* all: tokens of all messages read so far; before: tokens of the
	 * messages before the newest one */
	struct calibrate_sum all, before;
	enum ctx_role role; /* role of the newest message */
};

/* Read the billed tokens of a message (calibrate_message) and of a finished
 * conversation (calibrate_ended).  Must be called for all of them.  The token
 * counts must be those of one encoding, without a factor. */
int calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);
int calibrate_ended(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);

/*
 * Prints for each model the factor that turns counted tokens into billed ones,
 * as text or, if json is true, as JSON lines.  Each model also gets a line to
 * copy into models.json.  If upper is true, the line has the smallest factor
 * that counts no request too low, instead of the best fit.
 *
 * Returns 1; 0 if no record has billed tokens; or -1 and sets *err.
 */
int calibrate_report(struct calibrate *calibrate, const char *encoding,
    bool upper, bool json, struct ctx_err *err);
void calibrate_release(struct calibrate *calibrate);

#endif
