/* floor.c - finds the messages that must be kept, and the reasons for this */
#include <string.h>

#include "prune/plan_steps.h"

bool
ctx_plan_is_required_by_turn(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	if (!(segment->flags & CTX_SEGMENT_USER))
		return false;
	if (plan->settings.alternates)
		return true;
	if (!(segment->flags & CTX_SEGMENT_TASK))
		return false;
	return plan->settings.keep_turns > 0 ||
	    segment->turn != plan->step.turn ||
	    segment->message == plan->step.last_user;
}

/* Returns the bit of CTX_FLOOR_SYSTEM if system messages are pinned and the
 * segment (message or part of one) is a system message, or a summary that an
 * earlier run has inserted.  Otherwise returns 0.  If the strategy writes a new
 * summary, the earlier summary is not pinned, because the new summary replaces
 * it. */
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

/* If the segment belongs to the first messages of the conversation
 * (keep_first), returns this reason to keep it, otherwise 0.  Until the
 * conversation has ended, keep_first may still be lowered, so that fewer of
 * these messages are kept. */
static unsigned
find_first_floor(const struct ctx_plan *plan, const struct ctx_segment *segment)
{
	const struct ctx_prune_settings *settings = &plan->settings;

	if (!settings->strategy->pins_first ||
	    segment->nonsystem_index >= settings->keep_first ||
	    (segment->flags & CTX_SEGMENT_DEMONSTRATION))
		return 0;
	return CTX_FLOOR_BIT(plan->ended || !settings->shrinks_first
		? CTX_FLOOR_PINNED
		: CTX_FLOOR_LAST);
}

/* Returns the reasons to keep a segment, without the reasons that pin_turn_ends
 * adds because of other messages of the turn. */
static unsigned
find_own_floor(const struct ctx_plan *plan, const struct ctx_segment *segment)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	unsigned floors = 0;

	if (segment->flags & CTX_SEGMENT_UNKNOWN)
		return CTX_FLOOR_BIT(CTX_FLOOR_UNKNOWN);
	if (segment->flags & CTX_SEGMENT_PINNED)
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_PINNED);
	/* The last message is always kept, so that the conversation does not
	 * become empty. */
	if (segment->message + 1 == plan->step.messages &&
	    !(segment->flags & CTX_SEGMENT_NOTICE))
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_LAST);
	floors |= find_system_floor(settings, segment);
	if (segment->flags &
	    (CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE | CTX_SEGMENT_SYSTEM))
		return floors;
	floors |= find_first_floor(plan, segment);
	if (plan->step.nonsystem_messages - segment->nonsystem_index <=
	    settings->keep_last)
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_LAST);
	if (segment->message == plan->step.opening)
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_TURN);
	if (ctx_plan_is_required_by_turn(plan, segment) &&
	    (segment->turn == plan->step.turn ||
		plan->step.turn - segment->turn < settings->keep_turns))
		floors |= CTX_FLOOR_BIT(CTX_FLOOR_TURN);
	return floors;
}

/* If the segment is a user message of the newest turn that is not the turn's
 * task, returns CTX_FLOOR_OPTIONAL, otherwise 0.  Such messages are kept if
 * they have few tokens.  Before the end of the conversation (plan->ended is
 * false), such a message may still become the task, so a reason to keep it is
 * returned. */
static unsigned
find_optional_floor(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	if (!(segment->flags & CTX_SEGMENT_USER) ||
	    (segment->flags & CTX_SEGMENT_DEMONSTRATION) ||
	    segment->turn != plan->step.turn ||
	    ctx_plan_is_required_by_turn(plan, segment))
		return 0;
	return plan->ended ? CTX_FLOOR_OPTIONAL : CTX_FLOOR_BIT(CTX_FLOOR_TURN);
}

bool
ctx_plan_is_shared_message(const struct ctx_segment *segments, size_t i)
{
	return i > 0 && segments[i].message == segments[i - 1].message &&
	    segments[i].turn != segments[i - 1].turn;
}

/* Keeps the user messages and the last group (messages kept or removed
 * together) of each turn of which any message is kept.  Called if roles must
 * alternate.  Otherwise two neighbouring messages would have the same role.  If
 * the message that begins the next turn contains the turn's last tool results,
 * these messages of the next turn are kept, too. */
