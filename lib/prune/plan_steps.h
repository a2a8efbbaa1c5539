/* plan_steps.h - the steps by which ctx_plan_decide decides what is removed and
 * edited */
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

/* A bit in ctx_plan.floors that is used only while the plan is made.  It marks
 * a user message of the newest turn that is not the task of the turn, until
 * ctx_plan_pin_optional decides whether the message must be kept. */
#define CTX_FLOOR_OPTIONAL (1u << 7)
/* User messages of the newest turn that are not its task are kept only if they
 * have together at most target / CTX_OPTIONAL_SHARE tokens. */
enum { CTX_OPTIONAL_SHARE = 4 };
/* A divisor: the newest messages and turns are kept only as far as they use at
 * most 1 / CTX_FLOOR_SHARE of the tokens that the target leaves beside all
 * other messages that must be kept.  Does not apply if the user has chosen the
 * number of messages or turns. */
enum { CTX_FLOOR_SHARE = 4 };

/* ---- floor.c ---- */

/* Returns true if a user message is removed only together with its whole turn,
 * because the other messages of the turn need it.  They need only the task of
 * the turn (what the user wants).  If roles must alternate, they need every
 * user message. */
bool ctx_plan_is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns true if segment i (message or part of one) belongs to a message that
 * also contains tool results of the turn before. */
bool ctx_plan_is_shared_message(const struct ctx_segment *segments, size_t i);
/* Sets plan->floors: for each segment, the reasons to keep it.  If one segment
 * of a group (messages kept together) must be kept, the whole group is kept. */
void ctx_plan_find_floor(struct ctx_plan *plan);

/* ---- plan_reasoning.c ---- */

/* Returns false if the segment is a reasoning item that must be kept: an item
 * after it is linked to it by an id that must not be left out. */
bool ctx_plan_may_strip(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns true if the segment has bound reasoning (reasoning that the provider
 * does not take if anything before it was changed) that can be removed. */
bool ctx_plan_has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment);
/* Returns the index of the first message that the plan changes, or UINT64_MAX
 * if it changes none. */
uint64_t ctx_plan_find_first_change(const struct ctx_plan *plan);
/* Marks bound reasoning (reasoning that the provider does not take if anything
 * before it was changed) for removal, from message plan->bound_from on, even in
 * messages that must be kept. */
void ctx_plan_mark_bound_reasoning(struct ctx_plan *plan);

/* ---- plan_edits.c ---- */

/* Returns the number of tokens that remain whatever is removed: those outside
 * the messages and those that are reserved for the messages after plan->step.
 * If system messages may be removed, includes the tokens that their removal
 * would add (plan->tools_alone). */
uint64_t ctx_plan_base(const struct ctx_plan *plan);
/* Returns the number of tokens of each section if a conversation is divided
 * into sections, otherwise 0.  See ctx_prune_settings.quantum. */
uint64_t ctx_plan_section_tokens(const struct ctx_prune_settings *settings);

/* Returns the kinds of edits (CTX_MARK_... bits) that the level (light,
 * balanced, aggressive) allows for segment i (a message or a part of one).  If
 * ended is false, more messages may come; the result then also includes edits
 * that will be allowed only after more messages. */
unsigned ctx_plan_find_allowed_edits(const struct ctx_plan *plan, size_t i,
    bool ended);
/* Returns the kinds of edits (CTX_MARK_... bits) that may still be made in a
 * segment until the conversation ends. */
unsigned ctx_plan_find_possible_edits(const struct ctx_plan *plan, size_t i);
uint64_t ctx_plan_count_edited_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Returns the number of tokens that a segment has after the planned edits, not
 * counting a notice (text that says that messages were removed) in it: the plan
 * counts the tokens of notices separately. */
uint64_t ctx_plan_count_without_notice(const struct ctx_segment *segment,
    unsigned edits);
/* Returns how many tokens of a segment, after the planned edits, belong to a
 * summary that an earlier run has inserted. */
uint64_t ctx_plan_count_summary_tokens(const struct ctx_segment *segment,
    unsigned edits);
/* Returns true if a conversation may begin with this segment, because it is a
 * user message, or a summary with the role user. */
bool ctx_plan_is_question(const struct ctx_segment *segment);
/* Applies if the strategy splits turns and the first segment that must be kept
 * is an answer: then one of the user messages before this answer must also be
 * kept.  Returns the number of tokens of the shortest of them; otherwise 0. */
uint64_t ctx_plan_count_question(const struct ctx_plan *plan);
/* Decides whether user messages of the newest turn that are not its task
 * (CTX_FLOOR_OPTIONAL) are kept.  Two conditions must be met: together they
 * have at most target / CTX_OPTIONAL_SHARE tokens, and they fit into the target
 * beside everything else that must be kept. */
void ctx_plan_pin_optional(struct ctx_plan *plan);
/* Plans edits that the level (light, balanced, aggressive) allows, until the
 * conversation has at most as many tokens as the target.  Plans one kind of
 * edit after the other, each from the oldest segment on, and not more edits
 * than are needed.  The caller must have read all messages. */
void ctx_plan_edit_until_met(struct ctx_plan *plan);

#endif
