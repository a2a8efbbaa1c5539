/* floor.c - finds the messages that must not be removed, and the reasons */
#include <assert.h>
#include <string.h>

#include "prune/plan_steps.h"

bool
ctx_plan_is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return (segment->flags & CTX_SEGMENT_USER) &&
	    (plan->settings.alternates || (segment->flags & CTX_SEGMENT_TASK));
}

/* Returns the bit of CTX_FLOOR_SYSTEM if system messages are pinned and the
 * segment is one, or is a summary that an earlier run has inserted.  A
 * strategy that writes a new summary does not keep the earlier one. */
static unsigned
find_system_floor(const struct ctx_prune_settings *settings,
    const struct ctx_segment *segment)
{
	bool summary = (segment->flags & CTX_SEGMENT_SUMMARY) != 0;

	if (!settings->pin_system || (segment->flags & CTX_SEGMENT_NOTICE))
		return 0;
	if (!summary && (segment->flags & CTX_SEGMENT_SYSTEM))
		return CTX_FLOOR_BIT(CTX_FLOOR_SYSTEM);
	if (!summary && !(segment->flags & CTX_SEGMENT_WITH_SUMMARY))
		return 0;
	return settings->strategy->summarizes ? 0
					      : CTX_FLOOR_BIT(CTX_FLOOR_SYSTEM);
}

/* Returns the reasons for which a segment must be kept, except those that come
 * from its turn. */
static unsigned
find_own_floor(const struct ctx_plan *plan, const struct ctx_groups *groups,
    const struct ctx_segment *segment)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	unsigned floors = 0;

	if (segment->flags & CTX_SEGMENT_UNKNOWN)
		return CTX_FLOOR_BIT(CTX_FLOOR_UNKNOWN);
	if (segment->flags & CTX_SEGMENT_PINNED)
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_PINNED);
	/* The last message is always kept, so that some message of the
	 * conversation remains. */
	if (segment->message + 1 == groups->messages &&
	    !(segment->flags & CTX_SEGMENT_NOTICE))
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_LAST);
	floors |= find_system_floor(settings, segment);
	if (segment->flags &
	    (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE | CTX_SEGMENT_SYSTEM))
		return floors;
	if (settings->strategy->pins_first &&
	    segment->nonsystem_index < settings->keep_first &&
	    !(segment->flags & CTX_SEGMENT_DEMONSTRATION))
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_PINNED);
	if (groups->nonsystem_messages - segment->nonsystem_index <=
	    settings->keep_last)
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_LAST);
	if (ctx_plan_is_required_by_turn(plan, segment) &&
	    (segment->turn == groups->turn ||
		groups->turn - segment->turn < settings->keep_turns))
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_TURN);
	return floors;
}

/* Returns CTX_FLOOR_OPTIONAL for a user message of the newest turn that is
 * neither the task of the turn nor a demonstration.  If more messages may come
 * (ended is false), it must be kept, because it may become the task. */
static unsigned
find_optional_floor(const struct ctx_plan *plan,
    const struct ctx_groups *groups, const struct ctx_segment *segment,
    bool ended)
{
	if (!(segment->flags & CTX_SEGMENT_USER) ||
	    (segment->flags & CTX_SEGMENT_DEMONSTRATION) ||
	    segment->turn != groups->turn ||
	    ctx_plan_is_required_by_turn(plan, segment))
		return 0;
	return ended ? CTX_FLOOR_OPTIONAL : CTX_FLOOR_BIT(CTX_FLOOR_TURN);
}

bool
ctx_plan_is_shared_message(const struct ctx_segment *segments, size_t i)
{
	return i > 0 && segments[i].message == segments[i - 1].message &&
	    segments[i].turn != segments[i - 1].turn;
}

/* If roles must alternate and any group of a turn is kept, the turn's user
 * messages and its last group are kept, too: otherwise two neighbouring
 * messages would have the same role.  If the message that begins the next turn
 * also has tool results of this turn, this also applies to the next turn. */
static void
pin_turn_ends(struct ctx_plan *plan, struct ctx_groups *groups, bool ended)
{
	struct ctx_segment *segments = groups->segments;
	size_t i, j, end, last = 0;
	unsigned turn_floors = 0, floor;

	for (i = 0; i < groups->n; i = end) {
		if (!ctx_plan_is_shared_message(segments, i))
			turn_floors = 0;
		last = i;
		for (end = i;
		     end < groups->n && segments[end].turn == segments[i].turn;
		     end++) {
			if (segments[end].flags &
			    (CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN))
				continue;
			last = end;
			turn_floors |=
			    plan->floors[ctx_group_of(segments, (uint32_t)end)];
		}
		for (j = i; turn_floors != 0 && j < end; j++) {
			if (!(segments[j].flags & CTX_SEGMENT_USER) &&
			    j != last)
				continue;
			floor = (turn_floors & CTX_FLOORS_FOREVER) |
			    CTX_FLOOR_BIT(CTX_FLOOR_TURN);
			/* If more messages may come, the last group of the
			 * newest turn is not known yet. */
			if (!ended && j == last &&
			    segments[j].turn == groups->turn)
				floor = CTX_FLOOR_BIT(CTX_FLOOR_TURN);
			plan->floors[ctx_group_of(segments, (uint32_t)j)] |=
			    (uint8_t)floor;
		}
	}
}