static void
pin_turn_ends(struct ctx_plan *plan)
{
	struct ctx_segment *segments = plan->groups->segments;
	size_t end, last = 0;
	unsigned turn_floors = 0, floor;

	for (size_t i = 0; i < plan->step.n; i = end) {
		if (!ctx_plan_is_shared_message(segments, i))
			turn_floors = 0;
		last = i;
		for (end = i; end < plan->step.n &&
		     segments[end].turn == segments[i].turn;
		     end++) {
			if (segments[end].flags &
			    (CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN))
				continue;
			last = end;
			turn_floors |=
			    plan->floors[ctx_group_of(segments, (uint32_t)end)];
		}
		for (size_t j = i; turn_floors != 0 && j < end; j++) {
			if (!(segments[j].flags & CTX_SEGMENT_USER) &&
			    j != last)
				continue;
			floor = (turn_floors & CTX_FLOORS_FOREVER) |
			    CTX_FLOOR_BIT(CTX_FLOOR_TURN);
			/* The last group of the newest turn may change if more
			 * messages come.  So its present last group is not kept
			 * permanently. */
			if (!plan->ended && j == last &&
			    segments[j].turn == plan->step.turn)
				floor = CTX_FLOOR_BIT(CTX_FLOOR_TURN);
			plan->floors[ctx_group_of(segments, (uint32_t)j)] |=
			    (uint8_t)floor;
		}
	}
}

/* Keeps the user messages that other messages of their turn need, if such a
 * message must be kept.  Called if the conversation has ended and roles need
 * not alternate. */
static void
pin_questions(struct ctx_plan *plan)
{
	struct ctx_segment *segments = plan->groups->segments;
	const unsigned no_answer = CTX_SEGMENT_USER | CTX_SEGMENT_SYSTEM |
	    CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_COMPACTED;
	unsigned turn_floors;
	size_t end;

	for (size_t i = 0; i < plan->step.n; i = end) {
		turn_floors = 0;
		for (end = i; end < plan->step.n &&
		     segments[end].turn == segments[i].turn;
		     end++)
			if (!(segments[end].flags & no_answer))
				turn_floors |=
				    plan->floors[ctx_group_of(segments,
					(uint32_t)end)];
		for (size_t j = i; turn_floors != 0 && j < end; j++)
			if (ctx_plan_is_required_by_turn(plan, &segments[j]))
				plan->floors[ctx_group_of(segments,
				    (uint32_t)j)] |=
				    CTX_FLOOR_BIT(CTX_FLOOR_TURN);
	}
}

/* Returns true if a tool call of segment i may still get a result.  If no more
 * messages will come (plan->ended is true), only a call of the newest turn can
 * still get a result, or a call that gets several results. */
static bool
has_open_tool_call(const struct ctx_plan *plan, uint32_t i)
{
	struct ctx_segment *segments = plan->groups->segments, *root;

	if (i == plan->groups->unnamed_calls &&
	    plan->groups->n_unnamed_calls > 0)
		return true;
	root = &segments[ctx_group_of(segments, i)];
	return root->open_calls > 0 &&
	    (!plan->ended || root->turn == plan->step.turn ||
		(segments[i].flags & CTX_SEGMENT_MORE_RESULTS));
}

/* Returns the index of the first segment that a later tool result can still add
 * to the group of its call, or SIZE_MAX if there is none.  If a tool call gets
 * several results, each later result adds all segments between call and result
 * to the group. */
static size_t
find_first_open(const struct ctx_plan *plan)
{
	uint32_t i = 0;

	if (!plan->groups->has_more_results)
		return SIZE_MAX;
	while (i < plan->groups->n && !has_open_tool_call(plan, i) &&
	    i != plan->groups->newest_known)
		i++;
	return i;
}

/* Sets plan->floors (for each segment, the reasons to keep it) according to the
 * present values of keep_last, keep_turns and keep_first in the settings. */
static void
find_floors(struct ctx_plan *plan)
{
	struct ctx_segment *segments = plan->groups->segments;
	size_t first_open = plan->ended ? SIZE_MAX : find_first_open(plan);
	uint32_t later = UINT32_MAX, root;

	memset(plan->floors, 0, plan->groups->n);
	for (size_t i = plan->groups->n; i-- > plan->step.n;)
		plan->floors[ctx_group_of(segments, (uint32_t)i)] |=
		    CTX_FLOOR_BIT(CTX_FLOOR_LAST);
	for (size_t i = plan->step.n; i-- > 0;) {
		unsigned floors = find_own_floor(plan, &segments[i]) |
		    find_optional_floor(plan, &segments[i]);

		/* The last segment of each of the newest turns (keep_turns) is
		 * kept, together with its whole group. */
		if (!(segments[i].flags &
			(CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_SYSTEM |
			    CTX_SEGMENT_META)) &&
		    segments[i].turn != later) {
			later = segments[i].turn;
			if (plan->step.turn - later < plan->settings.keep_turns)
				floors |= CTX_FLOOR_BIT(CTX_FLOOR_TURN);
		}
		root = ctx_group_of(segments, (uint32_t)i);
		if (has_open_tool_call(plan, (uint32_t)i) || i >= first_open)
			floors |= CTX_FLOOR_BIT(CTX_FLOOR_OPEN);
		plan->floors[root] |= (uint8_t)floors;
	}
	if (plan->settings.alternates)
		pin_turn_ends(plan);
	else if (plan->ended && !ctx_prune_splits_turns(&plan->settings))
		pin_questions(plan);
	for (size_t i = 0; i < plan->groups->n; i++)
		plan->floors[i] =
		    plan->floors[ctx_group_of(segments, (uint32_t)i)];
}

