/* pruned_history.h - the messages from which the prompts of a session are
 * pruned: those of the session, or what pruning for earlier requests has left
 * of them */
#ifndef CTX_REPLAY_PRUNED_HISTORY_H
#define CTX_REPLAY_PRUNED_HISTORY_H

#include "prune/held_conversation.h"
#include "replay/recorded_session.h"

/* The edits of messages that the replay knows. */
#define REPLAYED_EDITS (CTX_MARK_STRIP | CTX_MARK_CLEAR)

/* A message of the history. */
struct pruned_message {
	/* Must be the first member.  Its text is NULL unless the strategy
	 * summarizes: else no message is read again. */
	struct prune_entry entry;
	/* The recorded message; NULL for a summary that was inserted as a
	 * message for an earlier request. */
	const struct replay_message *recorded;
	/* If the record also contains the answer: that message; else NULL. */
	const struct replay_message *answer;
	/* Tokens and hash of the summary that was inserted as this message, or
	 * into it, for an earlier request; both 0 if none was. */
	uint64_t summary_tokens, summary_hash;
	/* which kinds of edits were made for earlier requests, as CTX_MARK_...
	 * flags */
	uint8_t edits;
	uint8_t n; /* number of segments of the message */
};

/* The history of a session.  Its messages are held as ctx-prune holds them, in
 * prune.stream_conversation. */
struct pruned_history {
	const struct ctx_replay_session *session;
	/* settings of the policy, without what the messages decide */
	struct ctx_prune_settings settings;
	struct prune prune;
	struct prompt_walk walk; /* through the session's prompts */
	/* text and hash of the newest summary that was inserted */
	struct ctx_buf summary;
	uint64_t summary_hash;
	struct ctx_hashkey key; /* for this hash */
};

/* Begins an empty history.  The caller has set session and settings. */
int ctx_pruned_history_open(struct pruned_history *history,
    const struct ctx_replay_policy *policy, struct ctx_err *err);
void ctx_pruned_history_release(struct pruned_history *history);
/* Makes the history the messages of a request's prompt.  If the prompt
 * continues the previous request's prompt, only its new messages are appended;
 * otherwise the history is emptied before.  prompt: node of the session's
 * tree. */
int ctx_pruned_history_extend(struct pruned_history *history, uint32_t prompt,
    struct ctx_err *err);
/* Inserts the summary that the strategy makes of what the plan removes.
 * feeds_back: true if ctx_pruned_history_feed_back follows. */
int ctx_pruned_history_summarize(struct pruned_history *history,
    bool feeds_back, struct ctx_err *err);
/* Makes the history what the plan leaves of it, so that the next request
 * continues the pruned prompt instead of the full one. */
int ctx_pruned_history_feed_back(struct pruned_history *history,
    struct ctx_err *err);

static inline size_t
ctx_pruned_history_count(const struct pruned_history *history)
{
	return history->prune.rewrite.lines.end;
}

static inline struct pruned_message *
ctx_pruned_history_at(const struct pruned_history *history, size_t i)
{
	return ctx_held_queue_at(&history->prune.rewrite.lines, i);
}

/* Returns the tokens of the answer in a record that also contains the prompt.
 * edits: the edits that were made to the record. */
uint64_t ctx_pruned_history_count_answer(const struct replay_message *answer,
    unsigned edits);

#endif
