/*
 * plan.c - decides what is removed, in bounded memory
 *
 * The steps: mark the floor (what must be kept); apply the edits of the level,
 * each to all segments or to none; ask the strategy which groups to remove;
 * remove the user messages of turns that are empty.  No step puts anything
 * back.
 *
 * Before the end of a conversation the same steps run with optimistic numbers:
 * each segment is as small as the level can make it, and segments that are
 * pinned only for now weigh nothing.  What is removed then would be removed at
 * the end, too.  ctx_plan.line remembers how far this removal has come.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"

#define BIT(hold) (1u << (hold))
#define FOR_EVER \
	(BIT(CTX_FLOOR_UNKNOWN) | BIT(CTX_FLOOR_SYSTEM) | BIT(CTX_FLOOR_PINNED))
#define VERBATIM (FOR_EVER | BIT(CTX_FLOOR_LAST) | BIT(CTX_FLOOR_OPEN))

/* A bit of ctx_plan.holds during a decision: a user message of the newest turn
 * that is not its task; it is kept if the budget allows. */
#define HOLD_IF_ROOM (1u << 7)
enum { ROOM_SHARE = 4 }; /* all of these may take 1/ROOM_SHARE of the target */

/* Maximum number of times that notices may require a new decision. */
#define ROUNDS 8

void
ctx_plan_reset(struct ctx_plan *plan, const struct ctx_prune_settings *settings)
{
	plan->settings = *settings;
	plan->fixed = plan->tools = plan->system = 0;
	plan->notices = 0;
	plan->bound_from = UINT64_MAX;
	plan->cut = false;
	plan->line = 0;
	plan->grid = 0;
	plan->after = 0;
	memset(plan->floor, 0, sizeof plan->floor);
}

void
ctx_plan_release(struct ctx_plan *plan)
{
	free(plan->marks);
	free(plan->holds);
	free(plan->candidates);
	memset(plan, 0, sizeof *plan);
}

static int
grow_plan(struct ctx_plan *plan, size_t n, struct ctx_err *err)
{
	void *grown;

	if ((grown = ctx_grow(plan->marks, &plan->marks_cap, n, 1, err)) ==
	    NULL)
		return -1;
	plan->marks = grown;
	if ((grown = ctx_grow(plan->holds, &plan->holds_cap, n, 1, err)) ==
	    NULL)
		return -1;
	plan->holds = grown;
	if ((grown = ctx_grow(plan->candidates, &plan->candidates_cap, n,
		 sizeof *plan->candidates, err)) == NULL)
		return -1;
	plan->candidates = grown;
	memset(plan->marks, 0, n);
	memset(plan->holds, 0, n);
	memset(plan->candidates, 0, n * sizeof *plan->candidates);
	return 0;
}

/*
 * Returns true for a user message that its turn cannot do without: the task of
 * the turn, or, where roles must alternate, any of its user messages.  Other
 * user messages are candidates by themselves.
 */
static bool
is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return (segment->flags & CTX_SEGMENT_USER) &&
	    (plan->settings.alternates || (segment->flags & CTX_SEGMENT_TASK));
}

/* Returns the reasons for which the segment itself must be kept, those of its
 * turn left out. */
