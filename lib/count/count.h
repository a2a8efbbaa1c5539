/*
 * count.h - counts the tokens of conversations, for ctx-count
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

/* The tokens of one message that belong to one tool: those of its calls and of
 * its results.  The first tool of a message with the role tool also has the
 * tokens of the message that belong to no result, such as framing. */
struct ctx_share {
	struct ctx_str tool;
	uint64_t tokens;
	uint64_t estimated; /* how many of the tool's tokens are estimated */
	/* Number of characters in the calls and the results. */
	uint64_t chars;
};

/* The last request of a conversation of which the input reports how many input
 * tokens the provider has billed. */
struct ctx_last_request {
	/* Input tokens that the provider has billed, with those that were read
	 * from the prompt cache or written to it. 0: no request reports them,
	 * or none after the newest compaction. */
	uint64_t billed;
	/* Tokens that ctx counts in what the request has sent of this
	 * conversation: all that is before its response. */
	uint64_t counted;
	/* True if a compaction has replaced messages, and no request after it
	 * reports its input tokens, although the format has a place for
	 * them. */
	bool compacted;
};

/* Token counts of a conversation, or of a single message. */
struct ctx_token_stats {
	const char *file;
	/* Number of the line with the conversation or message. 0 for a
	 * conversation that has many lines, each of them a message. */
	uint64_t line;
	/* Message format of the conversation.  NULL if the conversation has no
	 * message. */
	const struct ctx_dialect *dialect;
	const struct ctx_model *model; /* NULL if the model is not known */
	/* The model's name, from the input or the caller. */
	struct ctx_str model_name;
	const char *encoding;
	uint64_t messages, turns;
	/* Number of all tokens: those of the messages, and those of the system
	 * prompt and the tool definitions. */
	uint64_t tokens;
	uint64_t estimated; /* how many of all tokens are estimated */
	/* Reliability of the tokens that are not estimated: exact, or
	 * reconstructed (see enum ctx_basis). */
	enum ctx_basis basis;
	/* Tokens of the request that are not in its messages: the system prompt
	 * and the tool definitions. */
	struct ctx_request_overhead overhead;
	/* Tokens that the provider adds to every message, whatever it
	 * contains, such as those for its role and its delimiters. */
	uint64_t framing;
	/* Lengths of the conversation or message: chars is the number of
	 * characters in its texts, bytes the length of its JSON. */
	uint64_t chars, bytes;
	/* Tokens of each kind of content block. */
	uint64_t kinds[CTX_BLOCK_KINDS];
	/* Of the tokens of each kind of content block, those that are
	 * estimated. */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS];
	/* Input tokens that the provider billed.  For a message: those of the
	 * request that it answers.  For a conversation inside a record: those
	 * of its last request. 0 if the input does not report them. */
	uint64_t billed;
	struct ctx_last_request last; /* only for a conversation */
	/* Only for a message that contains a prompt and the answer to it:
	 * tokens of the prompt, and how many of these are estimated.
	 * Otherwise 0. */
	uint64_t prompt_tokens, prompt_estimated;
	/* The remaining members are set for a message, but not for a
	 * conversation. */
	uint64_t index; /* index of the message in the conversation, from 0 */
	uint64_t turn;
	enum ctx_role role;
	/* Tool name of the message's first tool call or tool result; its
	 * length n is 0 if there is none. */
	struct ctx_str tool;
	const struct ctx_message *message;
	/* Token counts of each tool that the message calls or has results of,
	 * in the order of their first use.  Set if ctx_count_hooks.shares is
	 * true, and valid only until the callback returns. */
	const struct ctx_share *shares;
	size_t n_shares;
};

/*
 * Callbacks of ctx_count_stream, each of which may be NULL. message is called
 * for each message; ended is called at the end of each conversation.  If each
 * message of the stream is a record, these messages are one conversation, which
 * ends with the stream.
 */
struct ctx_count_hooks {
	void *user;
	int (*message)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	int (*ended)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	/* True if the tokens of each tool in a message must be counted, too. */
	bool shares;
};
/* Counts the tokens of all messages and conversations in a stream, and calls
 * the callbacks in *hooks with them.  A callback that returns a negative value
 * ends the run.  Memory needed: one record, and the tool calls that have no
 * result yet. */
int ctx_count_stream(struct ctx_stream *stream,
    struct ctx_model_counters *counters, const struct ctx_count_hooks *hooks,
    struct ctx_err *err);

/* ---- count/last_request.c: the last billed request of a conversation ----- */

/* Returns the tokens that ctx counts in a conversation after its last billed
 * request: in the response, and in messages after it. */
uint64_t ctx_tokens_after_request(const struct ctx_token_stats *stats);
/* Returns by how many tokens the billed tokens of the last request exceed the
 * tokens that ctx counts in it.  These are not in the input, such as those of a
 * system prompt and of tools.  Returns 0 if ctx counts more than was billed. */
uint64_t ctx_tokens_not_in_input(const struct ctx_token_stats *stats);
/* Returns how many tokens a conversation has.  If the input reports what was
 * billed for a request, these are the billed tokens of the last request and
 * those that ctx counts after it; otherwise all are counted by ctx. */
uint64_t ctx_context_tokens(const struct ctx_token_stats *stats);

/* ---- count/annotate.c: writes token counts into a stream ---------------- */

/*
 * Copies a stream of JSON records.  To each record with messages, adds how many
 * tokens it has, as the value of the JSON member key.  If the record has this
 * member, its value is replaced; otherwise it becomes the last member.
 *
 * Not changed are arrays, and messages whose tokens are counted from their
 * whole JSON, since the new member would count, too.
 *
 * The output is for people and scripts: providers refuse members that they do
 * not know.  Each changed record is reported and archived by *report.  Memory
 * needed: one record.
 */
int ctx_annotate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, const char *key,
    const struct ctx_report *report, struct ctx_err *err);

#endif
