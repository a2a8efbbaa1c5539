/* plan.h - shared by the strategies and the files plan*.c */
#ifndef CTX_PRUNE_PLAN_H
#define CTX_PRUNE_PLAN_H

#include "prune/prune.h"
#include "truncate/text_segments.h"

/* Functions that decide what is removed.  A function may serve several
 * strategies. ctx_ranked_decide removes the groups with the lowest ranks; the
 * strategies salient and heuristic and other functions use it. ctx_split_decide
 * also removes by rank, but may remove the user messages of a turn and keep its
 * other messages. ctx_recall_decide calls ctx_split_decide if the settings
 * allow this. */
ctx_strategy_decide ctx_fifo_decide, ctx_window_decide, ctx_summarize_decide,
    ctx_ranked_decide, ctx_recall_decide, ctx_split_decide;

/* Returns the number of tokens that are saved if segment i (message or part of
 * one) is removed.  If a message has two segments, both include the tokens for
 * its role.  If both are removed, these tokens are saved once, by the second
 * segment. */
uint64_t ctx_plan_freed_tokens(const struct ctx_plan *plan, size_t i);
/* Chooses the segments before which a notice (a text that says that messages
 * were removed) is inserted.  Called after all other decisions.  Chooses none
 * if the conversation has not ended (plan->ended is false).  In any case, if no
 * message between two notices of earlier runs is kept, removes the first of
 * these notices. */
void ctx_notice_place(struct ctx_plan *plan);
/* Returns the number of tokens of all notices together: kept notices of earlier
 * runs, and new notices. */
uint64_t ctx_notice_cost(const struct ctx_plan *plan);
/* Removes notices, the oldest first, until the conversation does not exceed the
 * budget.  A notice of an earlier run is removed only if a user message comes
 * after it; without this condition roles might not alternate. */
void ctx_notice_remove(struct ctx_plan *plan);

/* A message that a scorer reads. */
struct ctx_scored_message {
	const struct ctx_message *message;
	/* index of the first segment of the message */
	size_t first;
	/* see prune_entry.excluded_results */
	const bool *excluded;
	/* true if arguments of tool calls must not be cut */
	bool keeps_arguments;
	/* If options.shared is not NULL: number of the message in
	 * *options.shared, the same for each scorer that reads the message.  0
	 * if no other scorer reads the message. */
	uint32_t number;
};

/* The functions of one kind of scorer.  A scorer computes the rank of each
 * segment from its text.  The struct of each kind begins with a struct
 * ctx_scorer. */
struct ctx_scorer_kind {
	size_t size; /* size of the scorer's struct in bytes */
	/* Reads a message, which the caller must already have added to the
	 * groups with ctx_groups_add. */
	int (*add)(struct ctx_scorer *scorer,
	    const struct ctx_scored_message *scored,
	    const struct ctx_groups *groups, struct ctx_err *err);
	/* implements ctx_scorer_rank */
	int (*rank)(struct ctx_scorer *scorer, const struct ctx_plan *plan,
	    struct ctx_err *err);
	/* Implements ctx_scorer_find_removed.  NULL if the strategy removes no
	 * passages (a few lines each). */
	int (*find_removed)(struct ctx_scorer *scorer, size_t segment,
	    struct passages *removed, struct ctx_err *err);
	/* Frees the memory that ctx_scorer_find_removed does not need.  NULL if
	 * the strategy removes no passages. */
	void (*finish)(struct ctx_scorer *scorer);
	void (*reset)(struct ctx_scorer *scorer);
	void (*release)(struct ctx_scorer *scorer);
};
struct ctx_scorer {
	const struct ctx_scorer_kind *kind;
	struct ctx_scorer_options options;
	/* counts the tokens of the next message; owned by the caller */
	struct ctx_counter *counter;
};

extern const struct ctx_scorer_kind ctx_heuristic_kind, ctx_recall_kind,
    ctx_salient_kind;
enum { CTX_HEURISTIC_REASONS = 5, CTX_SALIENT_REASONS = 2 };
extern const char *const ctx_heuristic_reasons[CTX_HEURISTIC_REASONS];
extern const char *const ctx_salient_reasons[CTX_SALIENT_REASONS];

/* ---- strategy/strategy.c ---- */

/* Returns a text for reports that says why a strategy removes a segment with
 * this rank.  If the strategy has no text for the rank, returns the name of the
 * strategy. */
const char *ctx_strategy_reason(const struct ctx_strategy *strategy,
    double rank);

#endif
