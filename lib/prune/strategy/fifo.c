/*
 * fifo.c - the oldest groups go first
 *
 * A unit goes when it and all that is younger, with what stays before it and
 * the user messages of its turn, exceed the target.  That sum only falls from
 * one unit to the next, so what goes is everything unheld up to a line.
 *
 * The same rule serves while the conversation is still arriving: the plan
 * then gives every unit the least weight it may ever have and lets nothing
 * weigh that may still go, and the sum is a lower bound of the final one.
 */
#include <stdlib.h>

#include "prune/plan.h"

/* The units of the turn that starts at i, user messages left aside: how
 * many may still be answered about, and does any stay for certain? */
static size_t
look_at_turn(const struct ctx_candidate *units, size_t n, size_t i,
    bool *weighs)
{
	uint32_t turn = units[i].turn;
	size_t others = 0;

	*weighs = false;
	for (; i < n && units[i].turn == turn; i++) {
		if (units[i].user || units[i].system)
			continue;
		others += units[i].first;
		*weighs |= units[i].weighs;
	}
	return others;
}

int
ctx_fifo_decide(struct ctx_candidate *units, size_t n,
    const struct ctx_prune_settings *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	uint64_t from_here = 0; /* this unit and all younger */
	uint64_t before = base; /* what stays for certain before it */
	uint64_t users = 0;     /* its turn's user messages, if not in before */
	uint64_t cell = UINT64_MAX, grid = limits->quantum;
	bool over = false, users_weigh = false;
	size_t i, others = 0; /* units of this turn that are still to come */

	(void)newest;
	(void)err;
	for (i = 0; i < n; i++)
		if (units[i].first)
			from_here += units[i].weight;
	for (i = 0; i < n; i++) {
		struct ctx_candidate *unit = &units[i];

		if (i == 0 || unit->turn != units[i - 1].turn) {
			users = 0;
			others = look_at_turn(units, n, i, &users_weigh);
		}
		if (!unit->first)
			continue;
		/* On a grid the first unit of a cell answers for all of it. */
		if (grid == 0 || unit->start / grid != cell)
			over = from_here + before + (others > 0 ? users : 0) >
			    limits->target;
		if (grid != 0)
			cell = unit->start / grid;
		unit->drop = !unit->held && (over || unit->behind);
		from_here -= unit->weight;
		if (unit->weighs || (unit->user && users_weigh))
			before += unit->weight;
		else if (unit->user)
			users += unit->weight;
		others -= !unit->user && !unit->system;
	}
	return 0;
}
