/*
 * fifo.c - implements the strategy fifo: removes the oldest groups of messages
 * first
 *
 * The groups (messages kept or removed together) are examined from the oldest
 * on.  A group is removed if the conversation would exceed the target with it.
 * For this decision, three numbers of tokens are added: of the group and
 * everything newer; of everything older that must be kept; of the user messages
 * of the group's turn.  This sum never increases from one group to the next
 * newer group.  So there is one group before which all groups are removed,
 * except those that must be kept, and after which all groups are kept.
 *
 * The same rule is used before the conversation has ended.  It then never
 * removes more than at the end.  For this, each group counts with the smallest
 * number of tokens to which edits can reduce it, and an older group counts only
 * if it will certainly never be removed.
 */
#include <stdlib.h>

#include "prune/plan.h"

/* Returns the number of groups in the turn that begins with candidate i,
 * without user messages and system messages.  Sets *permanent_group to true if
 * one of these groups will certainly never be removed. */
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

/* The sums of tokens that decide whether a candidate (a group of messages) is
 * removed. */
struct fifo_sums {
	/* number of tokens of the candidate and of all newer candidates */
	uint64_t from_here;
	/* number of tokens that are certainly kept before the candidate */
	uint64_t before;
	/* Number of tokens of those user messages in the candidate's turn that
	 * may still be removed.  If the candidate is kept, these user messages
	 * are kept. */
	uint64_t users;
	/* Number of groups from the candidate to the end of its turn. */
	size_t groups_left;
	/* true if the user messages of the candidate's turn are certainly
	 * kept */
	bool users_permanent;
};

/* Returns true if the conversation would exceed the target if this candidate
 * were kept. */
static bool
exceeds_target(const struct fifo_sums *sums, uint64_t target)
{
	uint64_t users = sums->groups_left > 0 ? sums->users : 0;

	return sums->from_here + sums->before + users > target;
}

/* Updates the sums for the next candidate.  The caller must have decided about
 * this candidate. */
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
ctx_fifo_decide(const struct ctx_decision *decision, struct ctx_err *err)
{
	struct ctx_candidate *candidates = decision->candidates;
	struct fifo_sums sums = {.before = decision->base};
	uint64_t cell = UINT64_MAX, grid = decision->settings->quantum;
	size_t n = decision->n;
	bool over = false;

	(void)err;
	for (size_t i = 0; i < n; i++)
		if (candidates[i].is_root)
			sums.from_here += candidates[i].weight;
	for (size_t i = 0; i < n; i++) {
		struct ctx_candidate *candidate = &candidates[i];

		if (i == 0 || candidate->turn != candidates[i - 1].turn) {
			sums.users = 0;
			sums.groups_left = count_turn_groups(candidates, n, i,
			    &sums.users_permanent);
		}
		if (!candidate->is_root)
			continue;
		/* With --quantum N, the conversation is divided into sections
		 * of N tokens.  The decision about the first candidate of a
		 * section holds for the whole section. */
		if (grid == 0 || candidate->section != cell)
			over = exceeds_target(&sums, decision->target);
		if (grid != 0)
			cell = candidate->section;
		candidate->drop =
		    !candidate->pinned && (over || candidate->before_cut);
		pass_candidate(&sums, candidate);
	}
	return 0;
}
