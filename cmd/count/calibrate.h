/* calibrate.h - ctx-count --calibrate */
#ifndef CTX_CMD_COUNT_CALIBRATE_H
#define CTX_CMD_COUNT_CALIBRATE_H

#include "cli/cli.h"

/* Tokens. text is scaled by the factor; rest is framing, media and the like. */
struct calibrate_sum {
	uint64_t text, rest;
};

/* The requests of a stream: tokens that were billed, and tokens counted here.
 */
struct calibrate {
	struct calibrate_call *list;
	size_t n, cap;
	struct ctx_intern models;
	struct ctx_buf text; /* scratch */
	/* For the conversation: */
	/* All messages so far; all before the newest one. */
	struct calibrate_sum all, before;
	enum ctx_role role; /* role of the newest message */
};

/* Add a message; end a conversation. Must be called for all of them. Tokens are
 * those of one encoding, without a factor. */
int calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);
int calibrate_ended(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);

/*
 * Prints the factor found for each model, as text or, if json is true, as JSON
 * lines.  Each model also gets a line to copy into models.json; if upper is
 * true, with the largest factor, so that no request is counted too low.
 * Returns 1; 0 if no record has billed tokens; or -1 with *err.
 */
int calibrate_report(struct calibrate *calibrate, const char *encoding,
    bool upper, bool json, struct ctx_err *err);
void calibrate_release(struct calibrate *calibrate);

#endif
