/*
 * fifo.c - the strategy fifo: removes the oldest groups of messages first
 *
 * A candidate is removed if the following tokens together exceed the target:
 * the candidate and everything younger, everything before it that must be kept,
 * and the user messages of its turn.  This sum never rises from one candidate
 * to the next.  So everything up to some candidate is removed, except what is
 * pinned.
 *
 * The rule also works before the end of the conversation, because the sum is
 * then at most the final sum.  Each candidate is counted with the fewest tokens
 * that it may ever have.  Of everything before a candidate, only groups that
 * will never be removed are counted as kept.
 */
#include <stdlib.h>

#include "prune/plan.h"

/* Returns the number of groups in the turn that begins with candidate i,
 * without user and system messages.  Sets *permanent_group to true if one of
 * these groups will never be removed. */
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

/* Numbers of tokens that decide about a candidate (a group that may be
 * removed). */
struct fifo_sums {
	/* number of tokens of the candidate and all newer ones */
	uint64_t from_here;
	/* number of tokens that are certainly kept before the candidate */
	uint64_t before;
	/* Number of tokens of those user messages in the candidate's turn that
	 * may still be removed. */
	uint64_t users;
	/* Number of groups in the candidate's turn, from the candidate on. */
	size_t groups_left;
	/* true if the user messages of the candidate's turn are kept in any
	 * case */
	bool users_permanent;
};

/* Returns true if the conversation would exceed the target if this candidate
 * were kept. */
static bool
exceeds_target(const struct fifo_sums *sums,
    const struct ctx_prune_settings *settings)
{
	uint64_t users = sums->groups_left > 0 ? sums->users : 0;

	return sums->from_here + sums->before + users > settings->target;
}

/* Updates the sums from one candidate to the next. */
static void
pass_candidate(struct fifo_sums *sums, const struct ctx_candidate *candidate)
{
	sums->from_here -= candidate->weight;
	if (candidate->permanent || (candidate->user && sums->users_permanent))
		sums->before += candidate->weight;
	else if (candidate->user)
		sums->users += candidate->weight;
	sums->groups_left -= !candidate->user && !candidate->system;
}

int
ctx_fifo_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	struct fifo_sums sums = {.before = base};
	uint64_t cell = UINT64_MAX, grid = settings->quantum;
	bool over = false;
	size_t i;

	(void)newest;
	(void)err;
	for (i = 0; i < n; i++)
		if (candidates[i].is_root)
			sums.from_here += candidates[i].weight;
	for (i = 0; i < n; i++) {
		struct ctx_candidate *candidate = &candidates[i];

		if (i == 0 || candidate->turn != candidates[i - 1].turn) {
			sums.users = 0;
			sums.groups_left = count_turn_groups(candidates, n, i,
			    &sums.users_permanent);
		}
		if (!candidate->is_root)
			continue;
		/* With --quantum the conversation is divided into sections,
		 * each of which is kept or removed as a whole.  The first
		 * candidate of a section decides. */
		if (grid == 0 || candidate->start / grid != cell)
			over = exceeds_target(&sums, settings);
		if (grid != 0)
			cell = candidate->start / grid;
		candidate->drop =
		    !candidate->pinned && (over || candidate->before_cut);
		pass_candidate(&sums, candidate);
	}
	return 0;
}
