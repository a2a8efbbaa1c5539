/*
 * ranked.c - removes groups of messages in the order of their rank
 *
 * The groups with the lowest rank are removed first, among equal ranks the
 * older ones, until the target is met.  The last group removed may have been
 * larger than necessary.  So a strategy with refills then keeps removed groups
 * that still fit, those with the highest rank first.
 *
 * The user messages of a turn are removed with its last group, unless the
 * strategy ranks them by themselves.  If roles must alternate, the last group
 * of a turn is removed after the other groups of the turn.  If it has tool
 * results in the message that begins the next turn, it is removed no later than
 * the last group of that turn.
 */
#include <stdlib.h>

#include "prune/plan.h"

struct ranked {
	double rank;
	/* removed after others with an equal rank */
	bool after_equals;
	/* index of the candidate, and of its turn */
	size_t candidate_index, turn;
};

/* A turn, and what is left of it while groups of messages are removed. */
struct turn {
	/* Tokens of the user messages that are removed with the turn's last
	 * group. */
	uint64_t users;
	/* Number of user messages that were removed one by one, not together
	 * with the turn's last group. */
	size_t users_removed;
	/* number of groups of the turn that are not removed, including pinned
	 * ones */
	size_t groups_left;
	bool keeps_one; /* a group of the turn is pinned */
	double rank;    /* highest rank of the turn's groups */
	/* index of the first segment of the last group */
	size_t last;
	/* true if the first message also has tool results of the turn before */
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
 * removed after all other groups of the turn. */
static void
raise_turn_end(struct ctx_candidate *candidates, const struct turn *turn)
{
	if (turn->groups_left > 0 && candidates[turn->last].rank < turn->rank)
		candidates[turn->last].rank = turn->rank;
}

static void
survey_turns(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, struct turn *turns)
{
	struct turn *turn = turns;
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0 && candidates[i].turn != candidates[i - 1].turn) {
			if (settings->alternates)
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
		/* A late tool result is in the group of its call, which is in
		 * an earlier turn.  So the turn of the result gets at least
		 * the rank of that group. */
		if (candidates[candidates[i].root].rank > turn->rank)
			turn->rank = candidates[candidates[i].root].rank;
	}
}

/* Makes a list of the candidates that may be removed.  Returns the tokens of
 * all candidates, also of those that are not in the list. */
static uint64_t
list_removable(const struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, struct turn *turns,
    struct ranked *list, size_t *listed)
{
	bool users_too =
	    settings->strategy->ranks_user_messages && !settings->alternates;
	struct turn *turn = turns;
	uint64_t total = 0;
	double rank;
	size_t i;
	bool after_equals;

	*listed = 0;
	for (i = 0; i < n; i++) {
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
		/* The user messages of a turn are kept as long as anything
		 * else of the turn is kept. */
		rank = candidate->rank;
		after_equals = candidate->user ||
		    (settings->alternates && i == turn->last);
		if (after_equals && turn->rank > rank)
			rank = turn->rank;
		list[(*listed)++] = (struct ranked){rank, after_equals, i,
		    (size_t)(turn - turns)};
	}
	return total;
}

/* Removes candidates of the list, those with the lowest rank first, until the
 * target is met.  Returns how many were removed. */
static size_t
drop_lowest(struct ctx_candidate *candidates, struct turn *turns,
    const struct ranked *list, size_t listed, uint64_t target, uint64_t *total)
{
	size_t i;

	for (i = 0; i<listed && * total> target; i++) {
		struct ctx_candidate *candidate =
		    &candidates[list[i].candidate_index];
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

/* Called for a format in which roles must alternate.  Returns true if a group
 * that was removed may be kept after all.  For this, the last group of its
 * turn must be kept.  If the group is the last one itself and has tool results
 * in the message that begins the next turn, the user messages and the last
 * group of the next turn must be kept. */
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

/* Keeps candidates that were removed after all, if they fit into the budget,
 * those with the highest rank first. */
static void
refill_budget(struct ctx_candidate *candidates, struct turn *turns,
    const struct ranked *list, size_t n_dropped,
    const struct ctx_prune_settings *settings, uint64_t total)
{
	while (n_dropped-- > 0) {
		struct ctx_candidate *candidate =
		    &candidates[list[n_dropped].candidate_index];
		struct turn *turn = &turns[list[n_dropped].turn];
		bool member = !candidate->user && !candidate->system;
		uint64_t cost = candidate->weight;

		/* A group can be kept only if the user messages of its turns
		 * are kept, too. */
		if (member &&
		    (turn->users_removed > 0 || candidate->crosses_turns ||
			(settings->alternates &&
			    !keeps_turn_end(candidates, turn,
				list[n_dropped].candidate_index))))
			continue;
		if (member && turn->groups_left == 0)
			cost += turn->users;
		if (cost > settings->target - total)
			continue;
		candidate->drop = false;
		total += cost;
		turn->groups_left += member;
		turn->users_removed -= candidate->user;
	}
}

int
ctx_ranked_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	struct turn *turns = calloc(n + 1, sizeof *turns);
	struct ranked *list = calloc(n + 1, sizeof *list);
	uint64_t total;
	size_t listed, n_dropped;
	int rc = -1;

	(void)newest;
	if (turns == NULL || list == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	survey_turns(candidates, n, settings, turns);
	total = base +
	    list_removable(candidates, n, settings, turns, list, &listed);
	qsort(list, listed, sizeof *list, compare_ranks);
	n_dropped = drop_lowest(candidates, turns, list, listed,
	    settings->target, &total);
	if (settings->strategy->refills && total <= settings->target)
		refill_budget(candidates, turns, list, n_dropped, settings,
		    total);
	rc = 0;
out:
	free(turns);
	free(list);
	return rc;
}
