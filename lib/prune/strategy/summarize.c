/*
 * summarize.c - the strategy summarize: replaces all but the newest messages by
 * a summary
 *
 * The newest messages that fit beside the summary are kept or, if the settings
 * say so, only some of them.  The new summary includes the summary of an
 * earlier run, so the earlier one is removed when other messages are.  Its
 * tokens are then available for the new summary.
 */
#include "prune/plan.h"

/* Subtracts the tokens of earlier summaries from the weights of the candidates
 * that contain them, because the new summary replaces the earlier ones.
 * Returns the sum of these tokens. */
static uint64_t
exclude_summaries(struct ctx_candidate *candidates, size_t n)
{
	uint64_t tokens = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		tokens += candidates[i].summary_tokens;
		candidates[i].weight -= candidates[i].summary_tokens;
		candidates[i].summary_tokens = 0;
	}
	return tokens;
}

/* If the settings say how much is kept, removes all groups but the newest: the
 * last keep_tokens tokens are kept or, if that is 0, the last keep_messages
 * messages. */
static void
drop_older(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings)
{
	/* tokens of this candidate and of all newer ones */
	uint64_t from_here = 0;
	size_t i;

	for (i = n; i-- > 0;) {
		struct ctx_candidate *candidate = &candidates[i];

		if (!candidate->is_root)
			continue;
		from_here += candidate->weight;
		if (!candidate->pinned &&
		    (settings->keep_tokens > 0
			    ? from_here > settings->keep_tokens
			    : settings->keep_messages > 0 &&
				candidate->age > settings->keep_messages))
			candidate->drop = true;
	}
}

/* Called if roles must alternate.  Finds the first group that is kept although
 * nothing demands it, and keeps everything after it.  If a tool result comes
 * long after its call, keeping both means keeping all messages between them. */
static void
keep_after_kept(struct ctx_candidate *candidates, size_t n)
{
	bool kept = false;
	size_t i;

	for (i = 0; i < n; i++) {
		struct ctx_candidate *candidate = &candidates[i];

		if (!candidate->is_root)
			continue;
		kept |= !candidate->pinned && !candidate->user &&
		    !candidate->system && !candidate->drop;
		candidate->drop &= !kept;
	}
}

/* If other groups are removed, also removes the summaries of earlier runs.
 * Otherwise keeps these summaries. */
static void
drop_summaries(struct ctx_candidate *candidates, size_t n)
{
	bool others = false;
	size_t i;

	for (i = 0; i < n; i++)
		if (candidates[i].is_root && !candidates[i].summary)
			others |= candidates[i].drop;
	for (i = 0; i < n; i++)
		if (candidates[i].is_root && candidates[i].summary)
			candidates[i].drop = others && !candidates[i].pinned;
}

int
ctx_summarize_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	struct ctx_prune_settings narrower = *settings;
	uint64_t reserved = exclude_summaries(candidates, n);

	if (reserved < settings->reserved)
		reserved = settings->reserved;
	narrower.target =
	    settings->target > reserved ? settings->target - reserved : 0;
	if (ctx_fifo_decide(candidates, n, &narrower, base, newest, err) < 0)
		return -1;
	drop_older(candidates, n, settings);
	if (settings->alternates)
		keep_after_kept(candidates, n);
	drop_summaries(candidates, n);
	return 0;
}
