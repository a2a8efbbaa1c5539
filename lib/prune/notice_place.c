/*
 * notice_place.c - decides where notices (texts that say that messages were
 * removed) are inserted
 *
 * A notice is inserted before the first user message of a turn if messages
 * directly before this turn were removed.  If messages were removed only within
 * a turn, no notice is inserted.  But a notice that an earlier run inserted
 * within a turn is kept, because without it two consecutive messages might have
 * the same role.
 */
#include "prune/plan.h"

/* A gap: a sequence of removed messages between two messages that are kept. */
struct gap {
	uint64_t tokens; /* number of tokens of the removed messages */
	/* Index of the newest segment (message or part of one) in the gap that
	 * is a notice of an earlier run.  Valid if has_notice is true. */
	size_t notice;
	bool has_notice;
};

static void
drop_notice_message(struct ctx_plan *plan, size_t notice)
{
	if (plan->floors[notice] == 0)
		plan->marks[notice] = CTX_MARK_DROP;
}

/* Ends a gap (sequence of removed messages). i: index of the first kept segment
 * after the gap.  If this segment begins another turn (turns is true), marks
 * the segment, so that a notice is inserted before it.  Does not mark the
 * segment if an earlier run already inserted a notice there, or if a notice
 * would need at least as many tokens as were removed. */
static void
close_gap(struct ctx_plan *plan, const struct ctx_segment *segment, size_t i,
    const struct gap *gap, bool turns)
{
	bool within = (segment->flags & CTX_SEGMENT_WITH_NOTICE) != 0;

	if (within && gap->has_notice)
		drop_notice_message(plan, gap->notice);
	if (turns && !within && !gap->has_notice &&
	    segment->notice_tokens > 0 && gap->tokens > segment->notice_tokens)
		plan->marks[i] |= CTX_MARK_NOTICE;
}

/* Adds segment i, which is removed, to a gap (sequence of removed messages).
 * If the gap contains several notices of earlier runs, only the last of them is
 * kept. */
static void
widen_gap(struct ctx_plan *plan, size_t i, struct gap *gap)
{
	if (plan->groups->segments[i].flags & CTX_SEGMENT_NOTICE) {
		if (gap->has_notice)
			drop_notice_message(plan, gap->notice);
		gap->has_notice = true;
		gap->notice = i;
	} else if (plan->marks[i] & CTX_MARK_DROP) {
		gap->tokens += ctx_plan_freed_tokens(plan, i);
	}
}

void
ctx_notice_place(struct ctx_plan *plan)
{
	struct gap gap = {0};
	/* number of the turn of the most recent message that is kept */
	uint32_t turn = UINT32_MAX;

	for (size_t i = 0; i < plan->groups->n; i++) {
		const struct ctx_segment *segment = &plan->groups->segments[i];
		bool kept = !(plan->marks[i] & CTX_MARK_DROP) &&
		    !(segment->flags &
			(CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN));

		gap.tokens += segment->dropped_before;
		if (!kept) {
			widen_gap(plan, i, &gap);
			continue;
		}
		if (plan->ended)
			close_gap(plan, segment, i, &gap,
			    segment->turn != turn);
		turn = segment->turn;
		gap = (struct gap){0};
	}
}

uint64_t
ctx_notice_cost(const struct ctx_plan *plan)
{
	uint64_t cost = 0;

	for (size_t i = 0; i < plan->groups->n; i++) {
		const struct ctx_segment *segment = &plan->groups->segments[i];

		if (plan->marks[i] & CTX_MARK_DROP)
			continue;
		if (plan->marks[i] & CTX_MARK_NOTICE)
			cost += segment->notice_tokens;
		if (segment->flags & CTX_SEGMENT_NOTICE)
			cost += segment->tokens;
		else if (segment->flags & CTX_SEGMENT_WITH_NOTICE)
			cost += segment->inserted_tokens;
	}
	return cost;
}

/* Removes one notice at segment i, which is kept, or directly before segment i.
 * Returns the number of tokens that this saves, or 0 if there is no notice.
 * The notice may be one that the plan would insert, a part of segment i, or a
 * message of an earlier run. notice: index of the segment of such a message, or
 * SIZE_MAX if there is none. */
static uint64_t
remove_notice(struct ctx_plan *plan, size_t i, size_t notice)
{
	const struct ctx_segment *segment = &plan->groups->segments[i];

	if (plan->marks[i] & CTX_MARK_NOTICE) {
		plan->marks[i] &= (uint8_t)~CTX_MARK_NOTICE;
		return segment->notice_tokens;
	}
	if (segment->flags & CTX_SEGMENT_WITH_NOTICE) {
		plan->marks[i] |= CTX_MARK_DROP_INSERTION;
		return segment->inserted_tokens;
	}
	/* A notice of an earlier run is kept if the next message is not a user
	 * message: an assistant message may need a user message before it. */
	if (notice == SIZE_MAX || plan->floors[notice] != 0 ||
	    !((segment->flags & CTX_SEGMENT_USER) ||
		segment->notice_tokens > 0))
		return 0;
	plan->marks[notice] = CTX_MARK_DROP;
	return plan->groups->segments[notice].tokens;
}

void
ctx_notice_remove(struct ctx_plan *plan)
{
	size_t notice = SIZE_MAX;

	for (size_t i = 0;
	     i < plan->groups->n && plan->after > plan->settings.budget; i++) {
		unsigned flags = plan->groups->segments[i].flags;

		if (plan->marks[i] & CTX_MARK_DROP)
			continue;
		if (flags & CTX_SEGMENT_NOTICE) {
			notice = i;
		} else if (!(flags &
			       (CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN))) {
			plan->after -= remove_notice(plan, i, notice);
			notice = SIZE_MAX;
		}
	}
}