static unsigned
find_own_floor(const struct ctx_plan *plan, const struct ctx_groups *groups,
    const struct ctx_segment *segment)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	unsigned holds = 0;

	if (segment->flags & CTX_SEGMENT_UNKNOWN)
		return BIT(CTX_FLOOR_UNKNOWN);
	if (segment->flags & CTX_SEGMENT_PINNED)
		holds |= BIT(CTX_FLOOR_PINNED);
	/* The last message is always kept: no conversation becomes empty. */
	if (segment->message + 1 == groups->messages &&
	    !(segment->flags & CTX_SEGMENT_NOTICE))
		holds |= BIT(CTX_FLOOR_LAST);
	if (segment->flags & (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE))
		return holds |
		    (settings->strategy->summarizes || !settings->pin_system ||
				(segment->flags & CTX_SEGMENT_NOTICE)
			    ? 0
			    : BIT(CTX_FLOOR_SYSTEM));
	if (segment->flags & CTX_SEGMENT_SYSTEM)
		return holds |
		    (settings->pin_system ? BIT(CTX_FLOOR_SYSTEM) : 0);
	/* A summary that is a message is kept for the same reason. */
	if ((segment->flags & CTX_SEGMENT_WITH_SUMMARY) &&
	    settings->pin_system && !settings->strategy->summarizes)
		holds |= BIT(CTX_FLOOR_SYSTEM);
	if (settings->strategy->pins_first &&
	    segment->nonsystem_index < settings->keep_first &&
	    !(segment->flags & CTX_SEGMENT_DEMONSTRATION))
		holds |= BIT(CTX_FLOOR_PINNED);
	if (groups->spoken - segment->nonsystem_index <= settings->keep_last)
		holds |= BIT(CTX_FLOOR_LAST);
	if (is_required_by_turn(plan, segment) &&
	    (segment->turn == groups->turn ||
		groups->turn - segment->turn < settings->keep_turns))
		holds |= BIT(CTX_FLOOR_TURN);
	return holds;
}

/* Returns the bit above for a user message of the newest turn that is neither a
 * demonstration nor the task.  Today's last user message may become one. */
static unsigned
find_room_floor(const struct ctx_plan *plan, const struct ctx_groups *groups,
    const struct ctx_segment *segment, bool ended)
{
	if (!(segment->flags & CTX_SEGMENT_USER) ||
	    (segment->flags & CTX_SEGMENT_DEMONSTRATION) ||
	    segment->turn != groups->turn || is_required_by_turn(plan, segment))
		return 0;
	return ended ? HOLD_IF_ROOM : BIT(CTX_FLOOR_TURN);
}

/* Returns true if the segment is in one message with results of the turn
 * before. */
static bool
is_shared_message(const struct ctx_segment *segments, size_t i)
{
	return i > 0 && segments[i].message == segments[i - 1].message &&
	    segments[i].turn != segments[i - 1].turn;
}

/*
 * Where roles must alternate: if anything of a turn is kept, its user messages
 * and its last group are kept, too, or two neighbours would have one role.  If
 * that group ends in the next turn's user message (its results), the answer to
 * that message is kept as well, and so on.
 */
static void
pin_turn_ends(struct ctx_plan *plan, struct ctx_groups *groups, bool ended)
{
	struct ctx_segment *segments = groups->segments;
	size_t i, j, end, last = 0;
	unsigned any = 0, hold;

	for (i = 0; i < groups->n; i = end) {
		if (!is_shared_message(segments, i))
			any = 0;
		last = i;
		for (end = i;
		     end < groups->n && segments[end].turn == segments[i].turn;
		     end++) {
			if (segments[end].flags &
			    (CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN))
				continue;
			last = end;
			any |=
			    plan->holds[ctx_group_of(segments, (uint32_t)end)];
		}
		for (j = i; any != 0 && j < end; j++) {
			if (!(segments[j].flags & CTX_SEGMENT_USER) &&
			    j != last)
				continue;
			hold = (any & FOR_EVER) | BIT(CTX_FLOOR_TURN);
			/* The last group of the newest turn may still change.
			 */
			if (!ended && j == last &&
			    segments[j].turn == groups->turn)
				hold = BIT(CTX_FLOOR_TURN);
			plan->holds[ctx_group_of(segments, (uint32_t)j)] |=
			    (uint8_t)hold;
		}
	}
}

/* Returns true if a tool call of the segment may still get a result.  After its
 * turn has ended only a call with further results can. */
