/*
 * plan.c - decides which segments (messages or parts of messages) are removed
 *
 * A plan is made in these steps.  Find the segments that must be kept.  Mark
 * the edits that the level allows, one kind of edit after the other, until the
 * conversation has at most as many tokens as the target.  Ask the strategy
 * which groups (messages kept or removed together) are removed.  Remove the
 * user messages of turns of which no other message is left.  No step cancels
 * what an earlier step has decided.
 *
 * To save memory, the same steps also run before the conversation has ended,
 * and messages are removed early.  A message may be removed early only if it
 * would also be removed at the end.  So, before the end, each number of tokens
 * is the lowest possible number.  All edits that the level allows are assumed
 * to be made.  Segments that must be kept only for now (for example as one of
 * the newest) count as 0 tokens.  Messages before ctx_plan_cut.message were
 * removed early.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/plan_steps.h"

/* Maximum number of times that a plan is made again.  This happens if the
 * tokens reserved for notices (texts that say that messages were removed) were
 * too few: notices must also fit into the target. */
#define ROUNDS 8

void
ctx_plan_reset(struct ctx_plan *plan, struct ctx_groups *groups,
    const struct ctx_prune_settings *settings)
{
	*plan = (struct ctx_plan){.groups = groups,
	    .settings = *settings,
	    .bound_from = UINT64_MAX,
	    .marks = plan->marks,
	    .floors = plan->floors,
	    .marks_cap = plan->marks_cap,
	    .floors_cap = plan->floors_cap};
	groups->unlinks = settings->binds == CTX_BINDS_DROPPED;
}

void
ctx_plan_release(struct ctx_plan *plan)
{
	free(plan->marks);
	free(plan->floors);
	memset(plan, 0, sizeof *plan);
}

static int
grow_plan(struct ctx_plan *plan, struct ctx_err *err)
{
	size_t n = plan->groups->n;

	if (CTX_GROW(plan->marks, plan->marks_cap, n, err) < 0 ||
	    CTX_GROW(plan->floors, plan->floors_cap, n, err) < 0)
		return -1;
	memset(plan->marks, 0, n);
	memset(plan->floors, 0, n);
	return 0;
}

/* Returns true if this user message may be removed only together with its whole
 * turn, because other messages of the turn need it.  Also returns true for a
 * summary with the role user if the next message needs a user message before
 * it. */
static bool
is_required_user(const struct ctx_plan *plan, const struct ctx_segment *segment)
{
	return (!ctx_prune_splits_turns(&plan->settings) &&
		   ctx_plan_is_required_by_turn(plan, segment)) ||
	    ((segment->flags & CTX_SEGMENT_SUMMARY) &&
		segment->role == CTX_ROLE_USER &&
		!plan->settings.strategy->summarizes);
}

/* Returns true for a summary of earlier messages that the agent has written.
 * Such a summary is not an answer to a user message.  So the user messages of
 * its turn need not be kept with it, unless roles must alternate. */
static bool
is_outside_turns(const struct ctx_plan *plan, const struct ctx_segment *segment)
{
	return (segment->flags & CTX_SEGMENT_COMPACTED) &&
	    !plan->settings.alternates;
}

/* Returns true if this user message of the newest turn must be kept now, but
 * may be removed later.  If a turn begins with several user messages, the last
 * of them may be removed once a newer user message was read.  The first of
 * them, if it is not also the last, may be removed once keep_turns is lowered
 * to 0. */
static bool
may_lose_task(const struct ctx_plan *plan, const struct ctx_segment *segment)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	const struct ctx_groups *groups = plan->groups;

	if (settings->alternates || segment->turn != plan->step.turn)
		return false;
	if (groups->last_task != UINT32_MAX &&
	    segment->message == groups->segments[groups->last_task].message)
		return !groups->answered;
	return (settings->shrinks_turns || settings->keep_turns == 0) &&
	    (!groups->answered || segment->message != plan->step.last_user);
}

