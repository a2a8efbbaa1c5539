/* removed_tokens.c - counts the tokens that are saved if a segment (message or
 * part of one) is removed */
#include "prune/plan.h"

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