/* Returns the number of tokens in segments that must be kept, plus the tokens
 * that are reserved for the segments after plan->step.  Summaries of earlier
 * runs do not count if the strategy replaces them, so that a second run keeps
 * the same messages. */
static uint64_t
count_floor_tokens(const struct ctx_plan *plan)
{
	uint64_t tokens = ctx_plan_base(plan), replaced;
	const struct ctx_segment *segment;

	for (size_t i = 0; i < plan->step.n; i++) {
		segment = &plan->groups->segments[i];
		if (!(plan->floors[i] & ~CTX_FLOOR_OPTIONAL))
			continue;
		replaced = plan->settings.strategy->summarizes
		    ? ctx_plan_count_summary_tokens(segment, 0)
		    : 0;
		if (replaced < segment->tokens)
			tokens += segment->tokens - replaced;
	}
	return tokens;
}

/* Gives keep_last and keep_first their lowest possible values, and lowers
 * keep_turns, but not below "turns".  Sets plan->floors accordingly. */
static void
set_least_floors(struct ctx_plan *plan, uint64_t turns)
{
	struct ctx_prune_settings *settings = &plan->settings;

	if (settings->shrinks_last)
		settings->keep_last = 0;
	if (settings->shrinks_first)
		settings->keep_first = 0;
	if (settings->shrinks_turns && settings->keep_turns > turns)
		settings->keep_turns = turns;
	find_floors(plan);
}

/* Returns how many tokens must be kept if keep_last and keep_first have their
 * lowest possible values, and keep_turns is lowered, but not below "turns". */
static uint64_t
count_least_tokens(struct ctx_plan *plan, uint64_t turns)
{
	const struct ctx_prune_settings before = plan->settings;
	uint64_t tokens;

	set_least_floors(plan, turns);
	tokens = count_floor_tokens(plan);
	plan->settings = before;
	return tokens;
}

/* Returns true if at most "most" tokens must be kept, and if the target also
 * has room for a question before them. */
static bool
is_floor_met(const struct ctx_plan *plan, uint64_t most)
{
	uint64_t tokens = count_floor_tokens(plan), target;

	target = plan->settings.target;
	return tokens <= most &&
	    (tokens > target ||
		ctx_plan_count_question(plan) <= target - tokens);
}

/* Lowers *number, which is a number of kept messages or turns in
 * plan->settings, until is_floor_met returns true.  Does not lower it below
 * "least".  Returns true if is_floor_met returns true at the end. */
static bool
lower_until_met(struct ctx_plan *plan, uint64_t *number, uint64_t least,
    uint64_t most)
{
	for (;; (*number)--) {
		find_floors(plan);
		if (is_floor_met(plan, most))
			return true;
		if (*number <= least)
			return false;
	}
}

/* Lowers keep_turns, then keep_last, then keep_first.  Stops when the messages
 * that these settings keep use at most a share of the tokens that the target
 * leaves beside what must be kept in any case.  If keep_turns is 0, even the
 * first user message of the newest turn may be removed.  So keep_turns is
 * lowered to 0 only if this message alone exceeds the share. */
static void
shrink_floors(struct ctx_plan *plan)
{
	struct ctx_prune_settings *settings = &plan->settings;
	uint64_t most = count_least_tokens(plan, 0);
	uint64_t turns = settings->keep_turns;

	if (most < settings->target)
		most += (settings->target - most) / CTX_FLOOR_SHARE;
	if (settings->shrinks_turns)
		turns = count_least_tokens(plan, 1) <= most ? 1 : 0;
	if (lower_until_met(plan, &settings->keep_turns, turns, most))
		return;
	if (settings->shrinks_last &&
	    lower_until_met(plan, &settings->keep_last, 0, most))
		return;
	if (settings->shrinks_first)
		lower_until_met(plan, &settings->keep_first, 0, most);
}

/* Returns plan->step.opening. */
static uint64_t
find_opening(const struct ctx_plan *plan)
{
	const struct ctx_segment *segments = plan->groups->segments;
	size_t i = plan->step.n, first = plan->step.n;

	while (i > 0 && segments[i - 1].turn == plan->step.turn)
		if (segments[--i].role == CTX_ROLE_ASSISTANT)
			first = i;
	return plan->settings.keeps_opening && first < plan->step.n &&
		(segments[first].flags & CTX_SEGMENT_SIGNED)
	    ? segments[first].message
	    : UINT64_MAX;
}

/* Sets last_user, last_signed and opening in plan->step.  The caller must have
 * set the members n and turn of plan->step. */
