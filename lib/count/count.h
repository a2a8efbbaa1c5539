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

/* ---- count/count_stream.c: tokens of a stream --------------------------- */

/* Tokens of the tool calls and results of one tool in a message. */
struct ctx_share {
	struct ctx_str tool;
	uint64_t tokens;    /* of its tool calls and results */
	uint64_t results;   /* of these tokens, those of results */
	uint64_t estimated; /* of these tokens, those that are estimated */
	uint64_t chars;     /* characters of their texts */
};

/* What a conversation, or one message of it, costs. */
struct ctx_token_stats {
	const char *file;
	uint64_t line; /* of its record; 0: the stream's own conversation */
	const struct ctx_dialect *dialect; /* NULL: it has no message */
	const struct ctx_model *model;     /* NULL: not known */
	struct ctx_str model_name;         /* of the model, as given */
	const char *encoding;
	uint64_t messages, turns;
	uint64_t tokens;    /* all, as a budget counts them */
	uint64_t estimated; /* of these tokens, those that are estimated */
	/* Of the tokens, those outside the messages. */
	struct ctx_request_overhead overhead;
	uint64_t framing; /* of the tokens, the constant part per message */
	uint64_t chars, bytes;           /* of the texts; of the JSON */
	uint64_t kinds[CTX_BLOCK_KINDS]; /* of the tokens, by block kind */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS]; /* of kinds, the estimated
							ones */
	/* Input tokens that the provider billed for the request that this
	 * message answers; of a conversation in a record: for its last request.
	 * 0: the input does not say. */
	uint64_t billed;
	uint64_t prompt_tokens, prompt_estimated; /* as in struct ctx_cost */
	/* Of a message only: */
	uint64_t index; /* in the conversation, from 0 */
	uint64_t turn;
	enum ctx_role role;
	struct ctx_str tool; /* of its first tool call or result; n 0: none */
	const struct ctx_message *message;
	/* One entry per tool, in order of first use, if ctx_count_hooks.shares
	 * is set.  Valid during the call. */
	const struct ctx_share *shares;
	size_t n_shares;
};

/*
 * Callbacks of ctx_count_stream: message is called for each message, ended for
 * each conversation, the stream's own last.  Either may be NULL.
 */
struct ctx_count_hooks {
	void *user;
	int (*message)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	int (*ended)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	bool shares; /* fill in ctx_token_stats.shares of messages */
};
/* Counts a stream, and calls the hooks; a negative value that one returns ends
 * the run.  Memory: one record and the open tool calls. */
int ctx_count_stream(struct ctx_stream *stream,
    struct ctx_model_counters *counters, const struct ctx_count_hooks *hooks,
    struct ctx_err *err);

/* ---- count/annotate.c: the stream, with token counts in it -------------- */

/*
 * Copies a stream.  Writes its number of tokens into each record that is a
 * message or holds conversations, as the value of the member key.  An existing
 * member is replaced; otherwise a last member is added.  Records that are
 * arrays are not changed, nor are messages whose tokens are those of their
 * whole JSON, since the member would count, too.  Providers refuse members that
 * they do not know, so the output is for people and scripts.  Memory: one
 * record.
 */
int ctx_annotate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, const char *key, struct ctx_err *err);

#endif
