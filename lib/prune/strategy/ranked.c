/*
 * ranked.c - removes the groups of the lowest rank first
 *
 * Removes candidates in the order of their rank, the older first among equals,
 * until the target is met.  If the strategy refills, it then keeps again those
 * that still fit, the highest rank first, because the last one removed may have
 * been large.
 *
 * With the last group of a turn its user messages are removed, unless the
 * strategy ranks these by themselves.  Where roles must alternate, the last
 * group of a turn is removed after its other groups.  If it has results in the
 * message that opens the next turn, it is also removed no later than the last
 * group of that turn.
 */
#include <stdlib.h>

#include "prune/plan.h"

struct ranked {
	double rank;
	bool after_equals;            /* removed after the others of its rank */
	size_t candidate_index, turn; /* indices in candidates and in turns */
};

/* A turn while its candidates are removed. */
struct turn {
	uint64_t users; /* tokens of the user messages that are removed with its
			   last group */
	size_t
	    users_removed;   /* user messages that were removed by themselves */
	size_t groups_left;  /* groups not yet removed, pinned ones included */
	bool keeps_one;      /* a group of it is pinned */
	double rank;         /* the highest rank of its groups */
	size_t last;         /* index of the first segment of its last group */
	bool shares_message; /* its first message has results of the turn before
			      */
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

/* Gives the last group of a turn the highest rank of the turn, so that it is
 * kept as long as any other. */
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
		/* The group of a late result is that of its call, in an earlier
		 * turn.  The turn of the result ranks at least as high. */
		if (candidates[candidates[i].root].rank > turn->rank)
			turn->rank = candidates[candidates[i].root].rank;
	}
}

/* Lists the candidates that may be removed; returns the tokens of all
 * candidates. */
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
		/* A user message is kept as long as its turn. */
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

/* Removes candidates, the lowest rank first, until the target is met.  Returns
 * how many of the list it removed. */
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

/* Returns true if a removed group may be kept again where roles must alternate.
 * A group needs the last group of its turn.  A last group with results in the
 * message that opens the next turn needs the user messages and the last group
 * of that turn. */
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

/* Keeps removed candidates again if they fit, the highest rank first. */
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

		/* A group is not kept without the user messages of its turns.
		 */
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
