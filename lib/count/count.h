/*
 * count.h - counts the tokens of a stream of conversations, for ctx-count
 */
#ifndef CTX_COUNT_H
#define CTX_COUNT_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "message/message.h"
#include "stream/stream.h"

/* ---- count/count_stream.c: counts the tokens of a stream ---------------- */

/* Tokens that the calls and the results of one tool take in one message. */
struct ctx_share {
	struct ctx_str tool;
	uint64_t tokens;  /* tokens of the tool's calls and results */
	uint64_t results; /* how many of the tool's tokens are in its results */
	uint64_t estimated; /* how many of the tool's tokens are estimated */
	/* Number of characters in the tool's calls and results. */
	uint64_t chars;
};

/* Token counts of a conversation, or of one message. */
struct ctx_token_stats {
	const char *file;
	/* Line number of the record with the conversation or message.  0 for
	 * the conversation whose messages are separate records. */
	uint64_t line;
	/* Message format of the conversation.  NULL if the conversation has no
	 * message. */
	const struct ctx_dialect *dialect;
	const struct ctx_model *model; /* NULL if the model is not known */
	/* The model's name, from the input or the caller. */
	struct ctx_str model_name;
	const char *encoding;
	uint64_t messages, turns;
	/* Number of all tokens, including those outside the messages. */
	uint64_t tokens;
	uint64_t estimated; /* how many of all tokens are estimated */
	/* Tokens of the request that are not in its messages: the system prompt
	 * and the tool definitions. */
	struct ctx_request_overhead overhead;
	/* Tokens that the format adds to every message, whatever it contains
	 * (role names and separators). */
	uint64_t framing;
	/* Number of characters in all texts, and number of bytes of the JSON.
	 */
	uint64_t chars, bytes;
	/* Tokens of each kind of content block. */
	uint64_t kinds[CTX_BLOCK_KINDS];
	/* How many tokens of each kind of content block are estimated. */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS];
	/* For a message: input tokens that the provider billed for the request
	 * that the message answers.  For a conversation inside a record: those
	 * of its last request.  0 if the input does not contain the billed
	 * tokens. */
	uint64_t billed;
	/* For a message that contains a prompt and its response: tokens of the
	 * prompt, and how many of them are estimated.  Otherwise 0. */
	uint64_t prompt_tokens, prompt_estimated;
	/* The struct members from here on are set only for a message, not for a
	 * conversation. */
	uint64_t index; /* position in the conversation, from 0 */
	uint64_t turn;
	enum ctx_role role;
	/* Name of the tool in the message's first tool call or result.  Its
	 * length n is 0 if the message has neither. */
	struct ctx_str tool;
	const struct ctx_message *message;
	/* Token counts of each tool in the message, in order of first use.  Set
	 * if ctx_count_hooks.shares is true, and valid only until the callback
	 * returns. */
	const struct ctx_share *shares;
	size_t n_shares;
};

/*
 * Callbacks of ctx_count_stream: message is called for each message, and ended
 * at the end of each conversation.  The conversation whose messages are
 * separate records ends last.  Either pointer may be NULL.
 */
struct ctx_count_hooks {
	void *user;
	int (*message)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	int (*ended)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	/* If true, the tokens of each tool in a message are counted, too. */
	bool shares;
};
/* Counts the tokens of a stream of conversations and calls the callbacks in
 * *hooks with them.  A callback that returns a negative value ends the run.
 * Memory needed: one record and the tool calls that have no result yet. */
int ctx_count_stream(struct ctx_stream *stream,
    struct ctx_model_counters *counters, const struct ctx_count_hooks *hooks,
    struct ctx_err *err);

/* ---- count/annotate.c: writes token counts into a stream ---------------- */

/*
 * Copies a stream of JSON records.  Writes into each record with messages how
 * many tokens it has, as the value of the JSON member key.  An existing member
 * is replaced; otherwise a last member is added.
 *
 * Two kinds of records are not changed: arrays, and messages whose tokens are
 * counted from their whole JSON, since the new member would count, too.
 *
 * The output is for people and scripts: providers refuse members that they do
 * not know.  Memory needed: one record.
 */
int ctx_annotate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, const char *key, struct ctx_err *err);

#endif