/* Fills the candidate of segment i: what the strategy gets to know about this
 * segment. add_to_group sets the members that depend on the whole group. */
static void
fill_candidate(struct ctx_plan *plan, size_t i)
{
	struct ctx_segment *segments = plan->groups->segments;
	const struct ctx_segment *segment = &segments[i];
	struct ctx_candidate *candidate = &plan->candidates[i];

	if (plan->settings.quantum > 0)
		candidate->section =
		    (uint32_t)(segment->start / plan->settings.quantum);
	candidate->turn = segment->turn;
	candidate->root = ctx_group_of(segments, (uint32_t)i);
	candidate->is_root = candidate->root == i;
	candidate->shares_message = ctx_plan_is_shared_message(segments, i);
	candidate->user = is_required_user(plan, segment) &&
	    (plan->ended || !may_lose_task(plan, segment));
	candidate->system = !candidate->user &&
	    ((segment->flags &
		 (CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN |
		     CTX_SEGMENT_USER)) ||
		is_outside_turns(plan, segment));
	candidate->asks = ctx_plan_is_question(segment);
	candidate->pinned =
	    plan->floors[i] != 0 || (segment->flags & CTX_SEGMENT_NOTICE);
	candidate->permanent = plan->ended
	    ? candidate->pinned
	    : (plan->floors[i] & CTX_FLOORS_FOREVER) != 0;
	candidate->summary = (segment->flags & CTX_SEGMENT_SUMMARY) != 0;
	candidate->before_cut = segment->message < plan->cut.message ||
	    segment->start < plan->cut.tokens;
}

/* Adds the tokens of segment i to the weight of its group.  The weight is
 * stored in the candidate of the group's first segment. */
static void
add_to_group(struct ctx_plan *plan, size_t i)
{
	const struct ctx_groups *groups = plan->groups;
	const struct ctx_segment *segment = &groups->segments[i];
	struct ctx_candidate *candidate = &plan->candidates[i];
	struct ctx_candidate *root = &plan->candidates[candidate->root];
	unsigned edits = plan->ended ? plan->marks[i]
				     : ctx_plan_find_possible_edits(plan, i);

	root->weight += ctx_plan_count_without_notice(segment, edits);
	root->summary_tokens = ctx_limit_tokens(root->summary_tokens +
	    ctx_plan_count_summary_tokens(segment, edits));
	if (segment->turn != groups->segments[candidate->root].turn)
		root->crosses_turns = true;
	candidate->age =
	    (uint32_t)(groups->nonsystem_messages - segment->nonsystem_index);
	if (candidate->age < root->age)
		root->age = candidate->age;
	candidate->rank = segment->rank;
	if (candidate->rank > root->rank)
		root->rank = candidate->rank;
}

static int
make_candidates(struct ctx_plan *plan, struct ctx_err *err)
{
	plan->candidates =
	    calloc(plan->groups->n + 1, sizeof *plan->candidates);
	if (plan->candidates == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < plan->groups->n; i++) {
		fill_candidate(plan, i);
		if (i < plan->step.n)
			add_to_group(plan, i);
	}
	return 0;
}

/* Removes the user messages of each turn of which all other messages are
 * removed.  Exception: if a strategy ranks user messages like other messages,
 * it may keep user messages of such a turn. */
static void
drop_with_turns(struct ctx_plan *plan)
{
	bool may_be_alone = plan->settings.strategy->ranks_user_messages &&
	    !plan->settings.alternates;
	struct ctx_segment *segments = plan->groups->segments;
	struct ctx_candidate *candidates = plan->candidates;
	size_t end, n = plan->groups->n;
	bool others, kept;

	for (size_t i = 0; i < n; i = end) {
		others = kept = false;
		for (end = i;
		     end < n && candidates[end].turn == candidates[i].turn;
		     end++) {
			if (candidates[end].user || candidates[end].system)
				continue;
			others = true;
			kept |=
			    !candidates[ctx_group_of(segments, (uint32_t)end)]
				 .drop;
		}
		for (size_t j = i; others && j < end; j++)
			if (candidates[j].user && candidates[j].is_root)
				candidates[j].drop = !candidates[j].pinned &&
				    !kept &&
				    (!may_be_alone || candidates[j].drop);
	}
}

