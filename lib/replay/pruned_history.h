/* pruned_history.h - the messages that ctx-replay prunes to get the prompts of
 * a session: all messages of the session, or those that earlier pruning has
 * left */
#ifndef CTX_REPLAY_PRUNED_HISTORY_H
#define CTX_REPLAY_PRUNED_HISTORY_H

#include "prune/held_conversation.h"
#include "replay/recorded_session.h"

/* The kinds of edits of messages that ctx-replay can make. */
#define REPLAYED_EDITS (CTX_MARK_STRIP | CTX_MARK_CLEAR | CTX_MARK_PASSAGES)

/* A message of the history (the messages that are pruned). */
struct pruned_message {
	/* The first member. entry.held.text is NULL unless messages are parsed
	 * again, which is needed if the strategy summarizes or shortens tool
	 * results to passages. */
	struct prune_entry entry;
	/* The recorded message, or NULL for a summary that was inserted as a
	 * message for an earlier request. */
	const struct replay_message *recorded;
	/* If the record contains both this message, which is a prompt, and its
	 * answer: the message with the answer.  Otherwise NULL. */
	const struct replay_message *answer;
	/* If this message, or a block of it, is a summary that was inserted for
	 * an earlier request: number of tokens and hash of the summary.
	 * Otherwise 0. */
	uint64_t summary_tokens, summary_hash;
	/* passages_hash: hash of the passages (a few lines each) that the
	 * newest plan removes from the message. removed_hash, removed_tokens:
	 * hash and number of tokens of the passages that were removed for
	 * earlier requests.  0 if there are none. */
	uint64_t passages_hash, removed_hash, removed_tokens;
	/* number of tokens that the newest plan saves by removing passages of
	 * this message */
	uint32_t passage_savings;
	/* Number of the message in session.texts and session.removals.  0 if
	 * the message is a summary, or was changed for an earlier request. */
	uint32_t shared_number;
	/* kinds of edits that were made in this message for earlier requests,
	 * as CTX_MARK_... flags */
	uint8_t edits;
	uint8_t n; /* number of segments (the message or its parts) */
};

/* The history of a session: the messages that are pruned. */
struct pruned_history {
	struct ctx_replay_session *session;
	/* settings with which ctx-prune would prune the session */
	struct ctx_prune_settings settings;
	struct prune prune;
	/* Points to prune.stream_conversation, which contains the messages of
	 * the history. ctx-prune uses that member for a stream of messages. */
	struct held_conversation *conversation;
	struct prompt_walk walk; /* prompt that is in the history */
	/* Text and hash of the summary that was inserted last. */
	struct ctx_buf summary;
	uint64_t summary_hash;
};

/* Begins an empty history.  The caller must have set the members session and
 * settings. */
int ctx_pruned_history_open(struct pruned_history *history,
    const struct ctx_replay_policy *policy, struct ctx_err *err);
void ctx_pruned_history_release(struct pruned_history *history);
/* Changes the history (the messages that are pruned) to the messages of a
 * request's prompt.  If the prompt continues the previous request's prompt,
 * appends only the new messages.  Otherwise empties the history first. prompt:
 * node in the session's tree of prompts. */
int ctx_pruned_history_extend(struct pruned_history *history, uint32_t prompt,
    struct ctx_err *err);
/* If the strategy shortens tool results to passages: sets the member
 * passage_savings of all segments (messages or parts of messages), the number
 * of tokens that removing passages saves.  The caller must first call
 * ctx_scorer_rank.  The tokens of a recorded message are counted again only if
 * passages are removed from it that no policy has removed before. */
int ctx_pruned_history_count_passages(struct pruned_history *history,
    struct ctx_err *err);
/* Returns 1 if a tool result of a message contains a name, 0 if not, or -1 with
 * *err. segment: index of the message's segment, if the plan removes passages
 * that are still in the message's text; these passages are not searched.
 * Otherwise SIZE_MAX. */
int ctx_pruned_history_search_results(struct pruned_history *history,
    const struct pruned_message *message, size_t segment, struct ctx_str name,
    struct ctx_err *err);
/* If the strategy summarizes, inserts the summary of the messages that the plan
 * removes. feeds_back: true if ctx_pruned_history_feed_back will be called.
 * The texts of the messages are then edited as planned, if they are stored. */
int ctx_pruned_history_summarize(struct pruned_history *history,
    bool feeds_back, struct ctx_err *err);
/* Makes the pruned prompt the history: removes the messages that the pruned
 * prompt lacks, and edits the messages that are shortened in it.  The next
 * prompt then consists of the pruned prompt and the newer messages. */
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

/* Returns the number of tokens of the answer in a record that contains both a
 * prompt and its answer. edits: the edits that were made to the record. */
uint64_t ctx_pruned_history_count_answer(const struct replay_message *answer,
    unsigned edits);

#endif