static bool
has_open_tool_call(struct ctx_groups *groups, uint32_t i, bool ended)
{
	struct ctx_segment *segments = groups->segments, *root;

	if (i == groups->unnamed_calls && groups->n_unnamed_calls > 0)
		return true;
	root = &segments[ctx_group_of(segments, i)];
	return root->open_calls > 0 &&
	    (!ended || root->turn == groups->turn ||
		(segments[i].flags & CTX_SEGMENT_MORE_RESULTS));
}

/* Returns the first segment that late results may join (all later ones then
 * belong to its group), where calls get several results. */
static size_t
find_first_open(struct ctx_groups *groups)
{
	uint32_t i = 0;

	if (!groups->has_more_results)
		return SIZE_MAX;
	while (i < groups->n && !has_open_tool_call(groups, i, false) &&
	    i != groups->newest_known)
		i++;
	return i;
}

/* Marks what must be kept, and with it the rest of its group. */
static void
find_floor(struct ctx_plan *plan, struct ctx_groups *groups, bool ended)
{
	struct ctx_segment *segments = groups->segments;
	size_t waits = ended ? SIZE_MAX : find_first_open(groups);
	uint32_t later = UINT32_MAX, root;
	size_t i;

	for (i = groups->n; i-- > 0;) {
		unsigned holds = find_own_floor(plan, groups, &segments[i]) |
		    find_room_floor(plan, groups, &segments[i], ended);

		/* Keep the last group of each of the newest turns. */
		if (!(segments[i].flags &
			(CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_SYSTEM |
			    CTX_SEGMENT_META)) &&
		    segments[i].turn != later) {
			later = segments[i].turn;
			if (groups->turn - later < plan->settings.keep_turns)
				holds |= BIT(CTX_FLOOR_TURN);
		}
		root = ctx_group_of(segments, (uint32_t)i);
		if (has_open_tool_call(groups, (uint32_t)i, ended) ||
		    i >= waits)
			holds |= BIT(CTX_FLOOR_OPEN);
		plan->holds[root] |= (uint8_t)holds;
	}
	if (plan->settings.alternates)
		pin_turn_ends(plan, groups, ended);
	for (i = 0; i < groups->n; i++)
		plan->holds[i] =
		    plan->holds[ctx_group_of(segments, (uint32_t)i)];
}

/* ---- bound reasoning ---- */

/* Returns true if the segment has bound reasoning. */
static bool
has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return plan->settings.binds && (segment->flags & CTX_SEGMENT_SIGNED);
}

/* Returns the index of the first message that the marks change, or UINT64_MAX.
 */
static uint64_t
find_first_change(const struct ctx_plan *plan, const struct ctx_groups *groups)
{
	size_t i;

	for (i = 0; i < groups->n; i++)
		if (plan->marks[i] != 0)
			return groups->segments[i].message;
	return UINT64_MAX;
}

/* Marks the bound reasoning that must be removed, also in messages that must be
 * kept. */
static void
mark_bound_reasoning(struct ctx_plan *plan, const struct ctx_groups *groups)
{
	size_t i;

	if (plan->settings.reasoning != CTX_REASONING_DROP)
		return;
	for (i = 0; i < groups->n; i++)
		if (groups->segments[i].message >= plan->bound_from &&
		    has_bound_reasoning(plan, &groups->segments[i]) &&
		    !(plan->marks[i] & CTX_MARK_DROP))
			plan->marks[i] |= CTX_MARK_STRIP;
}

void
ctx_plan_bind(struct ctx_plan *plan, const struct ctx_groups *groups,
    uint64_t message)
{
	size_t i;

	if (message < plan->bound_from)
		plan->bound_from = message;
	for (i = 0; i < groups->n; i++)
		plan->after += plan->marks[i] & CTX_MARK_STRIP
		    ? groups->segments[i].reasoning
		    : 0;
	mark_bound_reasoning(plan, groups);
	for (i = 0; i < groups->n; i++)
		plan->after -= plan->marks[i] & CTX_MARK_STRIP
		    ? groups->segments[i].reasoning
		    : 0;
}