/* Stores how far the strategy has removed messages.  Sets plan->cut.message to
 * the index of the newest removed message.  With quantum, also sets
 * plan->cut.tokens to the next multiple of quantum after the number of tokens
 * before this message.  The caller must not have called drop_with_turns, which
 * removes user messages that the strategy itself did not remove. */
static void
set_cut_line(struct ctx_plan *plan)
{
	uint64_t quantum = ctx_plan_section_tokens(&plan->settings), grid;
	const struct ctx_segment *segments = plan->groups->segments;

	for (size_t i = plan->groups->n; i-- > 0;) {
		if (!plan->candidates[i].is_root || !plan->candidates[i].drop)
			continue;
		plan->cut.exists = true;
		if (segments[i].message > plan->cut.message)
			plan->cut.message = segments[i].message;
		if (quantum == 0)
			return;
		grid = (segments[i].start / quantum + 1) * quantum;
		if (grid > plan->cut.tokens)
			plan->cut.tokens = grid;
		return;
	}
}

/* Marks all segments that the strategy removes. */
static void
mark_drops(struct ctx_plan *plan)
{
	struct ctx_segment *segments = plan->groups->segments;

	for (size_t i = 0; i < plan->groups->n; i++)
		if (plan->candidates[ctx_group_of(segments, (uint32_t)i)].drop)
			plan->marks[i] = CTX_MARK_DROP;
}

void
ctx_plan_total(struct ctx_plan *plan)
{
	struct ctx_segment *segments = plan->groups->segments;
	bool has_system = false;
	unsigned owner;

	plan->after = plan->fixed;
	memset(plan->floor, 0, sizeof plan->floor);
	plan->floor[CTX_FLOOR_TOOLS] = plan->tools;
	plan->floor[CTX_FLOOR_SYSTEM] = plan->system;
	for (size_t i = 0; i < plan->groups->n; i++) {
		uint64_t left = ctx_plan_left(plan, i);

		if (plan->marks[i] & CTX_MARK_DROP)
			continue;
		has_system |= segments[i].role == CTX_ROLE_SYSTEM;
		/* If a message has two segments (parts), the tokens of its role
		 * are counted in both.  If both are kept, these tokens are
		 * subtracted once. */
		if (i + 1 < plan->groups->n &&
		    segments[i].message == segments[i + 1].message &&
		    !(plan->marks[i + 1] & CTX_MARK_DROP))
			left -= segments[i].shared_tokens;
		plan->after += left +
		    (plan->marks[i] & CTX_MARK_NOTICE
			    ? segments[i].notice_tokens
			    : 0);
		for (owner = 0; owner < CTX_FLOOR_KINDS; owner++)
			if (plan->floors[i] & CTX_FLOOR_BIT(owner))
				break;
		if (owner == CTX_FLOOR_KINDS &&
		    !plan->settings.strategy->has_budget)
			owner = CTX_FLOOR_KEPT;
		if (owner < CTX_FLOOR_KINDS)
			plan->floor[owner] += left;
	}
	if (!has_system)
		plan->after += plan->tools_alone;
}

bool
ctx_plan_due(const struct ctx_plan *plan)
{
	const struct ctx_prune_settings *settings = &plan->settings;

	if (!settings->strategy->has_budget || settings->always)
		return true;
	if (settings->trigger_messages > 0 &&
	    plan->groups->nonsystem_messages > settings->trigger_messages)
		return true;
	return plan->groups->tokens + plan->fixed > settings->trigger;
}

int
ctx_plan_survey(struct ctx_plan *plan, struct ctx_err *err)
{
	if (grow_plan(plan, err) < 0)
		return -1;
	plan->ended = true;
	ctx_plan_find_floor(plan);
	return 0;
}

