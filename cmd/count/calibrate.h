/* calibrate.h - ctx-count --calibrate */
#ifndef CTX_CMD_COUNT_CALIBRATE_H
#define CTX_CMD_COUNT_CALIBRATE_H

#include "cli/cli.h"

/* Text is what a factor scales; the rest is framing, media and the like. */
struct calibrate_sum {
	uint64_t text, rest;
};

/* What the calls of a stream were billed, and what they come to here. */
struct calibrate {
	struct calibrate_call *list;
	size_t n, cap;
	struct ctx_intern models;
	struct ctx_buf text; /* scratch */
	/* Of the conversation: */
	struct calibrate_sum all, before; /* its newest message */
	enum ctx_role role;               /* of that */
};

/* Hooks of ctx_token_stats, to be called for all messages and conversations;
 * the tokens are those of one encoding, without a factor. */
int calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);
int calibrate_ended(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);

/*
 * Prints what was found for each model: as text, or a JSON object a line.
 * With upper the line for models.json has the factor that never counts too
 * low.  1; 0: no call says what it was billed; or -1.
 */
int calibrate_report(struct calibrate *calibrate, const char *encoding,
    bool upper, bool json, struct ctx_err *err);
void calibrate_release(struct calibrate *calibrate);

#endif
