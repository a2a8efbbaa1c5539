/* plan_steps.h - the steps of ctx_plan_decide */
#ifndef CTX_PRUNE_PLAN_STEPS_H
#define CTX_PRUNE_PLAN_STEPS_H

#include "prune/plan.h"

#define CTX_FLOOR_BIT(hold) (1u << (hold))
#define CTX_FLOORS_FOREVER                                                    \
	(CTX_FLOOR_BIT(CTX_FLOOR_UNKNOWN) | CTX_FLOOR_BIT(CTX_FLOOR_SYSTEM) | \
	    CTX_FLOOR_BIT(CTX_FLOOR_PINNED))
#define CTX_FLOORS_VERBATIM                                   \
	(CTX_FLOORS_FOREVER | CTX_FLOOR_BIT(CTX_FLOOR_LAST) | \
	    CTX_FLOOR_BIT(CTX_FLOOR_OPEN))

/* A bit of ctx_plan.floors that exists only during a decision.  It marks a user
 * message of the newest turn that is not the task of the turn.  The message is
 * kept if the budget allows. */
#define CTX_FLOOR_OPTIONAL (1u << 7)
/* All of these messages may take 1/CTX_OPTIONAL_SHARE of the target. */
enum { CTX_OPTIONAL_SHARE = 4 };

/* ---- floor.c ---- */

/*
 * Returns true for a user message that its turn cannot do without: the task of
 * the turn, or, where roles must alternate, any of its user messages.  Other
 * user messages are candidates by themselves.
 */
bool ctx_plan_is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns true if the segment is in one message with results of the turn
 * before. */
bool ctx_plan_is_shared_message(const struct ctx_segment *segments, size_t i);
/* Sets plan->floors: why each segment, and with it its group, must be kept. */
void ctx_plan_find_floor(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended);

/* ---- plan_reasoning.c ---- */

/* Returns true if the segment has bound reasoning. */
bool ctx_plan_has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns the index of the first message that the marks change, or UINT64_MAX.
 */
uint64_t ctx_plan_find_first_change(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Marks the bound reasoning that must be removed, also in messages that must be
 * kept. */
void ctx_plan_mark_bound_reasoning(struct ctx_plan *plan,
    const struct ctx_groups *groups);

/* ---- plan_edits.c ---- */

/* Returns the edits that the level allows for a segment; with ended false,
 * those that it may allow at the end. */
unsigned ctx_plan_find_allowed_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i, bool ended);
/* Returns the edits that may still be made at the end of the conversation. */
unsigned ctx_plan_find_possible_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i);
uint64_t ctx_plan_count_edited_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Returns the tokens that the edits leave, without notices: a strategy sees
 * these only as reserved tokens. */
uint64_t ctx_plan_count_without_notice(const struct ctx_segment *segment,
    unsigned edits);
/* Returns the tokens of an earlier summary in the segment. */
uint64_t ctx_plan_count_summary_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Keeps the user messages of the newest turn that are not its task, if they fit
 * with the floor and take at most 1/CTX_OPTIONAL_SHARE of the target. */
void ctx_plan_pin_optional(struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Applies the edits at the end: one kind after the other, each to all segments,
 * until the target is met. */
void ctx_plan_edit_until_met(struct ctx_plan *plan,
    const struct ctx_groups *groups);

#endif
