/* plan.h - the strategies' own functions, one file each */
#ifndef CTX_PRUNE_PLAN_H
#define CTX_PRUNE_PLAN_H

#include "prune/prune.h"

int ctx_fifo_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);
int ctx_window_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);

int ctx_summarize_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);

int ctx_ranked_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);
int ctx_recall_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err);

/* Tokens of segment i, which goes.  What both segments of a message count goes
 * with the last of them. */
uint64_t ctx_plan_gone(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i);
/*
 * Marks where notices stand, once all else has been decided.  While the
 * conversation is still arriving (ended false) only those go that another
 * one in the same gap makes needless.
 */
void ctx_notice_place(struct ctx_plan *plan, const struct ctx_groups *groups,
    bool ended);
/* Tokens of the notices, old and new, that the marks leave. */
uint64_t ctx_notice_cost(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Takes notices back, the oldest first, until the budget is met; an earlier
 * one only before a message of the user. */
void ctx_notice_forgo(struct ctx_plan *plan, const struct ctx_groups *groups);

/* What a scorer is made of; its own struct begins with a ctx_scorer. */
struct ctx_scorer_kind {
	size_t size; /* bytes of its struct, zeroed at open */
	int (*note)(struct ctx_scorer *scorer, const struct ctx_message *view,
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
extern const char *const ctx_heuristic_reasons[];

#endif
