/*
 * summarize.c - implements the strategy summarize: replaces all but the newest
 * messages by a summary
 *
 * The newest messages that fit into the target together with the summary are
 * kept, or fewer if the settings say so.  If messages are removed, the summary
 * of an earlier run is also removed, because the new summary includes it.  The
 * tokens of the earlier summary are then available for the new summary.
 */
#include "prune/plan.h"

/* At least 1/SUMMARY_SHARE of the tokens that are left by the messages that
 * must be kept are reserved for the summary.  The value was chosen by
 * measurements with ctx-eval (tests/bench/survive).  With a larger share, only
 * few more of the names that are needed later are kept, and fewer messages. */
enum { SUMMARY_SHARE = 3 };

/* Subtracts the tokens of earlier summaries from the weights of the candidates
 * that contain such summaries, because a new summary replaces them.  Returns
 * the sum of these tokens. */
static uint64_t
exclude_summaries(const struct ctx_decision *decision)
{
	uint64_t tokens = 0;

	for (size_t i = 0; i < decision->n; i++) {
		struct ctx_candidate *candidate = &decision->candidates[i];

		tokens += candidate->summary_tokens;
		candidate->weight -= candidate->summary_tokens;
		candidate->summary_tokens = 0;
	}
	return tokens;
}

/* If the settings say how much is kept, removes all groups (messages kept or
 * removed together) except the newest: those in the last keep_tokens tokens or,
 * if keep_tokens is 0, the last keep_messages messages. */
static void
drop_older(const struct ctx_decision *decision)
{
	const struct ctx_prune_settings *settings = decision->settings;
	/* number of tokens of this candidate and of all newer candidates */
	uint64_t from_here = 0;

	for (size_t i = decision->n; i-- > 0;) {
		struct ctx_candidate *candidate = &decision->candidates[i];

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
 * it need not be, and keeps everything after the first message of this group.
 * If the group contains a tool call whose result comes much later, all messages
 * between the call and the result are kept. */
static void
keep_after_kept(const struct ctx_decision *decision)
{
	bool kept = false;

	for (size_t i = 0; i < decision->n; i++) {
		struct ctx_candidate *candidate = &decision->candidates[i];

		if (!candidate->is_root)
			continue;
		kept |= !candidate->pinned && !candidate->user &&
		    !candidate->system && !candidate->drop;
		candidate->drop &= !kept;
	}
}

/* If messages other than summaries are removed (others is true), also removes
 * the summaries of earlier runs; otherwise keeps these summaries. */
static void
drop_summaries(const struct ctx_decision *decision, bool others)
{
	struct ctx_candidate *candidates = decision->candidates;

	for (size_t i = 0; i < decision->n; i++)
		if (candidates[i].is_root && candidates[i].summary)
			candidates[i].drop = others && !candidates[i].pinned;
}

/* Returns true if any message is removed that is not a summary of an earlier
 * run. */
static bool
drops_messages(const struct ctx_decision *decision)
{
	const struct ctx_candidate *candidates = decision->candidates;

	for (size_t i = 0; i < decision->n; i++)
		if (candidates[i].is_root && candidates[i].drop &&
		    !candidates[i].summary)
			return true;
	return false;
}

/* Returns the number of tokens that are reserved for the summary: the number in
 * the settings or, if there is none, a share of the tokens that are left by the
 * messages that must be kept. */
static uint64_t
find_reserved(const struct ctx_decision *decision)
{
	const struct ctx_candidate *candidates = decision->candidates;
	const uint64_t least = CTX_LEAST_SUMMARY + CTX_SUMMARY_FRAME;
	uint64_t required = decision->base, share;

	if (decision->settings->reserved != 0)
		return decision->settings->reserved;
	for (size_t i = 0; i < decision->n; i++)
		if (candidates[i].is_root && candidates[i].pinned)
			required += candidates[i].weight;
	if (decision->target <= required)
		return least;
	share = (decision->target - required) / SUMMARY_SHARE;
	return share > least ? share : least;
}

/* Keeps the groups that the previous plan kept.  Then keeps all other groups
 * that fit into the target, from the newest on.  A group that does not fit is
 * removed. */
static int
keep_fitting(const struct ctx_decision *decision, struct ctx_err *err)
{
	for (size_t i = 0; i < decision->n; i++) {
		struct ctx_candidate *candidate = &decision->candidates[i];

		candidate->rank =
		    candidate->rank * (double)decision->n + (double)i;
		candidate->drop = false;
	}
	return ctx_ranked_decide(decision, err);
}

/* Keeps the newest messages that fit into the target without the reserved
 * tokens.  If a built-in summary was already written, its number of tokens is
 * known; then more messages are kept, as many as fit into the tokens that the
 * summary leaves. */
static int
keep_newest(const struct ctx_decision *decision, uint64_t reserved,
    struct ctx_err *err)
{
	const struct ctx_prune_settings *settings = decision->settings;
	struct ctx_decision narrower = *decision;

	narrower.target =
	    decision->target > reserved ? decision->target - reserved : 0;
	if (settings->reserved > 0 && settings->summary_tokens == 0 &&
	    !settings->alternates)
		return keep_fitting(&narrower, err);
	return ctx_fifo_decide(&narrower, err);
}

/* Keeps the newest messages that fit into the target together with the summary.
 * Keeps all messages if they fit together with the summaries of earlier runs,
 * so that a second run changes nothing. earlier: number of tokens of the
 * summaries of earlier runs. */
static int
keep_beside_summary(const struct ctx_decision *decision, uint64_t earlier,
    struct ctx_err *err)
{
	uint64_t reserved = find_reserved(decision);

	if (keep_newest(decision, earlier, err) < 0)
		return -1;
	if (!drops_messages(decision))
		return 0;
	if (keep_newest(decision, reserved, err) < 0)
		return -1;
	/* A new summary is written only if messages are removed. */
	return earlier > reserved && !drops_messages(decision)
	    ? keep_newest(decision, earlier, err)
	    : 0;
}

int
ctx_summarize_decide(const struct ctx_decision *decision, struct ctx_err *err)
{
	uint64_t earlier = exclude_summaries(decision);

	if (keep_beside_summary(decision, earlier, err) < 0)
		return -1;
	drop_older(decision);
	if (decision->settings->alternates)
		keep_after_kept(decision);
	drop_summaries(decision, drops_messages(decision));
	return 0;
}
