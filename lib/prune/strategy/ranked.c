/*
 * ranked.c - removes groups of messages in the order of their rank
 *
 * The groups (messages kept or removed together) with the lowest rank are
 * removed first, until the target is met.  Of groups with equal ranks, the
 * oldest is removed first.  Often the last removed group has more tokens than
 * had to be removed.  So if the strategy has the member "refills" set, some
 * removed groups are kept after all, as far as they fit into the target,
 * beginning with the highest rank.
 *
 * When the last group of a turn is removed, the turn's user messages are
 * removed, too, unless the strategy ranks user messages separately.  If roles
 * must alternate, the last group in a turn is removed after the other groups of
 * the turn.  The message that begins the next turn may contain tool results of
 * this last group.  Then the group is removed before the last group of the next
 * turn, or together with it.
 */
#include <stdlib.h>

#include "prune/plan.h"

struct ranked {
	double rank;
	/* index of the candidate, and number of its turn */
	uint32_t candidate_index, turn;
	/* true if the candidate is removed after all other candidates of the
	 * same rank */
	bool after_equals;
};

/* A turn (a user message and everything up to the next user message), while
 * groups are removed from it one by one. */
struct turn {
	/* Number of tokens of those user messages that are removed together
	 * with the last group of the turn. */
	uint64_t users;
	double rank; /* highest of the ranks of the turn's groups */
	/* how many user messages of the turn were removed because of their own
	 * rank */
	uint32_t users_removed;
	/* Number of groups in the turn that are not removed so far.  Groups
	 * that must be kept are included. */
	uint32_t groups_left;
	/* index of the first segment (message or part of one) of the turn's
	 * last group */
	uint32_t last;
	bool keeps_one; /* true if a group of the turn must be kept */
	/* true if the message at the beginning of the turn also contains tool
	 * results of the turn before */
	bool shares_message;
};

static int
compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->after_equals != y->after_equals)
		return x->after_equals ? 1 : -1;
	return x->candidate_index < y->candidate_index ? -1 : 1;
}

/* Gives the last group of a turn the highest rank in the turn, so that it is
 * removed after the other groups of the turn. */
static void
raise_turn_end(struct ctx_candidate *candidates, const struct turn *turn)
{
	if (turn->groups_left > 0 && candidates[turn->last].rank < turn->rank)
		candidates[turn->last].rank = turn->rank;
}

static void
survey_turns(const struct ctx_decision *decision, struct turn *turn)
{
	struct ctx_candidate *candidates = decision->candidates;

	for (size_t i = 0; i < decision->n; i++) {
		if (i > 0 && candidates[i].turn != candidates[i - 1].turn) {
			if (decision->settings->alternates)
				raise_turn_end(candidates, turn);
			turn++;
		}
		if (candidates[i].shares_message) {
			turn->shares_message = true;
			if (turn->rank < turn[-1].rank)
				turn->rank = turn[-1].rank;
		}
		if (candidates[i].user || candidates[i].system)
			continue;
		turn->groups_left += candidates[i].is_root ||
		    candidates[candidates[i].root].turn != candidates[i].turn;
		turn->keeps_one |= candidates[i].pinned;
		turn->last = candidates[i].root;
		/* A tool result may be in a later turn than its tool call, but
		 * both are in the same group.  The user messages of the later
		 * turn must not be removed before this group. */
		if (candidates[candidates[i].root].rank > turn->rank)
			turn->rank = candidates[candidates[i].root].rank;
	}
}

/* Fills a list with the groups that may be removed, and their ranks.  Returns
 * the number of tokens of all groups, also of those that must be kept. */
static uint64_t
list_removable(const struct ctx_decision *decision, struct turn *turns,
    struct ranked *list, size_t *listed)
{
	const struct ctx_candidate *candidates = decision->candidates;
	const struct ctx_prune_settings *settings = decision->settings;
	bool users_too =
	    settings->strategy->ranks_user_messages && !settings->alternates;
	struct turn *turn = turns;
	uint64_t total = 0;
	double rank;
	bool after_equals;

