/* plan_edits.c - decides which edits are made in segments (messages or parts of
 * one): reasoning or passages (a few lines each) are removed, tool results are
 * replaced by a short text, or texts are shortened */
#include "prune/plan_steps.h"

uint64_t
ctx_plan_base(const struct ctx_plan *plan)
{
	return plan->fixed + plan->step.reserved +
	    (plan->settings.pin_system ? 0 : plan->tools_alone);
}

uint64_t
ctx_plan_section_tokens(const struct ctx_prune_settings *settings)
{
	return settings->strategy->needs_all ? 0 : settings->quantum;
}

/* Returns true if the reasoning of a segment may be removed although the
 * segment is in the newest turn.  Strategies that cut tool results remove such
 * reasoning, so that more lines of the results can stay.  Only signed reasoning
 * is removed: providers without signatures may need the reasoning until the
 * turn ends.  The newest message with signed reasoning keeps its reasoning,
 * because Anthropic refuses a request without it. */
static bool
may_lose_new_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return plan->settings.strategy->cuts_results &&
	    (segment->flags & CTX_SEGMENT_SIGNED) &&
	    segment->message < plan->step.last_signed &&
	    segment->message != plan->step.opening;
}

unsigned
ctx_plan_find_allowed_edits(const struct ctx_plan *plan, size_t i, bool ended)
{
	const struct ctx_prune_settings *settings = &plan->settings;
	const struct ctx_segment *segment = &plan->groups->segments[i];
	unsigned never = ended ? CTX_FLOORS_VERBATIM : CTX_FLOORS_FOREVER,
		 edits = 0;

	if (!settings->strategy->has_budget || (plan->floors[i] & never))
		return 0;
	if (settings->level >= CTX_LEVEL_BALANCED && segment->reasoning > 0 &&
	    !settings->keeps_reasoning && ctx_plan_may_strip(plan, segment) &&
	    (!ended || segment->turn < plan->step.turn ||
		may_lose_new_reasoning(plan, segment)))
		edits |= CTX_MARK_STRIP;
	if (segment->passage_savings > 0)
		return edits | CTX_MARK_PASSAGES;
	/* If messages are removed in steps, the edits below are not made.  A
	 * message would be edited as soon as it is no longer one of the newest,
	 * so the output would change with almost every request. */
	if (ctx_plan_section_tokens(settings) != 0)
		return edits;
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

unsigned
ctx_plan_find_possible_edits(const struct ctx_plan *plan, size_t i)
{
	unsigned edits = ctx_plan_find_allowed_edits(plan, i, false);

	if (plan->settings.reasoning == CTX_REASONING_DROP &&
	    ctx_plan_has_bound_reasoning(plan, &plan->groups->segments[i]))
		edits |= CTX_MARK_STRIP;
	return edits;
}

uint64_t
ctx_plan_count_edited_tokens(const struct ctx_segment *segment, unsigned edits)
{
	return segment->tokens -
	    (edits & CTX_MARK_STRIP ? segment->reasoning : 0) -
	    (edits & CTX_MARK_CLEAR ? segment->clearable_tokens : 0) -
	    (edits & CTX_MARK_PASSAGES ? segment->passage_savings : 0) -
	    (edits & CTX_MARK_HEAD_TAIL ? segment->head_tail_savings : 0) -
	    (edits & CTX_MARK_DROP_INSERTION ? segment->inserted_tokens : 0);
}

uint64_t
ctx_plan_count_without_notice(const struct ctx_segment *segment, unsigned edits)
{
	if (segment->flags & CTX_SEGMENT_NOTICE)
		return 0;
	if (segment->flags & CTX_SEGMENT_WITH_NOTICE)
		edits |= CTX_MARK_DROP_INSERTION;
	return ctx_plan_count_edited_tokens(segment, edits);
}

uint64_t
ctx_plan_count_summary_tokens(const struct ctx_segment *segment, unsigned edits)
{
	if (segment->flags &
	    /* A notice (text that says that messages were removed) is not a
	     * summary, even if its text looks like a summary. */
	    CTX_SEGMENT_NOTICE)
		return 0;
	if (segment->flags & CTX_SEGMENT_SUMMARY)
		return ctx_plan_count_edited_tokens(segment, edits);
	return segment->flags & CTX_SEGMENT_WITH_SUMMARY
	    ? segment->inserted_tokens
	    : 0;
}

uint64_t
ctx_plan_freed_tokens(const struct ctx_plan *plan, size_t i)
{
	const struct ctx_segment *segment = &plan->groups->segments[i];
	uint64_t tokens = segment->tokens + segment->edited;

	if (i + 1 < plan->groups->n && segment[1].message == segment->message)
		tokens -= segment->shared_tokens;
	else if (i > 0 && segment[-1].message == segment->message &&
	    !(plan->marks[i - 1] & CTX_MARK_DROP))
		tokens -= segment[-1].shared_tokens;
	return tokens;
}

bool
ctx_plan_is_question(const struct ctx_segment *segment)
{
	return (segment->flags & CTX_SEGMENT_USER) ||
	    ((segment->flags & CTX_SEGMENT_SUMMARY) &&
		segment->role == CTX_ROLE_USER);
}

uint64_t
ctx_plan_count_question(const struct ctx_plan *plan)
{
	const unsigned no_answer =
	    CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_COMPACTED;
	uint64_t least = UINT64_MAX, tokens;

	if (!plan->ended || !ctx_prune_splits_turns(&plan->settings))
		return 0;
	for (size_t i = 0; i < plan->step.n; i++) {
		const struct ctx_segment *segment = &plan->groups->segments[i];
		bool kept = (plan->floors[i] & ~CTX_FLOOR_OPTIONAL) != 0;

		if (ctx_plan_is_question(segment)) {
			if (kept)
				return 0;
			tokens = ctx_plan_count_without_notice(segment,
			    plan->marks[i]);
			if (tokens < least)
				least = tokens;
		} else if (kept && !(segment->flags & no_answer))
			return least < UINT64_MAX ? least : 0;
	}
	return 0;
}

void
ctx_plan_pin_optional(struct ctx_plan *plan)
{
	uint64_t required =
	    ctx_plan_base(plan) + plan->notices + ctx_plan_count_question(plan);
	uint64_t target = plan->settings.target, optional = 0, tokens, replaced;

	for (size_t i = 0; i < plan->step.n; i++) {
		tokens =
		    ctx_plan_count_without_notice(&plan->groups->segments[i],
			plan->marks[i]);
		/* If the strategy writes a new summary, it replaces the summary
		 * of an earlier run, whose tokens are then not counted. */
		replaced = plan->settings.strategy->summarizes
		    ? ctx_plan_count_summary_tokens(&plan->groups->segments[i],
			  plan->marks[i])
		    : 0;
		tokens -= replaced < tokens ? replaced : tokens;
		if (plan->floors[i] == CTX_FLOOR_OPTIONAL)
			optional += tokens;
		else if (plan->floors[i] != 0)
			required += tokens;
	}
	for (size_t i = 0; i < plan->groups->n; i++) {
		if (!(plan->floors[i] & CTX_FLOOR_OPTIONAL))
			continue;
		plan->floors[i] &= (uint8_t)~CTX_FLOOR_OPTIONAL;
		if (optional <= target / CTX_OPTIONAL_SHARE &&
		    required + optional <= target)
			plan->floors[i] |= CTX_FLOOR_BIT(CTX_FLOOR_TURN);
	}
}

/* Marks one kind of edit in the segments that allow this edit, from the oldest
 * segment on, until the conversation has at most as many tokens as the target.
 * With a quantum, continues to the end of the section in which the target is
 * met.  Returns the number of tokens of the conversation after the edits. */
static uint64_t
edit_oldest(struct ctx_plan *plan, unsigned edit, uint64_t total)
{
	uint64_t quantum = ctx_plan_section_tokens(&plan->settings);
	uint64_t section = UINT64_MAX;

	for (size_t i = 0; i < plan->groups->n; i++) {
		uint64_t start = plan->groups->segments[i].start;

		/* If messages were removed before the conversation ended
		 * (plan->cut), all edits together do not save enough tokens to
		 * meet the target.  So all edits are made. */
		if (!plan->cut.exists && total <= plan->settings.target &&
		    (quantum == 0 || start / quantum != section))
			break;
		if (quantum != 0)
			section = start / quantum;
		if (!(ctx_plan_find_allowed_edits(plan, i, true) & edit))
			continue;
		total -=
		    ctx_plan_count_without_notice(&plan->groups->segments[i],
			plan->marks[i]);
		plan->marks[i] |= (uint8_t)edit;
		total +=
		    ctx_plan_count_without_notice(&plan->groups->segments[i],
			plan->marks[i]);
	}
	return total;
}

/* Cancels edits of one kind that are not needed to meet the target, from the
 * newest message on.  Returns the number of tokens of the conversation after
 * the remaining edits. */
static uint64_t
cancel_needless(struct ctx_plan *plan, unsigned edit, uint64_t total)
{
	size_t i = plan->step.n;

	/* If messages were removed before the conversation ended (plan->cut),
	 * all edits are needed; see edit_oldest. */
	while (!plan->cut.exists && total < plan->settings.target && i-- > 0) {
		const struct ctx_segment *segment = &plan->groups->segments[i];
		unsigned marks = plan->marks[i], fewer = marks & ~edit;
		uint64_t added = ctx_plan_count_without_notice(segment, fewer) -
		    ctx_plan_count_without_notice(segment, marks);

		if (total + added > plan->settings.target)
			continue;
		plan->marks[i] = (uint8_t)fewer;
		total += added;
	}
	return total;
}

void
ctx_plan_edit_until_met(struct ctx_plan *plan)
{
	static const unsigned steps[] = {CTX_MARK_STRIP, CTX_MARK_PASSAGES,
	    CTX_MARK_CLEAR, CTX_MARK_HEAD_TAIL};
	uint64_t total = ctx_plan_base(plan) + plan->notices;

	for (size_t i = 0; i < plan->step.n; i++)
		total +=
		    ctx_plan_count_without_notice(&plan->groups->segments[i],
			plan->marks[i]);
	for (size_t i = 0; i < CTX_LENGTH(steps); i++) {
		total = edit_oldest(plan, steps[i], total);
		/* Bound reasoning (which the provider does not take if
		 * anything before it was changed) must be removed even if
		 * the conversation would fit into the target with it. */
		if (steps[i] != CTX_MARK_STRIP)
			total = cancel_needless(plan, steps[i], total);
	}
}
