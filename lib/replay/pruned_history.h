/* pruned_history.h - the messages from which the prompts of a session are
 * pruned: those of the session, or what earlier pruning has left of them */
#ifndef CTX_REPLAY_PRUNED_HISTORY_H
#define CTX_REPLAY_PRUNED_HISTORY_H

#include "prune/held_conversation.h"
#include "replay/recorded_session.h"

/* The kinds of edits of messages that the replay can handle. */
#define REPLAYED_EDITS (CTX_MARK_STRIP | CTX_MARK_CLEAR | CTX_MARK_PASSAGES)

/* A message of the history. */
struct pruned_message {
	/* Must be the first member.  Its text is NULL unless the strategy
	 * summarizes or cuts results, because otherwise no message is parsed
	 * again. */
	struct prune_entry entry;
	/* The recorded message, or NULL for a summary that was inserted as a
	 * message for an earlier request. */
	const struct replay_message *recorded;
	/* If the record also contains the answer: the message with the answer;
	 * otherwise NULL. */
	const struct replay_message *answer;
	/* Number of tokens and hash of the summary that was inserted as this
	 * message, or into it, for an earlier request. 0 if there is none. */
	uint64_t summary_tokens, summary_hash;
	/* Hash of the passages that the newest plan removes from the message;
	 * then hash and number of tokens of the passages that were removed for
	 * earlier requests. 0 if there are none. */
	uint64_t passages_hash, removed_hash, removed_tokens;
	/* number of tokens that the newest plan saves by removing passages */
	uint32_t passage_savings;
	/* kinds of edits that were made for earlier requests, as CTX_MARK_...
	 * flags */
	uint8_t edits;
	uint8_t n; /* number of segments of the message */
};

/* The history of a session.  Its messages are held in
 * prune.stream_conversation, in the same way as in ctx-prune. */
struct pruned_history {
	const struct ctx_replay_session *session;
	/* settings of the policy, without those that the messages determine */
	struct ctx_prune_settings settings;
	struct prune prune;
	struct prompt_walk walk; /* walk through the prompts of the session */
	/* Text and hash of the summary that was inserted last. */
	struct ctx_buf summary;
	uint64_t summary_hash;
	struct ctx_hashkey key; /* key for summary_hash */
};

/* Begins an empty history.  The caller must have set the members session and
 * settings. */
int ctx_pruned_history_open(struct pruned_history *history,
    const struct ctx_replay_policy *policy, struct ctx_err *err);
void ctx_pruned_history_release(struct pruned_history *history);
/* Changes the history to the messages of a request's prompt.  If the prompt
 * continues that of the request before, appends only its new messages;
 * otherwise empties the history first. prompt: node of the session's tree. */
int ctx_pruned_history_extend(struct pruned_history *history, uint32_t prompt,
    struct ctx_err *err);
/* If the strategy cuts tool results: sets the member passage_savings of all
 * segments.  Called after ctx_scorer_rank.  The tokens of a message are counted
 * again only if other passages are removed than for the request before. */
int ctx_pruned_history_count_passages(struct pruned_history *history,
    struct ctx_err *err);
/* Returns 1 if the tool result of a message contains a name, 0 if not, or -1
 * with *err.  segment: index of the message's segment if the plan removes
 * passages that are still in the message's text; else SIZE_MAX. */
int ctx_pruned_history_search_result(struct pruned_history *history,
    const struct pruned_message *message, size_t segment, struct ctx_str name,
    struct ctx_err *err);
/* If the strategy summarizes, inserts the summary of the messages that the plan
 * removes.  feeds_back: true if ctx_pruned_history_feed_back will be called;
 * the texts of the messages are then edited as planned. */
int ctx_pruned_history_summarize(struct pruned_history *history,
    bool feeds_back, struct ctx_err *err);
/* Changes the history to what the plan leaves of it, so that the next request
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

/* Returns the number of tokens of the answer in a record that also contains the
 * prompt. edits: edits that were made to the record. */
uint64_t ctx_pruned_history_count_answer(const struct replay_message *answer,
    unsigned edits);

#endif