	*listed = 0;
	for (size_t i = 0; i < decision->n; i++) {
		const struct ctx_candidate *candidate = &candidates[i];

		if (i > 0 && candidate->turn != candidates[i - 1].turn)
			turn++;
		if (!candidate->is_root)
			continue;
		total += candidate->weight;
		if (candidate->pinned || (candidate->user && turn->keeps_one))
			continue;
		if (candidate->user && !users_too && turn->groups_left > 0) {
			turn->users += candidate->weight;
			continue;
		}
		/* User messages of a turn are removed after all other messages
		 * of the turn, so the rank of the user messages must be at
		 * least as high as the ranks of the other messages. */
		rank = candidate->rank;
		after_equals = candidate->user ||
		    (settings->alternates && i == turn->last);
		if (after_equals && turn->rank > rank)
			rank = turn->rank;
		list[(*listed)++] = (struct ranked){rank, (uint32_t)i,
		    (uint32_t)(turn - turns), after_equals};
	}
	return total;
}

/* Removes groups in the order of the list, in which low ranks come first, until
 * *total is at most target.  Returns the number of removed groups. */
static size_t
drop_lowest(const struct ctx_decision *decision, struct turn *turns,
    const struct ranked *list, size_t listed, uint64_t *total)
{
	size_t i;

	for (i = 0; i < listed && decision->target < *total; i++) {
		struct ctx_candidate *candidate =
		    &decision->candidates[list[i].candidate_index];
		struct turn *turn = &turns[list[i].turn];

		candidate->drop = true;
		*total -= candidate->weight;
		if (candidate->user)
			turn->users_removed++;
		else if (!candidate->system && --turn->groups_left == 0)
			*total -= turn->users;
	}
	return i;
}

/* Returns true if a removed group may be kept after all although roles must
 * alternate.  Normally the last group of its turn must be kept.  If the removed
 * group is itself the last group of its turn, its tool results may be in the
 * message that begins the next turn.  In this case, the user messages and the
 * last group of the next turn must be kept. */
static bool
keeps_turn_end(const struct ctx_candidate *candidates, const struct turn *turn,
    size_t candidate_index)
{
	const struct turn *next = turn + 1;

	if (candidate_index != turn->last)
		return !candidates[turn->last].drop;
	return !next->shares_message ||
	    (next->users_removed == 0 && !candidates[next->last].drop);
}

/* Keeps groups that were removed, beginning with the highest rank, as long as
 * the conversation does not exceed the target with them. */
static void
refill_budget(const struct ctx_decision *decision, struct turn *turns,
    const struct ranked *list, size_t n_dropped, uint64_t total)
{
	struct ctx_candidate *candidates = decision->candidates;

	while (n_dropped-- > 0) {
		struct ctx_candidate *candidate =
		    &candidates[list[n_dropped].candidate_index];
		struct turn *turn = &turns[list[n_dropped].turn];
		bool member = !candidate->user && !candidate->system;
		uint64_t cost = candidate->weight;

		/* A removed group can be kept after all only if the user
		 * messages of all its turns are kept.  Only one turn is
		 * examined here.  So a group with messages of several turns
		 * remains removed. */
		if (member &&
		    (turn->users_removed > 0 || candidate->crosses_turns ||
			(decision->settings->alternates &&
			    !keeps_turn_end(candidates, turn,
				list[n_dropped].candidate_index))))
			continue;
		if (member && turn->groups_left == 0)
			cost += turn->users;
		if (cost > decision->target - total)
			continue;
		candidate->drop = false;
		total += cost;
		turn->groups_left += member;
		turn->users_removed -= candidate->user;
	}
}

int
ctx_ranked_decide(const struct ctx_decision *decision, struct ctx_err *err)
{
	struct turn *turns = calloc(decision->n + 1, sizeof *turns);
	struct ranked *list = calloc(decision->n + 1, sizeof *list);
	uint64_t total;
	size_t listed, n_dropped;
	int rc = -1;

	if (turns == NULL || list == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	survey_turns(decision, turns);
	total = decision->base + list_removable(decision, turns, list, &listed);
	qsort(list, listed, sizeof *list, compare_ranks);
	n_dropped = drop_lowest(decision, turns, list, listed, &total);
	if (decision->settings->strategy->refills && total <= decision->target)
		refill_budget(decision, turns, list, n_dropped, total);
	rc = 0;
out:
	free(turns);
	free(list);
	return rc;
}
