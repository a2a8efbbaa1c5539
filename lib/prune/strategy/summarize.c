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
exclude_summaries(struct ctx_candidate *candidates, size_t n)
{
	uint64_t ours = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		ours += candidates[i].summary_tokens;
		candidates[i].weight -= candidates[i].summary_tokens;
		candidates[i].summary_tokens = 0;
	}
	return ours;
}

int
ctx_summarize_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	struct ctx_prune_settings narrower = *settings;
	uint64_t from_here = 0, room = exclude_summaries(candidates, n);
	bool some = false, stays = false;
	size_t i;

	if (room < settings->reserved)
		room = settings->reserved;
	narrower.target = settings->target > room ? settings->target - room : 0;
	if (ctx_fifo_decide(candidates, n, &narrower, base, newest, err) < 0)
		return -1;
	for (i = n; i-- > 0;) {
		struct ctx_candidate *candidate = &candidates[i];

		if (!candidate->is_root)
			continue;
		from_here += candidate->weight;
		if (!candidate->pinned &&
		    (settings->keep_tokens > 0
			    ? from_here > settings->keep_tokens
			    : candidate->age > settings->keep_messages))
			candidate->drop = true;
	}
	for (i = 0; i < n; i++) {
		struct ctx_candidate *candidate = &candidates[i];

		if (!candidate->is_root)
			continue;
		/* A late result holds its call, and where roles alternate what
		 * came between. */
		stays |= settings->alternates && !candidate->pinned &&
		    !candidate->user && !candidate->system && !candidate->drop;
		candidate->drop &= !stays;
		some |= candidate->drop && !candidate->summary;
	}
	for (i = 0; i < n; i++)
		if (candidates[i].is_root && candidates[i].summary)
			candidates[i].drop = some && !candidates[i].pinned;
	return 0;
}
