/*
 * fifo.c - the oldest groups go first
 *
 * A candidate goes when it and all that is younger, with what stays before it
 * and the user messages of its turn, exceed the target.  That sum only falls
 * from one candidate to the next, so what is removed is everything unheld up to
 * a line.
 *
 * The same rule serves while the conversation is still arriving: the plan
 * then gives every candidate the least weight it may ever have and lets nothing
 * weigh that may still go, and the sum is a lower bound of the final one.
 */
#include <stdlib.h>

#include "prune/plan.h"

/* The candidates of the turn that starts at i, user messages left aside: how
 * many may still be answered about, and does any stay for certain? */
static size_t
count_turn_groups(const struct ctx_candidate *candidates, size_t n, size_t i,
    bool *permanent_group)
{
	uint32_t turn = candidates[i].turn;
	size_t groups_left = 0;

	*permanent_group = false;
	for (; i < n && candidates[i].turn == turn; i++) {
		if (candidates[i].user || candidates[i].system)
			continue;
		groups_left += candidates[i].is_root;
		*permanent_group |= candidates[i].permanent;
	}
	return groups_left;
}

int
ctx_fifo_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	uint64_t from_here = 0; /* this candidate and all younger */
	uint64_t before = base; /* what stays for certain before it */
	uint64_t users = 0;     /* its turn's user messages, if not in before */
	uint64_t cell = UINT64_MAX, grid = settings->quantum;
	bool over = false, users_permanent = false;
	size_t i,
	    groups_left =
		0; /* candidates of this turn that are still to come */

	(void)newest;
	(void)err;
	for (i = 0; i < n; i++)
		if (candidates[i].is_root)
			from_here += candidates[i].weight;
	for (i = 0; i < n; i++) {
		struct ctx_candidate *candidate = &candidates[i];

		if (i == 0 || candidate->turn != candidates[i - 1].turn) {
			users = 0;
			groups_left = count_turn_groups(candidates, n, i,
			    &users_permanent);
		}
		if (!candidate->is_root)
			continue;
		/* On a grid the first candidate of a cell answers for all of
		 * it. */
		if (grid == 0 || candidate->start / grid != cell)
			over =
			    from_here + before + (groups_left > 0 ? users : 0) >
			    settings->target;
		if (grid != 0)
			cell = candidate->start / grid;
		candidate->drop =
		    !candidate->pinned && (over || candidate->before_cut);
		from_here -= candidate->weight;
		if (candidate->permanent ||
		    (candidate->user && users_permanent))
			before += candidate->weight;
		else if (candidate->user)
			users += candidate->weight;
		groups_left -= !candidate->user && !candidate->system;
	}
	return 0;
}
