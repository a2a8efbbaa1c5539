/* calibrate.h - computes by which factor counted tokens must be multiplied to
 * get billed tokens (ctx-count --calibrate) */
#ifndef CTX_CMD_COUNT_CALIBRATE_H
#define CTX_CMD_COUNT_CALIBRATE_H

#include "count/count.h"
#include "cli/cli.h"

/* A number of tokens in two parts. text: tokens of texts, which are multiplied
 * by the model's factor. rest: all other tokens (media, roles and delimiters of
 * messages), which are not multiplied. */
struct calibrate_sum {
	uint64_t text, rest;
};

/* The requests of a stream whose billed tokens the input reports: for each, the
 * tokens that were billed for its texts (all billed tokens minus "rest"), and
 * the tokens that ctx counted in its texts. */
struct calibrate {
	struct calibrate_call *list;
	size_t n, cap;
	struct ctx_intern models;
	struct ctx_buf text; /* scratch buffer */
	/* The members from here on are about the conversation that is being
	 * read. */
	/* Number of tokens of the conversation as far as it was read. all: of
	 * all messages. before: of all messages except the newest message. */
	struct calibrate_sum all, before;
	enum ctx_role role; /* role of the newest message */
};

/* Store how many tokens the provider has billed for a request.  The caller must
 * call calibrate_message for each message, and calibrate_ended at the end of
 * each conversation, because both a message and a conversation may report
 * billed tokens.  The token counts in *stats must not have been multiplied by a
 * factor. */
int calibrate_message(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);
int calibrate_ended(struct calibrate *calibrate,
    const struct ctx_token_stats *stats, struct ctx_err *err);

/* Returns the i-th name (from 0) that --bound accepts, or NULL. */
const char *calibrate_bound_name(size_t i);
/* How the results of --calibrate are printed. */
struct calibrate_choice {
	const struct ctx_models *own; /* models that the user has defined */
	/* Which factor is printed in the line for models.json.  False: the
	 * factor that fits best.  True: the smallest factor with which no
	 * request is counted too low. */
	bool upper;
	bool json; /* true if JSON lines are printed; false for text */
};
/*
 * Prints for each model the factor by which counted tokens must be multiplied
 * to get billed tokens.  Also prints a line that the user can copy into
 * models.json, unless explain_doubt (calibrate.c) doubts the factor.
 *
 * Returns 1.  Returns 0 if nothing was printed, because no factor can be
 * computed, or -1 with *err.
 */
int calibrate_report(struct calibrate *calibrate,
    const struct calibrate_choice *choice, struct ctx_err *err);
void calibrate_release(struct calibrate *calibrate);

#endif