bool
ctx_plan_leaves_bound(const struct ctx_plan *plan,
    const struct ctx_groups *groups)
{
	uint64_t from = find_first_change(plan, groups);
	size_t i;

	if (plan->bound_from < from)
		from = plan->bound_from;
	for (i = 0; i < groups->n; i++)
		if (groups->segments[i].message >= from &&
		    has_bound_reasoning(plan, &groups->segments[i]) &&
		    !(plan->marks[i] & (CTX_MARK_DROP | CTX_MARK_STRIP)))
			return true;
	return false;
}

/* ---- edits ---- */

/* Returns the edits that the level allows for a segment; with ended false,
 * those that it may allow at the end. */
static unsigned
find_allowed_edits(const struct ctx_plan *plan, const struct ctx_groups *groups,
    size_t i, bool ended)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	const struct ctx_segment *segment = &groups->segments[i];
	unsigned never = ended ? VERBATIM : FOR_EVER, edits = 0;

	if (!settings->strategy->has_budget || settings->quantum != 0 ||
	    (plan->holds[i] & never))
		return 0;
	if (settings->level >= CTX_LEVEL_BALANCED && segment->reasoning > 0 &&
	    (!ended || segment->turn < groups->turn))
		edits |= CTX_MARK_STRIP;
	if (settings->level >= CTX_LEVEL_AGGRESSIVE &&
	    settings->strategy->truncates_texts) {
		if (segment->head_tail_savings > 0)
			edits |= CTX_MARK_HEAD_TAIL;
	} else if (segment->clearable_tokens > 0 &&
	    (settings->level >= CTX_LEVEL_AGGRESSIVE ||
		(settings->strategy->clears_results &&
		    settings->level == CTX_LEVEL_LIGHT))) {
		edits |= CTX_MARK_CLEAR;
	}
	return edits;
}

/* Returns the edits that may still be made at the end of the conversation. */
static unsigned
find_possible_edits(const struct ctx_plan *plan,
    const struct ctx_groups *groups, size_t i)
{
	unsigned edits = find_allowed_edits(plan, groups, i, false);

	if (plan->settings.reasoning == CTX_REASONING_DROP &&
	    has_bound_reasoning(plan, &groups->segments[i]))
		edits |= CTX_MARK_STRIP;
	return edits;
}

static uint64_t
count_edited_tokens(const struct ctx_segment *segment, unsigned edits)
{
	return segment->tokens -
	    (edits & CTX_MARK_STRIP ? segment->reasoning : 0) -
	    (edits & CTX_MARK_CLEAR ? segment->clearable_tokens : 0) -
	    (edits & CTX_MARK_HEAD_TAIL ? segment->head_tail_savings : 0) -
	    (edits & CTX_MARK_FOLD ? segment->inserted_tokens : 0);
}

/* Returns the same for a strategy, which sees notices only as reserved tokens.
 */
static uint64_t
count_without_notice(const struct ctx_segment *segment, unsigned edits)
{
	if (segment->flags & CTX_SEGMENT_NOTICE)
		return 0;
	if (segment->flags & CTX_SEGMENT_WITH_NOTICE)
		edits |= CTX_MARK_FOLD;
	return count_edited_tokens(segment, edits);
}

/* Returns the tokens of an earlier summary in it. */
static uint64_t
count_summary_tokens(const struct ctx_segment *segment, unsigned edits)
{
	if (segment->flags & CTX_SEGMENT_NOTICE) /* of the same text */
		return 0;
	if (segment->flags & CTX_SEGMENT_SUMMARY)
		return count_edited_tokens(segment, edits);
	return segment->flags & CTX_SEGMENT_WITH_SUMMARY
	    ? segment->inserted_tokens
	    : 0;
}

/* Keeps the user messages of the newest turn that are not its task, if they fit
 * with the floor and take at most 1/ROOM_SHARE of the target. */
