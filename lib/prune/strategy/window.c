/* window.c - implements the strategy window: keeps the newest turns, whatever
 * their number of tokens */
#include "prune/plan.h"

int
ctx_window_decide(const struct ctx_decision *decision, struct ctx_err *err)
{
	(void)err;
	for (size_t i = 0; i < decision->n; i++) {
		struct ctx_candidate *candidate = &decision->candidates[i];

		candidate->drop = candidate->is_root && !candidate->pinned &&
		    decision->settings->window_turns <=
			decision->newest - candidate->turn;
	}
	return 0;
}
