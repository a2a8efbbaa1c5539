/*
 * count.h - counts the tokens of conversations; used by ctx-count
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

/* The tokens of one tool in one message: the tokens of this tool's calls and
 * results.  In a message with the role tool, the first tool of the message also
 * gets all other tokens, such as those of the role. */
struct ctx_share {
	struct ctx_str tool;
	uint64_t tokens;
	/* number of this tool's tokens that are estimated */
	uint64_t estimated;
	/* Number of characters in this tool's calls and results. */
	uint64_t chars;
};

/* The last request of a conversation for which the input reports how many input
 * tokens the provider has billed. */
struct ctx_last_request {
	/* Input tokens that the provider has billed for the request, including
	 * tokens that were read from the prompt cache or written to the cache.
	 * 0 if the input reports no billed tokens, or none after the newest
	 * compaction (replacement of messages by a summary). */
	uint64_t billed;
	/* Number of tokens that ctx counts in the part of the conversation that
	 * was sent with the request: everything before the response. */
	uint64_t counted;
	/* True if a compaction has replaced messages by a summary, and the
	 * input reports no billed tokens for a later request, although the
	 * message format has a member for such numbers. */
	bool compacted;
};

/* Token counts of a conversation, or of a single message. */
struct ctx_token_stats {
	const char *file;
	/* Number of the line that contains the conversation or message. 0 for a
	 * conversation in which each message is a line. */
	uint64_t line;
	/* Message format of the conversation, or NULL if the conversation has
	 * no message. */
	const struct ctx_dialect *dialect;
	const struct ctx_model *model; /* NULL if the model is not known */
	/* The name of the model, given by the input or by the caller. */
	struct ctx_str model_name;
	const char *encoding;
	/* Name of the model that decides how tokens are counted, because of the
	 * format, although no model is known.  NULL if the format does not
	 * decide it. */
	const char *counted_like;
	uint64_t messages, turns;
	/* Number of all tokens: in the messages, the system prompt and the tool
	 * definitions. */
	uint64_t tokens;
	uint64_t estimated; /* number of tokens that are estimated */
	/* How far the token counts can be trusted (see enum ctx_basis).  If
	 * basis is not CTX_BASIS_ESTIMATED, only the tokens in the member
	 * "estimated" are estimates. */
	enum ctx_basis basis;
	/* Tokens of the request outside its messages: those of the system
	 * prompt and the tool definitions. */
	struct ctx_request_overhead overhead;
	/* Number of tokens that the provider adds to the messages for their
	 * roles and delimiters. */
	uint64_t framing;
	/* chars: number of characters in the texts of the conversation or
	 * message; bytes: length of the JSON of the conversation or message in
	 * bytes. */
	uint64_t chars, bytes;
	/* Number of tokens of each kind of content block. */
	uint64_t kinds[CTX_BLOCK_KINDS];
	/* For each kind of content block: number of estimated tokens in blocks
	 * of this kind. */
	uint64_t estimated_by_kind[CTX_BLOCK_KINDS];
	/* For a message: number of input tokens that the provider has billed
	 * for the request that this message answers.  For a conversation inside
	 * a record: number of input tokens that were billed for the last
	 * request of the conversation. 0 if the input does not report the
	 * number, for a part of a message that a later record continues, and
	 * for any other conversation. */
	uint64_t billed;
	struct ctx_last_request last; /* set only for a conversation */
	/* For a transcript (session file of an agent): true if the parent of
	 * its first message is not in the file, so that earlier messages are
	 * not counted. */
	bool lacks_earlier;
	/* For a message that contains both a prompt and the answer to it.
	 * prompt_tokens: number of tokens of the prompt. prompt_estimated: how
	 * many of them are estimated.  0 for other messages, and for a
	 * conversation. */
	uint64_t prompt_tokens, prompt_estimated;
	/* The members from "index" to "n_shares" are set only for a message,
	 * not for a conversation. */
	uint64_t index; /* index of the message in the conversation, from 0 */
	uint64_t turn;
	enum ctx_role role;
	/* Name of the tool in the first tool call or tool result of the
	 * message. tool.n is 0 if there is none or its name is not known, and
	 * for tool results with a text of the user after them. */
	struct ctx_str tool;
	const struct ctx_message *message;
	/* Token counts of the tools that the message calls or has results of,
	 * in the order in which these tools first occur in the message.  Set
	 * only if ctx_count_hooks.shares is true.  Valid until the callback
	 * returns. */
	const struct ctx_share *shares;
	size_t n_shares;
};

/*
 * Callbacks of ctx_count_stream; each may be NULL. message: called for each
 * message. ended: called at the end of each conversation, but not after an
 * error.  Messages that are separate records form one conversation, which ends
 * with the stream.
 */
struct ctx_count_hooks {
	void *user;
	int (*message)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	int (*ended)(void *user, const struct ctx_token_stats *tally,
	    struct ctx_err *err);
	/* True if the tokens of each tool in a message are counted, too
	 * (ctx_token_stats.shares). */
	bool shares;
};
/* Counts the tokens of all messages and conversations in a stream, and passes
 * the counts to the callbacks in *hooks.  If a callback returns a negative
 * value, stops and fails.  Memory needed: that for one record, and for the tool
 * calls without a result. */
int ctx_count_stream(struct ctx_stream *stream,
    struct ctx_model_counters *counters, const struct ctx_count_hooks *hooks,
    struct ctx_err *err);

/* Returns the number of tokens that ctx counts in a conversation after its last
 * billed request: in the response to this request, and in later messages.
 * Returns 0 if stats->last.billed is 0. */
uint64_t ctx_tokens_after_request(const struct ctx_token_stats *stats);
/* Returns how many tokens of the last billed request have no text in the input,
 * such as those of a system prompt: the billed tokens minus the tokens that ctx
 * counts in the request.  Returns 0 if ctx counts more than was billed. */
uint64_t ctx_tokens_not_in_input(const struct ctx_token_stats *stats);
/* Returns the number of tokens of a conversation.  If stats->last.billed is not
 * 0: these tokens, which were billed for the last billed request, plus the
 * tokens that ctx counts after this request.  Otherwise: the tokens that ctx
 * counts in the whole conversation. */
uint64_t ctx_context_tokens(const struct ctx_token_stats *stats);

/* ---- count/annotate.c: writes token counts into a stream ---------------- */

/*
 * Copies a stream of JSON records, and adds to each record that is a message or
 * contains a conversation a JSON member with the number of tokens of the
 * record. key: name of this member.  If the record already has a member of this
 * name, replaces the value of the member; otherwise adds the member at the end
 * of the JSON object.
 *
 * Does not change records that are arrays.
 *
 * The output is for people and scripts: providers refuse JSON members that are
 * not in their message formats.  Each changed record is reported and archived
 * as *report says.  Memory needed: one record.
 */
int ctx_annotate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, const char *key,
    const struct ctx_report *report, struct ctx_err *err);

#endif