static void
pin_if_room(struct ctx_plan *plan, const struct ctx_groups *groups)
{
	uint64_t held = plan->fixed + plan->notices, more = 0, tokens, own;
	uint64_t target = plan->settings.target;
	size_t i;

	for (i = 0; i < groups->n; i++) {
		tokens =
		    count_without_notice(&groups->segments[i], plan->marks[i]);
		/* A new summary replaces an earlier one. */
		own = plan->settings.strategy->summarizes
		    ? count_summary_tokens(&groups->segments[i], plan->marks[i])
		    : 0;
		tokens -= own < tokens ? own : tokens;
		if (plan->holds[i] == HOLD_IF_ROOM)
			more += tokens;
		else if (plan->holds[i] != 0)
			held += tokens;
	}
	for (i = 0; i < groups->n; i++) {
		if (!(plan->holds[i] & HOLD_IF_ROOM))
			continue;
		plan->holds[i] &= (uint8_t)~HOLD_IF_ROOM;
		if (more <= target / ROOM_SHARE && held + more <= target)
			plan->holds[i] |= BIT(CTX_FLOOR_TURN);
	}
}

/* Marks one kind of edit wherever it is allowed; returns the tokens left. */
static uint64_t
edit_all(struct ctx_plan *plan, const struct ctx_groups *groups, unsigned edit,
    uint64_t total)
{
	size_t i;

	for (i = 0; i < groups->n; i++) {
		if (!(find_allowed_edits(plan, groups, i, true) & edit))
			continue;
		total -=
		    count_without_notice(&groups->segments[i], plan->marks[i]);
		plan->marks[i] |= (uint8_t)edit;
		total +=
		    count_without_notice(&groups->segments[i], plan->marks[i]);
	}
	return total;
}

/* Applies the edits at the end: one kind after the other, each to all segments,
 * until the target is met. */
static void
edit_until_met(struct ctx_plan *plan, const struct ctx_groups *groups)
{
	static const unsigned steps[] = {CTX_MARK_STRIP, CTX_MARK_CLEAR,
	    CTX_MARK_HEAD_TAIL};
	uint64_t total = plan->fixed + plan->notices;
	size_t i;

	for (i = 0; i < groups->n; i++)
		total +=
		    count_without_notice(&groups->segments[i], plan->marks[i]);
	for (i = 0; i < sizeof steps / sizeof steps[0]; i++)
		if (plan->cut || total > plan->settings.target)
			total = edit_all(plan, groups, steps[i], total);
}

/* Returns true if the candidate is a user message that its turn cannot do
 * without, or a summary in the user's role: without it the messages after it
 * would not start with the user. */
static bool
is_required_user(const struct ctx_plan *plan, const struct ctx_segment *segment)
{
	return is_required_by_turn(plan, segment) ||
	    ((segment->flags & CTX_SEGMENT_SUMMARY) &&
		segment->role == CTX_ROLE_USER &&
		!plan->settings.strategy->summarizes);
}

/* Returns true if the segment is the task only until another user message
 * follows it. */
static bool
may_stop_asking(const struct ctx_plan *plan, const struct ctx_groups *groups,
    const struct ctx_segment *segment)
{
	return !plan->settings.alternates && !groups->answered &&
	    groups->asks != UINT32_MAX &&
	    segment->message == groups->segments[groups->asks].message;
}

