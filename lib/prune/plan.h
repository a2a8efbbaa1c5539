/* plan.h - the functions of the strategies, and what the files of the plan
 * share with them */
#ifndef CTX_PRUNE_PLAN_H
#define CTX_PRUNE_PLAN_H

#include "prune/prune.h"

ctx_strategy_decide ctx_fifo_decide, ctx_window_decide, ctx_summarize_decide,
    ctx_ranked_decide, ctx_recall_decide;

/* Returns the tokens that are saved if segment i is removed.  Tokens that two
 * segments of one message share are saved with the second one. */
uint64_t ctx_plan_freed_tokens(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i);
/* Marks the segments before which a notice (that messages were removed) is
 * inserted; called after all other decisions.  If ended is false, only removes
 * an earlier notice which is followed by a later one with no kept message
 * between them. */
void ctx_notice_place(struct ctx_plan *plan, const struct ctx_groups *groups,
    bool ended);
/* Returns the tokens of all notices that are inserted or kept. */
uint64_t ctx_notice_cost(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Removes notices (texts that say that messages were removed), the oldest
 * first, until the conversation is within the budget.  A notice that an
 * earlier run inserted is removed only if a user message follows it, since
 * otherwise roles might not alternate. */
void ctx_notice_remove(struct ctx_plan *plan, const struct ctx_groups *groups);

/* The functions of one kind of scorer.  The scorer's own struct begins with a
 * struct ctx_scorer. */
struct ctx_scorer_kind {
	size_t size; /* bytes of its struct, zeroed at open */
	int (*add)(struct ctx_scorer *scorer, const struct ctx_message *message,
	    const struct ctx_groups *groups, size_t first, struct ctx_err *err);
	int (*rank)(struct ctx_scorer *scorer, struct ctx_groups *groups,
	    struct ctx_err *err);
	void (*reset)(struct ctx_scorer *scorer);
	void (*release)(struct ctx_scorer *scorer);
};
struct ctx_scorer {
	const struct ctx_scorer_kind *kind;
	struct ctx_scorer_options options;
};

extern const struct ctx_scorer_kind ctx_heuristic_kind, ctx_recall_kind;
enum { CTX_HEURISTIC_REASONS = 6 };
extern const char *const ctx_heuristic_reasons[CTX_HEURISTIC_REASONS];

/* ---- strategy/strategy.c ---- */

/* Returns a text for reports that says why a strategy removes a segment of
 * this rank; if the strategy has no such texts, its name. */
const char *ctx_strategy_reason(const struct ctx_strategy *strategy,
    double rank);

#endif
