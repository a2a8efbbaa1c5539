/* plan_reasoning.c - decides which reasoning must be removed because something
 * before it is changed, so that the provider would drop or refuse it */
#include "prune/plan_steps.h"

/* Returns true if a reasoning item can be removed by itself: all items of the
 * same response after it are known, and can do without their ids. */
static bool
is_removable_item(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	const struct ctx_segment *end =
	    plan->groups->segments + plan->groups->n;

	while (++segment < end && segment->role == CTX_ROLE_ASSISTANT &&
	    segment->link != CTX_LINK_REASONING)
		if (segment->link == CTX_LINK_FIXED)
			return false;
	return segment < end || plan->ended;
}

bool
ctx_plan_may_strip(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return segment->link != CTX_LINK_REASONING ||
	    is_removable_item(plan, segment);
}

bool
ctx_plan_has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	if (plan->settings.binds == CTX_BINDS_DROPPED)
		return segment->link == CTX_LINK_REASONING &&
		    is_removable_item(plan, segment);
	return plan->settings.binds == CTX_BINDS_REFUSED &&
	    (segment->flags & CTX_SEGMENT_SIGNED);
}

bool
ctx_plan_must_strip(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return plan->settings.reasoning == CTX_REASONING_DROP &&
	    segment->message >= plan->bound_from &&
	    ctx_plan_has_bound_reasoning(plan, segment);
}

uint64_t
ctx_plan_find_first_change(const struct ctx_plan *plan)
{
	for (size_t i = 0; i < plan->groups->n; i++)
		if (plan->marks[i] != 0)
			return plan->groups->segments[i].message;
	return UINT64_MAX;
}

void
ctx_plan_mark_bound_reasoning(struct ctx_plan *plan)
{
	for (size_t i = 0; i < plan->groups->n; i++)
		if (ctx_plan_must_strip(plan, &plan->groups->segments[i]) &&
		    !(plan->marks[i] & CTX_MARK_DROP))
			plan->marks[i] |= CTX_MARK_STRIP;
}

void
ctx_plan_unlink_items(struct ctx_plan *plan)
{
	bool stripped = false;

	for (size_t i = 0; i < plan->groups->n; i++) {
		const struct ctx_segment *segment = &plan->groups->segments[i];

		if (segment->role != CTX_ROLE_ASSISTANT)
			stripped = false;
		else if (segment->link == CTX_LINK_REASONING)
			stripped = (plan->marks[i] & CTX_MARK_STRIP) != 0;
		else if (stripped && segment->link == CTX_LINK_BY_ID &&
		    !(plan->marks[i] & CTX_MARK_DROP))
			plan->marks[i] |= CTX_MARK_UNLINK;
	}
}

void
ctx_plan_bind(struct ctx_plan *plan, uint64_t message)
{
	if (message < plan->bound_from)
		plan->bound_from = message;
	for (size_t i = 0; i < plan->groups->n; i++)
		plan->after += plan->marks[i] & CTX_MARK_STRIP
		    ? plan->groups->segments[i].reasoning
		    : 0;
	ctx_plan_mark_bound_reasoning(plan);
	for (size_t i = 0; i < plan->groups->n; i++)
		plan->after -= plan->marks[i] & CTX_MARK_STRIP
		    ? plan->groups->segments[i].reasoning
		    : 0;
}

bool
ctx_plan_leaves_bound(const struct ctx_plan *plan)
{
	uint64_t from = ctx_plan_find_first_change(plan);

	if (plan->bound_from < from)
		from = plan->bound_from;
	for (size_t i = 0; i < plan->groups->n; i++)
		if (plan->groups->segments[i].message >= from &&
		    ctx_plan_has_bound_reasoning(plan,
			&plan->groups->segments[i]) &&
		    !(plan->marks[i] & (CTX_MARK_DROP | CTX_MARK_STRIP)))
			return true;
	return false;
}