static void
make_candidates(struct ctx_plan *plan, struct ctx_groups *groups, bool ended)
{
	size_t i;

	for (i = 0; i < groups->n; i++) {
		const struct ctx_segment *segment = &groups->segments[i];
		struct ctx_candidate *candidate = &plan->candidates[i];
		uint32_t root = ctx_group_of(groups->segments, (uint32_t)i);
		unsigned edits = ended ? plan->marks[i]
				       : find_possible_edits(plan, groups, i);

		plan->candidates[root].weight +=
		    count_without_notice(segment, edits);
		plan->candidates[root].summary_tokens +=
		    count_summary_tokens(segment, edits);
		candidate->start = segment->start;
		candidate->turn = segment->turn;
		candidate->root = root;
		candidate->is_root = root == i;
		candidate->shares_message =
		    is_shared_message(groups->segments, i);
		candidate->user = is_required_user(plan, segment) &&
		    (ended || !may_stop_asking(plan, groups, segment));
		candidate->system = !candidate->user &&
		    (segment->flags &
			(CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN |
			    CTX_SEGMENT_USER));
		candidate->pinned = plan->holds[i] != 0 ||
		    (segment->flags & CTX_SEGMENT_NOTICE);
		candidate->permanent = ended ? candidate->pinned
					     : (plan->holds[i] & FOR_EVER) != 0;
		candidate->summary =
		    (segment->flags & CTX_SEGMENT_SUMMARY) != 0;
		if (segment->turn != groups->segments[root].turn)
			plan->candidates[root].crosses_turns = true;
		candidate->age = groups->spoken - segment->nonsystem_index;
		if (candidate->age < plan->candidates[root].age)
			plan->candidates[root].age = candidate->age;
		candidate->rank = segment->rank;
		if (candidate->rank > plan->candidates[root].rank)
			plan->candidates[root].rank = candidate->rank;
		candidate->before_cut = segment->message < plan->line ||
		    segment->start < plan->grid;
	}
}

/* Removes the task of a turn when the last group of the turn is removed.  Where
 * the strategy ranks user messages it may be kept alone. */
static void
drop_with_turns(struct ctx_plan *plan, struct ctx_groups *groups)
{
	bool alone = plan->settings.strategy->ranks_user_messages &&
	    !plan->settings.alternates;
	struct ctx_candidate *candidates = plan->candidates;
	size_t i, j, end, n = groups->n;
	bool others, kept;

	for (i = 0; i < n; i = end) {
		others = kept = false;
		for (end = i;
		     end < n && candidates[end].turn == candidates[i].turn;
		     end++) {
			if (candidates[end].user || candidates[end].system)
				continue;
			others = true;
			kept |= !candidates[ctx_group_of(groups->segments,
						(uint32_t)end)]
				     .drop;
		}
		for (j = i; others && j < end; j++)
			if (candidates[j].user && candidates[j].is_root)
				candidates[j].drop = !candidates[j].pinned &&
				    !kept && (!alone || candidates[j].drop);
	}
}

/* Moves ctx_plan.line behind what the strategy has removed.  A user message
 * that is removed with its turn may stand after the line, if only results of
 * older calls answered it. */
static void
set_cut_line(struct ctx_plan *plan, const struct ctx_groups *groups)
{
	uint64_t quantum = plan->settings.quantum, grid;
	size_t i;

	for (i = groups->n; i-- > 0;) {
		if (!plan->candidates[i].is_root || !plan->candidates[i].drop)
			continue;
		plan->cut = true;
		if (groups->segments[i].message > plan->line)
			plan->line = groups->segments[i].message;
		if (quantum == 0)
			return;
		grid = (groups->segments[i].start / quantum + 1) * quantum;
		if (grid > plan->grid)
			plan->grid = grid;
		return;
	}
}

/* Turns the strategy's decisions into marks. */
static void
mark_drops(struct ctx_plan *plan, struct ctx_groups *groups)
{
	size_t i;

	for (i = 0; i < groups->n; i++) {
		if (!plan->candidates[ctx_group_of(groups->segments,
					  (uint32_t)i)]
			 .drop)
			continue;
		assert(plan->holds[i] == 0);
		plan->marks[i] = CTX_MARK_DROP;
	}
}

