/*
 * replay.h - replays recorded sessions request by request through a simulated
 * prompt cache of the provider, and adds up what the provider bills
 * (ctx-replay)
 */
#ifndef CTX_REPLAY_H
#define CTX_REPLAY_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "prune/prune.h"
#include "stream/stream.h"

/* ---- replay/recorded_session.c: the requests of a session ---------------- */

/* A recorded session: its messages, and the requests to which the model's
 * messages are the responses. */
struct ctx_replay_session;

/* A callback that gets each session of a stream.  Returns 0, or -1 with *err to
 * end the reading. */
typedef int ctx_replay_take(void *user, struct ctx_replay_session *session,
    struct ctx_err *err);
/*
 * Reads a stream, and calls take for each conversation that contains a message
 * of a model.  The session is valid until take returns.  The session gets a
 * request for each response of the model, which is one message or several.  If
 * the stream is a session file, the requests before a compaction and on
 * abandoned branches are included. keeps_messages: true if the sessions store
 * their messages, as ctx_replay_pruned needs.
 *
 * Memory needed: about 150 bytes per message.  With keeps_messages: also 500
 * bytes per message, the size of the stream, the names in it (for strategies
 * that rank by names), and temporarily 60 bytes per byte of the different names
 * in arguments of tool calls.
 */
int ctx_replay_read(struct ctx_stream *stream,
    struct ctx_model_counters *counters, bool keeps_messages,
    ctx_replay_take *take, void *user, struct ctx_err *err);

/* ---- replay/bill.c: what the requests cost ------------------------------- */

/* Reasons why the number of tokens that a provider read from its cache differs
 * from the number that the replay computes. */
enum ctx_replay_reason {
	/* no difference: the numbers differ by at most 2 % */
	CTX_REPLAY_EQUAL,
	/* Everything that the session had stored in the cache had expired.  How
	 * much of the system prompt and tool definitions was in the cache
	 * because of other sessions is not known. */
	CTX_REPLAY_EXPIRED,
	/* No message of the prompt was stored: messages were replaced (by a
	 * compaction, or on another branch of the conversation) or changed, or
	 * thinking was switched on or off.  How much of the system prompt and
	 * tools was stored is not known. */
	CTX_REPLAY_REPLACED,
	/* The provider read at most the part of the system prompt and tool
	 * definitions that other sessions also send, although the replay found
	 * more in the cache.  Either the system prompt or tools have changed,
	 * or the provider has dropped what it had stored. */
	CTX_REPLAY_BEGINNING,
	/* The agent was started again; or the prompt has fewer tokens than what
	 * was stored of it, so the agent has changed or left out messages.  The
	 * session does not say what was changed. */
	CTX_REPLAY_CHANGED,
	/* The simulated cache contained a newer prompt, but the provider read
	 * only what an older prompt had stored.  Never for providers whose
	 * caches have breakpoints. */
	CTX_REPLAY_OLDER,
	/* The provider read fewer tokens from its cache than the replay found
	 * there, but more than system prompt and tools.  Either earlier
	 * messages have changed, or the provider has dropped a part. */
	CTX_REPLAY_SHORTER,
	/* The provider read more tokens from its cache than the replay found
	 * there, after a pause longer than the lifetime of the cache: the
	 * provider still had the tokens. */
	CTX_REPLAY_KEPT_LONGER,
	/* The provider read more tokens from its cache than the replay found
	 * there: a request outside the session had written them to the
	 * cache. */
	CTX_REPLAY_LONGER,
	CTX_REPLAY_REASONS
};
/* ctx_replay_reason_name returns the name of a reason, such as "beginning".
 * ctx_replay_reason_text returns a phrase that explains it. */
const char *ctx_replay_reason_name(enum ctx_replay_reason reason);
const char *ctx_replay_reason_text(enum ctx_replay_reason reason);

/* Options of ctx_replay_bill. */
struct ctx_replay_options {
	/* How long the provider's cache stores a prompt with breakpoints: 5
	 * minutes or an hour.  Used if the session does not contain this
	 * time. */
	enum ctx_ttl ttl;
	/* Time in seconds since 1970.  Requests without a timestamp are billed
	 * with the prices of this time. */
	int64_t now;
};

