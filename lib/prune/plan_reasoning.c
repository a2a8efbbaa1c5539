/* plan_reasoning.c - decides which signed reasoning must be removed because
 * something before it is changed, so that the provider would refuse it */
#include "prune/plan_steps.h"

bool
ctx_plan_has_bound_reasoning(const struct ctx_plan *plan,
    const struct ctx_segment *segment)
{
	return plan->settings.binds && (segment->flags & CTX_SEGMENT_SIGNED);
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
