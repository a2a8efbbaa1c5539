/*
 * fifo.c - the strategy fifo: removes the oldest groups of messages first
 *
 * Beginning with the oldest group, each one is removed if keeping it would
 * exceed the target.  For this, the tokens of three things are added: the group
 * and everything newer, everything older that must be kept, and the user
 * messages of the group's turn.  The sum never rises from one group to the
 * next.  So all groups up to a certain one are removed, except those that must
 * be kept, and none after it.
 *
 * The rule also works before the conversation has ended, because it then never
 * removes more than at the end.  Each group is counted with the fewest tokens
 * that it may get by edits.  Of older groups, only those that will never be
 * removed are counted.
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

/* Sums of tokens by which it is decided whether a candidate (a group of
 * messages) is removed. */
struct fifo_sums {
	/* number of tokens of the candidate and all newer ones */
	uint64_t from_here;
	/* number of tokens that are certainly kept before the candidate */
	uint64_t before;
	/* Number of tokens of user messages in the candidate's turn, as far as
	 * they may still be removed.  If the candidate is kept, they are kept,
	 * too. */
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

/* Called after a candidate (a group of messages) was decided.  Updates the
 * sums, so that they are right for the next candidate. */
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
		if (grid == 0 || candidate->section != cell)
			over = exceeds_target(&sums, settings);
		if (grid != 0)
			cell = candidate->section;
		candidate->drop =
		    !candidate->pinned && (over || candidate->before_cut);
		pass_candidate(&sums, candidate);
	}
	return 0;
}