/* Asks the strategy which groups are removed, and marks the segments of these
 * groups with CTX_MARK_DROP. */
static int
decide_drops(struct ctx_plan *plan, struct ctx_err *err)
{
	struct ctx_decision decision = {.n = plan->step.n,
	    .settings = &plan->settings,
	    .target = plan->settings.target,
	    .base = ctx_plan_base(plan) + plan->notices,
	    .newest = plan->step.turn};
	int rc;

	if (make_candidates(plan, err) < 0)
		return -1;
	decision.candidates = plan->candidates;
	rc = plan->settings.strategy->decide(&decision, err);
	if (rc == 0) {
		set_cut_line(plan);
		drop_with_turns(plan);
		mark_drops(plan);
	}
	free(plan->candidates);
	plan->candidates = NULL;
	return rc;
}

/* Makes the plan once. plan->notices is the number of tokens that are reserved
 * for notices (texts that say that messages were removed). */
static int
decide_once(struct ctx_plan *plan, struct ctx_err *err)
{
	bool due = plan->due, ended = plan->ended;

	if (grow_plan(plan, err) < 0)
		return -1;
	ctx_plan_find_floor(plan);
	ctx_plan_mark_bound_reasoning(plan);
	if (due && ended && plan->settings.strategy->has_budget)
		ctx_plan_edit_until_met(plan);
	ctx_plan_pin_optional(plan);
	if (due && decide_drops(plan, err) < 0)
		return -1;
	for (size_t i = 0;
	     due && !ended && plan->cut.exists && i < plan->groups->n; i++)
		if (plan->floors[i] == 0 && !(plan->marks[i] & CTX_MARK_DROP))
			plan->marks[i] |=
			    (uint8_t)ctx_plan_find_allowed_edits(plan, i, true);
	if (due)
		ctx_notice_place(plan);
	ctx_plan_total(plan);
	return 0;
}

/* Makes the plan.  If its notices (texts that say that messages were removed)
 * need more tokens than were reserved for them, reserves more and makes the
 * plan again. */
static int
decide_with_notices(struct ctx_plan *plan, struct ctx_err *err)
{
	bool bounded =
	    plan->due && plan->ended && plan->settings.strategy->has_budget;
	uint64_t notices;

	plan->notices = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		if (decide_once(plan, err) < 0)
			return -1;
		if (!bounded || plan->after <= plan->settings.target)
			break;
		/* If more tokens are reserved, more messages are removed, which
		 * may need more notices. */
		notices = ctx_notice_cost(plan);
		if (notices <= plan->notices)
			break;
		plan->notices = notices;
	}
	return 0;
}

/* Makes the plan.  If the plan removes messages in steps (quantum is not 0) and
 * its output would exceed the budget, makes the plan again without steps. */
static int
decide_in_steps(struct ctx_plan *plan, struct ctx_err *err)
{
	const struct ctx_prune_settings before = plan->settings;

	plan->ignores_steps = false;
	if (decide_with_notices(plan, err) < 0)
		return -1;
	if (plan->step.reserved == 0 || plan->after <= plan->settings.budget)
		return 0;
	plan->settings = before;
	plan->ignores_steps = true;
	return decide_with_notices(plan, err);
}

/* Returns true if bound reasoning is kept in a changed message or after a
 * changed message.  The provider does not take bound reasoning if anything
 * before it was changed. */
static bool
has_broken_reasoning(const struct ctx_plan *plan)
{
	uint64_t from = ctx_plan_find_first_change(plan);

	for (size_t i = 0; from < plan->bound_from && i < plan->groups->n; i++)
		if (plan->groups->segments[i].message >= from &&
		    ctx_plan_has_bound_reasoning(plan,
			&plan->groups->segments[i]))
			return true;
	return false;
}

/* Removes bound reasoning from the first changed message on.  Bound reasoning
 * is reasoning that the provider does not take if anything before it was
 * changed.  The removal saves tokens, so the plan is made again and may keep
 * more messages.  If the new plan changes an earlier message, removal and
 * planning are repeated, up to ROUNDS times.  After that, all bound reasoning
 * is removed. */