void
ctx_plan_total(struct ctx_plan *plan, struct ctx_groups *groups)
{
	struct ctx_segment *segments = groups->segments;
	unsigned owner;
	size_t i;

	plan->after = plan->fixed;
	memset(plan->floor, 0, sizeof plan->floor);
	plan->floor[CTX_FLOOR_TOOLS] = plan->tools;
	plan->floor[CTX_FLOOR_SYSTEM] = plan->system;
	for (i = 0; i < groups->n; i++) {
		uint64_t left = ctx_plan_left(plan, &segments[i], i);

		if (plan->marks[i] & CTX_MARK_DROP)
			continue;
		/* Both segments of a message count its framing. */
		if (i + 1 < groups->n &&
		    segments[i].message == segments[i + 1].message &&
		    !(plan->marks[i + 1] & CTX_MARK_DROP))
			left -= segments[i].shared_tokens;
		plan->after += left +
		    (plan->marks[i] & CTX_MARK_NOTICE
			    ? groups->segments[i].notice_tokens
			    : 0);
		for (owner = 0; owner < CTX_FLOOR_KINDS; owner++)
			if (plan->holds[i] & BIT(owner))
				break;
		if (owner == CTX_FLOOR_KINDS &&
		    !plan->settings.strategy->has_budget)
			owner = CTX_FLOOR_KEPT;
		if (owner < CTX_FLOOR_KINDS)
			plan->floor[owner] += left;
	}
}

bool
ctx_plan_due(const struct ctx_plan *plan, const struct ctx_groups *groups)
{
	const struct ctx_prune_settings *settings = &plan->settings;

	if (!settings->strategy->has_budget || settings->always)
		return true;
	if (settings->trigger_messages > 0 &&
	    groups->spoken > settings->trigger_messages)
		return true;
	return groups->tokens + plan->fixed > settings->trigger;
}

/* Decides once, with the tokens now reserved for notices. */
static int
decide_once(struct ctx_plan *plan, struct ctx_groups *groups, bool ended,
    bool due, struct ctx_err *err)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	size_t i;

	if (grow_plan(plan, groups->n, err) < 0)
		return -1;
	find_floor(plan, groups, ended);
	mark_bound_reasoning(plan, groups);
	if (due && ended && settings->strategy->has_budget)
		edit_until_met(plan, groups);
	pin_if_room(plan, groups);
	make_candidates(plan, groups, ended);
	if (due) {
		if (settings->strategy->decide(plan->candidates, groups->n,
			settings, plan->fixed + plan->notices, groups->turn,
			err) < 0)
			return -1;
		set_cut_line(plan, groups);
		drop_with_turns(plan, groups);
	}
	for (i = 0; due && !ended && plan->cut && i < groups->n; i++)
		if (plan->holds[i] == 0)
			plan->marks[i] |=
			    (uint8_t)find_allowed_edits(plan, groups, i, true);
	mark_drops(plan, groups);
	if (due)
		ctx_notice_place(plan, groups, ended);
	ctx_plan_total(plan, groups);
	return 0;
}

/* Decides, and decides again while the notices need more tokens. */
static int
decide_with_notices(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended, bool due, struct ctx_err *err)
{
	bool bounded = due && ended && plan->settings.strategy->has_budget;
	uint64_t notices;
	unsigned round;

	plan->notices = 0;
	for (round = 0; round < ROUNDS; round++) {
		if (decide_once(plan, groups, ended, due, err) < 0)
			return -1;
		if (!bounded || plan->after <= plan->settings.target)
			break;
		/* Reserving tokens for notices may create more gaps. */
		notices = ctx_notice_cost(plan, groups);
		if (notices <= plan->notices)
			break;
		plan->notices = notices;
	}
	return 0;
}

/* Returns true if the marks change something before bound reasoning that can
 * still be removed. */
static bool
has_broken_reasoning(const struct ctx_plan *plan,
    const struct ctx_groups *groups)
{
	uint64_t from = find_first_change(plan, groups);
	size_t i;

	for (i = 0; from < plan->bound_from && i < groups->n; i++)
		if (groups->segments[i].message >= from &&
		    has_bound_reasoning(plan, &groups->segments[i]))
			return true;
	return false;
}