static void
find_step_messages(struct ctx_plan *plan)
{
	const struct ctx_segment *segments = plan->groups->segments;
	size_t i = plan->step.n;

	while (i > 0 && !(segments[i - 1].flags & CTX_SEGMENT_SIGNED))
		i--;
	plan->step.last_signed = i > 0 ? segments[i - 1].message : 0;
	plan->step.opening = find_opening(plan);
	i = plan->step.n;
	while (i > 0 && segments[i - 1].turn == plan->step.turn &&
	    !(segments[i - 1].flags & CTX_SEGMENT_USER))
		i--;
	plan->step.last_user = i > 0 && segments[i - 1].turn == plan->step.turn
	    ? segments[i - 1].message
	    : UINT64_MAX;
}

/* Sets plan->step so that the strategy looks at the whole conversation. */
static void
set_whole_step(struct ctx_plan *plan)
{
	plan->step = (struct ctx_plan_step){
	    .n = plan->groups->n,
	    .messages = plan->groups->messages,
	    .nonsystem_messages = plan->groups->nonsystem_messages,
	    .turn = plan->groups->turn,
	};
	find_step_messages(plan);
}

/* If messages are removed in steps, the conversation exceeds the target, and
 * has at least quantum tokens, sets plan->step to the beginning of the
 * conversation up to the most recent multiple of quantum tokens, and returns
 * true.  Otherwise changes nothing, and returns false. */
static bool
set_last_step(struct ctx_plan *plan)
{
	const struct ctx_segment *segments = plan->groups->segments;
	uint64_t quantum = plan->settings.quantum, reached;
	size_t n = plan->groups->n;

	if (quantum == 0 || plan->ignores_steps ||
	    !plan->settings.strategy->needs_all ||
	    plan->groups->tokens + plan->fixed <= plan->settings.target)
		return false;
	reached = plan->groups->tokens / quantum * quantum;
	while (n > 0 && segments[n - 1].start >= reached)
		n--;
	/* A step (the part of the conversation that the strategy looks at) must
	 * not end between two parts of one message. */
	while (n > 0 && n < plan->groups->n &&
	    segments[n].message == segments[n - 1].message)
		n++;
	if (n == 0)
		return false;
	set_whole_step(plan);
	plan->step.reserved = quantum;
	if (n == plan->groups->n)
		return true;
	plan->step.n = n;
	plan->step.messages = segments[n].message;
	plan->step.nonsystem_messages = segments[n].nonsystem_index;
	plan->step.turn = segments[n - 1].turn;
	find_step_messages(plan);
	return true;
}

/* If the segments that must be kept exceed the target, keeps as few messages as
 * possible, and lets edits shorten the tool results of segments that are kept
 * only because of another segment of their group, which is not pinned. */
static void
allow_shorter_results(struct ctx_plan *plan)
{
	const struct ctx_prune_settings *settings = &plan->settings;

	plan->shortens_kept = settings->strategy->cuts_results &&
	    settings->level >= CTX_LEVEL_BALANCED &&
	    count_floor_tokens(plan) > settings->target;
	if (!plan->shortens_kept)
		return;
	set_least_floors(plan, 0);
	for (size_t i = 0; i < plan->step.n; i++)
		if ((plan->floors[i] & CTX_FLOORS_VERBATIM) &&
		    !(plan->floors[i] & CTX_FLOORS_FOREVER) &&
		    !has_open_tool_call(plan, (uint32_t)i) &&
		    !(find_own_floor(plan, &plan->groups->segments[i]) &
			CTX_FLOORS_VERBATIM))
			plan->floors[i] = CTX_FLOOR_BIT(CTX_FLOOR_TURN);
}

bool
ctx_plan_keeps_texts(const struct ctx_plan *plan, size_t i)
{
	return (plan->floors[i] &
		   (plan->shortens_kept ? CTX_FLOORS_VERBATIM : UINT8_MAX)) !=
	    0;
}

static void
find_step_floors(struct ctx_plan *plan)
{
	const struct ctx_prune_settings *settings = &plan->settings;

	if (plan->ended && settings->strategy->has_budget &&
	    (settings->shrinks_last || settings->shrinks_turns ||
		settings->shrinks_first))
		shrink_floors(plan);
	else
		find_floors(plan);
}

void
ctx_plan_find_floor(struct ctx_plan *plan)
{
	const struct ctx_prune_settings before = plan->settings;

	plan->shortens_kept = false;
	if (plan->ended && set_last_step(plan)) {
		find_step_floors(plan);
		if (count_floor_tokens(plan) <= plan->settings.target)
			return;
		/* Perhaps the target can be met without steps. */
		plan->settings = before;
	}
	set_whole_step(plan);
	find_step_floors(plan);
	if (plan->ended)
		allow_shorter_results(plan);
}
