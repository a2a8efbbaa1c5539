/*
 * replay.h - replays recorded sessions request by request, and adds up what a
 * provider bills for them (ctx-replay)
 */
#ifndef CTX_REPLAY_H
#define CTX_REPLAY_H

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "prune/prune.h"
#include "stream/stream.h"

/* ---- replay/recorded_session.c: the requests of a session ---------------- */

/* A recorded session: its messages, and the requests that they answer. */
struct ctx_replay_session;

/* Receives the sessions of a stream.  Returns 0, or -1 with *err, which ends
 * the reading. */
typedef int ctx_replay_take(void *user, struct ctx_replay_session *session,
    struct ctx_err *err);
/* Reads a stream, and calls take for each of its conversations that has a
 * request.  The session is valid until take returns.  Every message that a
 * model has written, or several that belong together, answers a request.  In a
 * session file these are also the requests before a compaction and on abandoned
 * branches.  Memory needed: about 150 bytes per message; with keeps_messages,
 * which ctx_replay_pruned needs, also 500 bytes per message and the stream. */
int ctx_replay_read(struct ctx_stream *stream,
    struct ctx_model_counters *counters, bool keeps_messages,
    ctx_replay_take *take, void *user, struct ctx_err *err);

/* ---- replay/bill.c: what the requests cost ------------------------------- */

/* Reasons for which a provider may have read another number of tokens from its
 * cache than the replay. */
enum ctx_replay_reason {
	CTX_REPLAY_EQUAL, /* the numbers differ by at most 2 % */
	/* Nothing of the session was stored any more, because its lifetime had
	 * passed.  The session does not say how much of the beginning other
	 * sessions share. */
	CTX_REPLAY_EXPIRED,
	/* The messages were replaced, by a compaction or on another branch.
	 * The session does not say how much before them was stored. */
	CTX_REPLAY_REPLACED,
	/* The provider read no more than other sessions share, although the
	 * replay found a longer beginning: system prompt or tools have changed,
	 * or the provider has dropped what it had stored. */
	CTX_REPLAY_BEGINNING,
	/* The provider read only a part of the beginning that the replay found:
	 * earlier messages have changed, or a part was dropped. */
	CTX_REPLAY_SHORTER,
	/* The provider read more, after more time than the cache stores. */
	CTX_REPLAY_KEPT_LONGER,
	/* The provider read more: a request that is not in the session has
	 * written it. */
	CTX_REPLAY_LONGER,
	CTX_REPLAY_REASONS
};
/* Returns the name of a reason ("beginning"), and what it means in words. */
const char *ctx_replay_reason_name(enum ctx_replay_reason reason);
const char *ctx_replay_reason_text(enum ctx_replay_reason reason);

/* Settings of a replay. */
struct ctx_replay_options {
	/* How long a cache with breakpoints stores what the session does not
	 * say. */
	enum ctx_ttl ttl;
	/* Prices of requests without a timestamp are those of this time:
	 * seconds since 1970. */
	int64_t now;
};

/* Sum of the tokens and costs of requests. */
struct ctx_replay_bill {
	struct ctx_billed_usage tokens;
	double dollars;
	/* Number of requests whose cost is not in dollars, because the prices
	 * of their models are not known. */
	uint64_t unpriced;
};
/* A request after it was replayed. */
struct ctx_replayed_request {
	const char *file;
	uint64_t line;                 /* where the response begins */
	uint64_t index;                /* of the request, from 0 */
	const struct ctx_model *model; /* NULL: not known */
	/* Milliseconds since the request before; -1: not known. */
	int64_t pause;
	/* True if the session reports what was billed, and what was read from
	 * the cache. */
	bool is_recorded, has_reads;
	struct ctx_billed_usage recorded, replayed;
	enum ctx_replay_reason reason;
};
/* Result of replaying a session. */
struct ctx_replay_outcome {
	const char *file;
	uint64_t line; /* of a conversation inside a record; else 0 */
	const struct ctx_model *model; /* of the last request */
	uint64_t requests;             /* number of requests */
	uint64_t untimed;              /* of them, those without a timestamp */
	/* Tokens that every request has outside its messages (system prompt and
	 * tools), and how many of them the first request read from the cache,
	 * because other sessions had written them. */
	uint64_t outside, shared;
	/* The requests that report what was read from the cache: as recorded,
	 * and as replayed.  all: every request, as replayed. */
	struct ctx_replay_bill recorded, replayed, all;
	/* Number of requests with a reason.  The first request that reports
	 * what was read is not among them: the replay takes its numbers. */
	uint64_t reasons[CTX_REPLAY_REASONS];
	/* For each reason: the tokens read in the records minus those of the
	 * replay. */
	int64_t differences[CTX_REPLAY_REASONS];
};
/* Replays a session.  Calls each, unless it is NULL, for every request. */
int ctx_replay_bill(struct ctx_replay_session *session,
    const struct ctx_replay_options *options,
    int (*each)(void *user, const struct ctx_replayed_request *request,
	struct ctx_err *err),
    void *user, struct ctx_replay_outcome *outcome, struct ctx_err *err);

/* ---- replay/pruned_replay.c: what pruning would have cost ---------------- */

/* A policy: what ctx-prune does to the prompt of each request. */
struct ctx_replay_policy {
	/* Its strategy makes no summary, and its level is not aggressive. */
	const struct ctx_prune_config *config;
	/* False if all messages of the session are pruned for each request;
	 * true if those are pruned that an earlier request has left. */
	bool feeds_back;
};
/* Result of replaying sessions with a policy. */
struct ctx_replay_pruned {
	struct ctx_replay_bill bill;
	uint64_t requests; /* number of requests */
	uint64_t changed;  /* of them, those whose prompt was pruned */
	uint64_t over;     /* those whose prompt exceeds the budget */
};
/* Replays a session whose prompts are pruned.  ctx_replay_bill must have been
 * called for the session, which must keep its messages.  now: as in struct
 * ctx_replay_options.  Adds the result to *pruned.  CTX_EARG: see
 * ctx_prune_settings_for. */
int ctx_replay_pruned(struct ctx_replay_session *session,
    const struct ctx_replay_policy *policy, int64_t now,
    struct ctx_replay_pruned *pruned, struct ctx_err *err);

#endif