static int
decide_without_bound(struct ctx_plan *plan, const struct ctx_plan_cut *before,
    struct ctx_err *err)
{
	for (unsigned round = 0; has_broken_reasoning(plan); round++) {
		plan->bound_from =
		    round < ROUNDS ? ctx_plan_find_first_change(plan) : 0;
		/* Restore what the previous plan has changed.  Nothing else
		 * must be restored: the next plan clears the marks, and the
		 * groups were not changed. */
		plan->cut = *before;
		if (decide_in_steps(plan, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_plan_decide(struct ctx_plan *plan, bool ended, struct ctx_err *err)
{
	const struct ctx_plan_cut before = plan->cut;

	plan->ended = ended;
	plan->due = ctx_plan_due(plan);
	if (decide_in_steps(plan, err) < 0)
		return -1;
	if (ended && plan->settings.reasoning == CTX_REASONING_DROP &&
	    decide_without_bound(plan, &before, err) < 0)
		return -1;
	if (plan->due && ended)
		ctx_notice_remove(plan);
	ctx_plan_bind(plan, ctx_plan_find_first_change(plan));
	return 0;
}

int
ctx_plan_decide_again(struct ctx_plan *plan, struct ctx_err *err)
{
	plan->cut = (struct ctx_plan_cut){0};
	plan->bound_from = UINT64_MAX;
	return ctx_plan_decide(plan, true, err);
}

void
ctx_plan_take_back(struct ctx_plan *plan)
{
	unsigned never = CTX_MARK_DROP_INSERTION | CTX_MARK_STRIP;
	uint64_t before = plan->bound_from;

	for (size_t i = 0; i < plan->groups->n; i++)
		if (plan->marks[i] & CTX_MARK_DROP)
			plan->marks[i] = 0;
		else
			plan->marks[i] &= (uint8_t) ~(never &
			    ~ctx_plan_find_allowed_edits(plan, i, true));
	plan->bound_from = UINT64_MAX;
	ctx_plan_total(plan);
	ctx_plan_bind(plan, ctx_plan_find_first_change(plan));
	if (plan->after > plan->settings.budget)
		ctx_plan_bind(plan, before);
}

uint64_t
ctx_plan_left(const struct ctx_plan *plan, size_t i)
{
	if (plan->marks[i] & CTX_MARK_DROP)
		return 0;
	return ctx_plan_count_edited_tokens(&plan->groups->segments[i],
	    plan->marks[i]);
}

int
ctx_plan_compact(struct ctx_plan *plan, struct ctx_err *err)
{
	struct ctx_groups *groups = plan->groups;
	uint64_t left, gap = 0;
	bool *removed;
	int rc;

	removed = calloc(groups->n + 1, sizeof *removed);
	if (removed == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < groups->n; i++) {
		struct ctx_segment *segment = &groups->segments[i];

		gap += segment->dropped_before;
		removed[i] = (plan->marks[i] & CTX_MARK_DROP) != 0;
		if (removed[i]) {
			if (!(segment->flags & CTX_SEGMENT_NOTICE))
				gap += ctx_plan_freed_tokens(plan, i);
			continue;
		}
		segment->dropped_before = gap;
		gap = 0;
		left = ctx_plan_left(plan, i);
		segment->edited =
		    ctx_limit_tokens(segment->edited + segment->tokens - left);
		segment->tokens = left;
		if (plan->marks[i] & CTX_MARK_STRIP) {
			segment->reasoning = 0;
			segment->flags &= (uint16_t)~CTX_SEGMENT_SIGNED;
			segment->link = CTX_LINK_NONE;
		}
		if (plan->marks[i] & CTX_MARK_CLEAR)
			segment->clearable_tokens = 0;
	}
	groups->dropped_after += gap;
	rc = ctx_groups_compact(groups, removed, err);
	free(removed);
	return rc;
}