/* Returns true if a tool call of segment i may still get a result.  If no more
 * messages will come (ended is true), this is possible only in the newest
 * turn, or for a call that gets several results. */
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

/* A tool call may get several results.  A later result adds all segments from
 * the call up to itself to the group of the call.  Returns the first segment
 * to which this may still happen; SIZE_MAX if there is none. */
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

/* Finds the floors for the settings as they are. */
static void
find_floors(struct ctx_plan *plan, struct ctx_groups *groups, bool ended)
{
	struct ctx_segment *segments = groups->segments;
	size_t first_open = ended ? SIZE_MAX : find_first_open(groups);
	uint32_t later = UINT32_MAX, root;
	size_t i;

	memset(plan->floors, 0, groups->n);
	for (i = groups->n; i-- > 0;) {
		unsigned floors = find_own_floor(plan, groups, &segments[i]) |
		    find_optional_floor(plan, groups, &segments[i], ended);

		/* In each of the newest turns, the last group of messages is
		 * kept. */
		if (!(segments[i].flags &
			(CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_SYSTEM |
			    CTX_SEGMENT_META)) &&
		    segments[i].turn != later) {
			later = segments[i].turn;
			if (groups->turn - later < plan->settings.keep_turns)
				floors |= CTX_FLOOR_BIT(CTX_FLOOR_TURN);
		}
		root = ctx_group_of(segments, (uint32_t)i);
		if (has_open_tool_call(groups, (uint32_t)i, ended) ||
		    i >= first_open)
			floors |= CTX_FLOOR_BIT(CTX_FLOOR_OPEN);
		plan->floors[root] |= (uint8_t)floors;
	}
	if (plan->settings.alternates)
		pin_turn_ends(plan, groups, ended);
	for (i = 0; i < groups->n; i++)
		plan->floors[i] =
		    plan->floors[ctx_group_of(segments, (uint32_t)i)];
}

/* Returns the tokens that must be kept. */
static uint64_t
count_floor_tokens(const struct ctx_plan *plan, const struct ctx_groups *groups)
{
	uint64_t tokens = plan->fixed;
	size_t i;

	for (i = 0; i < groups->n; i++)
		if (plan->floors[i] & ~CTX_FLOOR_OPTIONAL)
			tokens += groups->segments[i].tokens;
	return tokens;
}

/* Returns the tokens that must be kept however small the budget is. */
static uint64_t
count_least_tokens(struct ctx_plan *plan, struct ctx_groups *groups)
{
	struct ctx_prune_settings *settings = &plan->settings;
	uint64_t last = settings->keep_last, turns = settings->keep_turns;
	uint64_t tokens;

	if (settings->shrinks_last)
		settings->keep_last = 0;
	if (settings->shrinks_turns)
		settings->keep_turns = 0;
	find_floors(plan, groups, true);
	tokens = count_floor_tokens(plan, groups);
	settings->keep_last = last;
	settings->keep_turns = turns;
	return tokens;
}

/* Lowers keep_turns, then keep_last, until the newest turns and messages take
 * no more than their share of the tokens that may be kept beside what must be.
 */
static void
shrink_floors(struct ctx_plan *plan, struct ctx_groups *groups)
{
	struct ctx_prune_settings *settings = &plan->settings;
	uint64_t most = count_least_tokens(plan, groups);

	if (most < settings->target)
		most += (settings->target - most) / CTX_FLOOR_SHARE;
	for (;;) {
		find_floors(plan, groups, true);
		if (count_floor_tokens(plan, groups) <= most)
			return;
		if (settings->shrinks_turns && settings->keep_turns > 0)
			settings->keep_turns--;
		else if (settings->shrinks_last && settings->keep_last > 0)
			settings->keep_last--;
		else
			return;
	}
}

void
ctx_plan_find_floor(struct ctx_plan *plan, struct ctx_groups *groups,
    bool ended)
{
	const struct ctx_prune_settings *settings = &plan->settings;

	if (ended && settings->strategy->has_budget &&
	    (settings->shrinks_last || settings->shrinks_turns))
		shrink_floors(plan, groups);
	else
		find_floors(plan, groups, ended);
}
