/*
 * count.h - ctx-count: tokens of a stream
 */
#ifndef CTX_COUNT_H
#define CTX_COUNT_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- count/count_stream.c: what a stream costs -------------------------- */

/* What the calls and results of one tool cost in a message. */
struct ctx_share {
	struct ctx_str tool;
	uint64_t tokens;    /* of these calls and results */
	uint64_t results;   /* of the tokens, those of results */
	uint64_t estimated; /* of the tokens, what is no exact count */
	uint64_t chars;
};

/* One conversation, or one message of it. */
struct ctx_token_stats {
	const char *file;
	uint64_t line; /* of its record; 0: the messages of the stream */
	const struct ctx_dialect *dialect; /* NULL: no message was seen */
	const struct ctx_model *model;     /* NULL: none is known */
	struct ctx_str name;               /* of the model, as it was given */
	const char *encoding;
	uint64_t messages, turns;
	uint64_t tokens;    /* framing and all, as a budget is measured */
	uint64_t estimated; /* of the tokens, what is no exact count */
	struct ctx_request_overhead
	    overhead;     /* of the tokens, what no message costs */
	uint64_t framing; /* of the tokens, what every message costs */
	uint64_t chars, bytes;
	uint64_t kinds[CTX_BLOCK_KINDS]; /* of the tokens, by kind of part */
	uint64_t rough[CTX_BLOCK_KINDS]; /* of those, what is no exact count */
	uint64_t billed; /* input tokens of the call that gave the message (of
			  * a record: of its last call), 0: not said */
	uint64_t asked, asked_estimated; /* see struct ctx_cost */
	/* Of a message only: */
	uint64_t index; /* its number in the conversation, from 0 */
	uint64_t turn;
	enum ctx_role role;
	struct ctx_str tool; /* of its first call or result, n 0: none */
	const struct ctx_message *message;
	/* If asked for: each tool that is known once, as they come. */
	const struct ctx_share *shares;
	size_t n_shares;
};

/*
 * Counts a stream; holds one record and the calls still open.  message is
 * called for each message, ended for each conversation (the messages of the
 * stream come last); either may be NULL.
 */
struct ctx_count_hooks {
	void *user;
	int (*message)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	int (*ended)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	bool shares; /* messages have them */
};
int ctx_count_stream(struct ctx_stream *stream,
    struct ctx_model_counters *counters, const struct ctx_count_hooks *hooks,
    struct ctx_err *err);

/* ---- count/annotate.c: the stream, with what each record costs ---------- */

/*
 * Passes a stream on, with the tokens of each record that is a message, or
 * that holds conversations, as its member key: added as the last one, or in
 * the place of one that is there.  Records that are arrays, and items that
 * count as all of their record, stay as they are.
 * Providers refuse members that they do not know.  Holds one record.
 */
int ctx_annotate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, const char *key, struct ctx_err *err);

#endif