/* The sums of the tokens and of the costs of requests. */
struct ctx_replay_bill {
	struct ctx_billed_usage tokens;
	double dollars;
	/* Number of requests whose costs are not included in the dollars,
	 * because the prices of their models are not known. */
	uint64_t unpriced;
};
/* The result of replaying one request. */
struct ctx_replayed_request {
	const char *file;
	/* number of the line of the session file on which the response
	 * begins */
	uint64_t line;
	/* number of the request in the session, from 0 */
	uint64_t index;
	/* model that wrote the response, or NULL if not known */
	const struct ctx_model *model;
	/* milliseconds since the previous request, or -1 if not known */
	int64_t pause;
	/* true if the session says how many billed tokens were read from the
	 * cache */
	bool has_reads;
	/* The billed tokens: those in the session, all 0 if the session does
	 * not contain them; and those that the replay computes. */
	struct ctx_billed_usage recorded, replayed;
	enum ctx_replay_reason reason;
};
/* The result of replaying a session. */
struct ctx_replay_outcome {
	const char *file;
	/* number of the line that contains the whole session; 0 if the messages
	 * of the session are lines of their own */
	uint64_t line;
	const struct ctx_model *model; /* model of the last request */
	uint64_t requests;             /* number of requests */
	/* number of requests without a timestamp */
	uint64_t untimed;
	/* outside: number of tokens that every request has outside its messages
	 * (system prompt, tool definitions). shared: how many of these tokens
	 * the first request read from the cache, where other sessions had
	 * stored them. */
	uint64_t outside, shared;
	/* Sums over requests. recorded: numbers in the session, for the
	 * requests that report what they read from the cache. replayed: numbers
	 * that the replay computes for the same requests. all: numbers that the
	 * replay computes for all requests. unpruned: as all, but with
	 * the cache reads of the session where they are over 2 % lower than
	 * those that the replay computes.  ctx_replay_pruned lowers the cache
	 * reads of these requests, too. */
	struct ctx_replay_bill recorded, replayed, all, unpruned;
	/* For each reason why the cache reads of the session and of the replay
	 * may differ: number of requests.  The first request that reports cache
	 * reads is not counted, because the replay takes its numbers from
	 * it. */
	uint64_t reasons[CTX_REPLAY_REASONS];
	/* Tokens that the compared requests read from the cache according to
	 * the session. compared_read: of all of them. equal_read: of those for
	 * which the replay computes a number that is equal within 2 %. */
	uint64_t compared_read, equal_read;
	/* For each reason why the cache reads of the session and of the replay
	 * may differ: sum, over the requests, of the tokens that were read from
	 * the cache according to the session, minus those that the replay
	 * computes. */
	int64_t differences[CTX_REPLAY_REASONS];
};
/* Replays a session request by request. each: callback for every request, or
 * NULL. */
int ctx_replay_bill(struct ctx_replay_session *session,
    const struct ctx_replay_options *options,
    int (*each)(void *user, const struct ctx_replayed_request *request,
	struct ctx_err *err),
    void *user, struct ctx_replay_outcome *outcome, struct ctx_err *err);

/* ---- replay/pruned_replay.c: what pruning would have cost ---------------- */

/* How the prompts of a session are pruned before they are sent: with options of
 * ctx-prune. */
struct ctx_replay_policy {
	/* The options.  The level may be aggressive only if the member
	 * truncates_texts of the strategy is false.  The summarizer must be the
	 * built-in one, not a command. */
	struct ctx_prune_config *config;
	/* Which messages are pruned for each request.  False: all messages of
	 * the session so far, as if the agent kept all of them.  True: the
	 * pruned prompt of the previous request and the messages after it, as
	 * if the agent kept only these. */
	bool feeds_back;
};
/* The result of replaying sessions with pruned prompts. */
struct ctx_replay_pruned {
	struct ctx_replay_bill bill;
	uint64_t requests; /* number of requests */
	uint64_t changed;  /* number of requests whose prompt was shortened */
	/* number of requests whose prompt exceeds the budget even after
	 * pruning */
	uint64_t over;
	/* Sums over all requests. needed: number of needed names (paths,
	 * identifiers, ids and numbers in the tool calls of a response that
	 * must come from older messages of the prompt, see needed_names.c).
	 * kept: number of needed names that the pruned prompts still
	 * contain. */
	uint64_t needed, kept;
};
/* Replays a session as if its prompts had been pruned, and adds the result to
 * *pruned.  The caller must first call ctx_replay_bill.  The session must have
 * stored its messages. now: see struct ctx_replay_options.  Fails with CTX_EARG
 * if no summary can be inserted, or if ctx_prune_settings_for fails with
 * CTX_EARG. */
int ctx_replay_pruned(struct ctx_replay_session *session,
    const struct ctx_replay_policy *policy, int64_t now,
    struct ctx_replay_pruned *pruned, struct ctx_err *err);

#endif
