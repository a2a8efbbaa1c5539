/* plan_steps.h - the steps in which ctx_plan_decide decides what is removed
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

/* A bit in ctx_plan.floors, used only during a decision: the segment is a user
 * message of the newest turn, but not the task of that turn.  It is kept if
 * the budget allows that. */
#define CTX_FLOOR_OPTIONAL (1u << 7)
/* The user messages with CTX_FLOOR_OPTIONAL are kept only if they have
 * together at most this part of the target: target / CTX_OPTIONAL_SHARE
 * tokens. */
enum { CTX_OPTIONAL_SHARE = 4 };
/* The newest messages and turns are kept (unless the user has said how many)
 * only as far as they take at most this part of the target: what it leaves
 * beside the floors that never shrink, divided by CTX_FLOOR_SHARE. */
enum { CTX_FLOOR_SHARE = 4 };

/* ---- floor.c ---- */

/* Returns true for a user message that must be kept as long as anything of its
 * turn is kept: the task of the turn or, if roles must alternate, every user
 * message of it. */
bool ctx_plan_is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns true if the message of segment i also contains tool results of the
 * turn before. */
bool ctx_plan_is_shared_message(const struct ctx_segment *segments, size_t i);
/* Finds out which segments must be kept, and why: sets plan->floors.  A group
 * must be kept if any of its segments must be. */
void ctx_plan_find_floor(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended);

/* ---- plan_reasoning.c ---- */

/* Returns true if the segment has bound reasoning (signed reasoning that the
 * provider refuses after a change before it). */
bool ctx_plan_has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns the index of the first message that the plan changes; UINT64_MAX if
 * it changes none. */
uint64_t ctx_plan_find_first_change(const struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Marks bound reasoning for removal if something before it is changed, even in
 * messages that must be kept. */
void ctx_plan_mark_bound_reasoning(struct ctx_plan *plan,
    const struct ctx_groups *groups);

/* ---- plan_edits.c ---- */

/* Returns the kinds of edits that the level (light, balanced, aggressive)
 * allows for a segment.  If ended is false, returns those that it may allow
 * once all messages were read. */
unsigned ctx_plan_find_allowed_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i, bool ended);
/* Returns the kinds of edits of a segment that may still be made once all
 * messages were read. */
unsigned ctx_plan_find_possible_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i);
uint64_t ctx_plan_count_edited_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Returns the tokens that a segment has after the planned edits, without those
 * of a notice, because the plan reserves tokens for notices. */
uint64_t ctx_plan_count_without_notice(const struct ctx_segment *segment,
    unsigned edits);
/* Returns how many tokens of a segment are those of a summary of an earlier
 * run. */
uint64_t ctx_plan_count_summary_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Decides about the user messages of the newest turn that are not its task:
 * keeps them if they have at most the target's tokens divided by
 * CTX_OPTIONAL_SHARE, and everything that must be kept still fits into the
 * budget with them. */
void ctx_plan_pin_optional(struct ctx_plan *plan,
    const struct ctx_groups *groups);
/* Marks the edits that the level (light, balanced, aggressive) allows, one
 * kind after the other, each from the oldest segment on, until the target is
 * met.  Called when all messages were read. */
void ctx_plan_edit_until_met(struct ctx_plan *plan,
    const struct ctx_groups *groups);

#endif
