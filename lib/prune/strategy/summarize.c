/*
 * summarize.c - one message stands for all but the newest
 *
 * What is older than the newest messages goes, and more of them where they
 * and the summary would still exceed the target.  An earlier summary goes
 * with what is summarized now, and never alone; until then it takes the room
 * that is kept for a summary, and weighs on nothing else.
 */
#include "prune/plan.h"

/* Takes the earlier summaries out of the weights; returns what they weigh. */
static uint64_t
set_aside(struct ctx_candidate *units, size_t n)
{
	uint64_t ours = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		ours += units[i].ours;
		units[i].weight -= units[i].ours;
		units[i].ours = 0;
	}
	return ours;
}

int
ctx_summarize_decide(struct ctx_candidate *units, size_t n,
    const struct ctx_prune_settings *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	struct ctx_prune_settings narrower = *limits;
	uint64_t from_here = 0, room = set_aside(units, n);
	bool some = false, stays = false;
	size_t i;

	if (room < limits->reserved)
		room = limits->reserved;
	narrower.target = limits->target > room ? limits->target - room : 0;
	if (ctx_fifo_decide(units, n, &narrower, base, newest, err) < 0)
		return -1;
	for (i = n; i-- > 0;) {
		struct ctx_candidate *unit = &units[i];

		if (!unit->first)
			continue;
		from_here += unit->weight;
		if (!unit->held &&
		    (limits->keep_tokens > 0
			    ? from_here > limits->keep_tokens
			    : unit->age > limits->keep_messages))
			unit->drop = true;
	}
	for (i = 0; i < n; i++) {
		struct ctx_candidate *unit = &units[i];

		if (!unit->first)
			continue;
		/* A late result holds its call, and where roles alternate what
		 * came between. */
		stays |= limits->alternates && !unit->held && !unit->user &&
		    !unit->system && !unit->drop;
		unit->drop &= !stays;
		some |= unit->drop && !unit->summary;
	}
	for (i = 0; i < n; i++)
		if (units[i].first && units[i].summary)
			units[i].drop = some && !units[i].held;
	return 0;
}
