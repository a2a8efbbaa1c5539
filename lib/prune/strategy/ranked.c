/*
 * ranked.c - what ranks lowest goes first
 *
 * Units are taken in order of rank, the older first among equals, until what
 * is left meets the target.  Where the strategy fills the room, those of them
 * that still fit come back, the highest rank first, because what was removed
 * last may have been large.  The last candidate of a turn takes the turn's user
 * messages with it, unless the strategy ranks those by themselves.  Where
 * roles must alternate a turn's last group goes last, with them; and if the
 * results in it share a message with the next turn's user, not after what
 * that turn ends with.
 */
#include <stdlib.h>

#include "prune/plan.h"

struct ranked {
	double rank;
	bool after_equals; /* goes after the others of its rank */
	size_t candidate_index,
	    turn; /* indices of the candidate and of its turn's entry */
};

/* A turn while its candidates go. */
struct turn {
	uint64_t users; /* weight of its user messages that go with it */
	size_t
	    users_removed;   /* user messages that were removed by themselves */
	size_t groups_left;  /* groups that are still there, held ones too */
	bool keeps_one;      /* one of them stays whatever happens */
	double rank;         /* the highest of them */
	size_t last;         /* index of the candidate that it ends with */
	bool shares_message; /* a message with what the turn before ends with */
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

/* What a turn ends with stays as long as any of it. */
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
		/* A late result holds its turn as high as its call. */
		if (candidates[candidates[i].root].rank > turn->rank)
			turn->rank = candidates[candidates[i].root].rank;
	}
}

/* Lists what may go; returns the total weight. */
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
		/* A user message stays as long as its turn does. */
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

/* Lets go from the lowest rank up; returns how many of the list went. */
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

/* Do roles alternate if the candidate comes back?  It needs what its turn ends
 * with, and that the message which it shares with the next turn. */
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

/* Brings back what fits, from the highest rank down. */
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

		/* Nothing comes back without the user messages of the turns
		 * it stands in. */
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
