/* window.c - implements the strategy window: keeps the newest turns, whatever
 * their number of tokens */
#include "prune/plan.h"

int
ctx_window_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	(void)base;
	(void)err;
	for (size_t i = 0; i < n; i++)
		candidates[i].drop = candidates[i].is_root &&
		    !candidates[i].pinned &&
		    settings->window_turns <= newest - candidates[i].turn;
	return 0;
}