/*
 * Decides again without the bound reasoning after the first change, because the
 * tokens that this saves may keep other messages.  A new decision may change an
 * earlier message; after some rounds all bound reasoning is removed.
 */
static int
decide_without_bound(struct ctx_plan *plan, struct ctx_groups *groups,
    const struct ctx_plan *was, bool due, struct ctx_err *err)
{
	unsigned round;

	for (round = 0; has_broken_reasoning(plan, groups); round++) {
		plan->bound_from =
		    round < ROUNDS ? find_first_change(plan, groups) : 0;
		/* The segments marked by the earlier decision are still there.
		 */
		plan->cut = was->cut;
		plan->line = was->line;
		plan->grid = was->grid;
		if (decide_with_notices(plan, groups, true, due, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_plan_decide(struct ctx_plan *plan, struct ctx_groups *groups, bool ended,
    struct ctx_err *err)
{
	bool due = ctx_plan_due(plan, groups);
	bool drop = plan->settings.reasoning == CTX_REASONING_DROP;
	struct ctx_plan was = *plan;

	if (decide_with_notices(plan, groups, ended, due, err) < 0)
		return -1;
	if (ended && drop &&
	    decide_without_bound(plan, groups, &was, due, err) < 0)
		return -1;
	if (due && ended)
		ctx_notice_forgo(plan, groups);
	ctx_plan_bind(plan, groups, find_first_change(plan, groups));
	return 0;
}

void
ctx_plan_take_back(struct ctx_plan *plan, struct ctx_groups *groups)
{
	unsigned never = CTX_MARK_FOLD | CTX_MARK_STRIP;
	uint64_t was = plan->bound_from;
	size_t i;

	for (i = 0; i < groups->n; i++)
		if (plan->marks[i] & CTX_MARK_DROP)
			plan->marks[i] = 0;
		else
			plan->marks[i] &= (uint8_t) ~(
			    never & ~find_allowed_edits(plan, groups, i, true));
	plan->bound_from = UINT64_MAX;
	ctx_plan_total(plan, groups);
	ctx_plan_bind(plan, groups, find_first_change(plan, groups));
	if (plan->after > plan->settings.budget)
		ctx_plan_bind(plan, groups, was);
}

uint64_t
ctx_plan_left(const struct ctx_plan *plan, const struct ctx_segment *segment,
    size_t i)
{
	if (plan->marks[i] & CTX_MARK_DROP)
		return 0;
	return count_edited_tokens(segment, plan->marks[i]);
}

int
ctx_plan_compact(struct ctx_plan *plan, struct ctx_groups *groups,
    struct ctx_err *err)
{
	uint64_t left, gap = 0;
	bool *gone;
	size_t i;
	int rc;

	gone = calloc(groups->n + 1, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < groups->n; i++) {
		struct ctx_segment *segment = &groups->segments[i];

		gap += segment->dropped_before;
		gone[i] = (plan->marks[i] & CTX_MARK_DROP) != 0;
		if (gone[i]) {
			if (!(segment->flags & CTX_SEGMENT_NOTICE))
				gap += ctx_plan_gone(plan, groups, i);
			continue;
		}
		segment->dropped_before = gap;
		gap = 0;
		left = ctx_plan_left(plan, segment, i);
		segment->edited += segment->tokens - left;
		segment->tokens = left;
		if (plan->marks[i] & CTX_MARK_STRIP) {
			segment->reasoning = 0;
			segment->flags &= (uint16_t)~CTX_SEGMENT_SIGNED;
		}
		if (plan->marks[i] & CTX_MARK_CLEAR)
			segment->clearable_tokens = 0;
	}
	groups->gap += gap;
	rc = ctx_groups_compact(groups, gone, err);
	free(gone);
	return rc;
}
