/*
 * fifo.c - removes the oldest groups first
 *
 * Removes a candidate if the target would be exceeded by the sum of: the
 * candidate and everything younger, what is kept for certain before it, and the
 * user messages of its turn.  This sum only falls from one candidate to the
 * next.  So everything up to some candidate is removed, except what is pinned.
 *
 * The rule also works before the end of the conversation: each candidate then
 * has the least weight that it may ever have, and what may still be removed has
 * none.  The sum is then a lower bound of the final one.
 */
#include <stdlib.h>

#include "prune/plan.h"

/* Returns the number of groups of the turn that starts at candidate i, user and
 * system messages not counted.  Sets *permanent_group to true if one of them is
 * permanent. */
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
	uint64_t from_here = 0; /* tokens of this candidate and all younger */
	uint64_t before = base; /* tokens kept for certain before it */
	uint64_t users =
	    0; /* tokens of its turn's user messages that are not in before */
	uint64_t cell = UINT64_MAX, grid = settings->quantum;
	bool over = false, users_permanent = false;
	size_t i,
	    groups_left = 0; /* groups of this turn from this candidate on */

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
		/* With --quantum a cell is kept or removed as a whole: the
		 * first candidate in it decides. */
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
