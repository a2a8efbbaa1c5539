/* window.c - the last turns stay, whatever they cost */
#include "prune/plan.h"

int
ctx_window_decide(struct ctx_candidate *units, size_t n,
    const struct ctx_prune_settings *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	size_t i;

	(void)base;
	(void)err;
	for (i = 0; i < n; i++)
		units[i].drop = units[i].first && !units[i].held &&
		    limits->window_turns <= newest - units[i].turn;
	return 0;
}
