/* plan_steps.h - the steps by which ctx_plan_decide decides what is removed
 * and edited */
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

/* A bit of ctx_plan.floors that is set only during a decision: for a user
 * message of the newest turn that is not the task of the turn.  The message is
 * kept if the budget allows it. */
#define CTX_FLOOR_OPTIONAL (1u << 7)
/* The messages with CTX_FLOOR_OPTIONAL are kept only if all of them together
 * have at most target / CTX_OPTIONAL_SHARE tokens. */
enum { CTX_OPTIONAL_SHARE = 4 };

/* ---- floor.c ---- */

/* Returns true for a user message that must be kept as long as its turn: the
 * task of the turn or, if roles must alternate, any user message of it.  Other
 * user messages can be removed by themselves. */
bool ctx_plan_is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns true if the segment is in one message with tool results of the turn
 * before. */
bool ctx_plan_is_shared_message(const struct ctx_segment *segments, size_t i);
/* Sets plan->floors: for each segment, the reasons why its group must be kept.
 */
void ctx_plan_find_floor(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended);

/* ---- plan_reasoning.c ---- */

/* Returns true if the segment has bound reasoning (signed, and refused after a
 * change before it). */
bool ctx_plan_has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns the index of the first message that the marks change; UINT64_MAX if
 * they change none. */
uint64_t ctx_plan_find_first_change(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Marks the bound reasoning that must be removed because something before it
 * is changed, even in messages that must be kept. */
void ctx_plan_mark_bound_reasoning(struct ctx_plan *plan,
    const struct ctx_groups *groups);

/* ---- plan_edits.c ---- */

/* Returns the kinds of edits that the level allows for a segment; if ended is
 * false, those that it may allow when the conversation is complete. */
unsigned ctx_plan_find_allowed_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i, bool ended);
/* Returns the kinds of edits that may still be made when the conversation is
 * complete. */
unsigned ctx_plan_find_possible_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i);
uint64_t ctx_plan_count_edited_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Returns the tokens of the conversation after the planned edits, without
 * notices, for which a strategy only reserves tokens. */
uint64_t ctx_plan_count_without_notice(const struct ctx_segment *segment,
    unsigned edits);
/* Returns the tokens of a summary of an earlier run in the segment. */
uint64_t ctx_plan_count_summary_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Keeps the user messages of the newest turn that are not its task, if all
 * that must be kept still fits with them, and they have at most the target's
 * tokens divided by CTX_OPTIONAL_SHARE. */
void ctx_plan_pin_optional(struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Marks the edits that the level of pruning allows; called when the
 * conversation is complete.  Marks one kind of edit after the other, each for
 * all segments, until the target is met. */
void ctx_plan_edit_until_met(struct ctx_plan *plan,
    const struct ctx_groups *groups);

#endif
