/*
 * ranked.c - what ranks lowest goes first
 *
 * Units are taken in order of rank, the older first among equals, until what
 * is left meets the target.  Where the strategy fills the room, those of them
 * that still fit come back, the highest rank first, because what went last
 * may have been large.  The last unit of a turn takes the turn's user
 * messages with it, unless the strategy ranks those by themselves.  Where
 * roles must alternate a turn's last group goes last, with them; and if the
 * results in it share a message with the next turn's user, not behind what
 * that turn ends with.
 */
#include <stdlib.h>

#include "prune/plan.h"

struct ranked {
	double rank;
	bool late;         /* goes behind the others of its rank */
	size_t unit, turn; /* indices of the unit and of its turn's entry */
};

/* A turn while its units go. */
struct turn {
	uint64_t users; /* weight of its user messages that go with it */
	size_t gone;    /* user messages that went by themselves */
	size_t others;  /* groups that are still there, held ones too */
	bool held;      /* one of them stays whatever happens */
	double rank;    /* the highest of them */
	size_t last;    /* index of the unit that it ends with */
	bool shares;    /* a message with what the turn before ends with */
};

static int
by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->late != y->late)
		return x->late ? 1 : -1;
	return x->unit < y->unit ? -1 : 1;
}

/* What a turn ends with stays as long as any of it. */
static void
end_turn(struct ctx_candidate *units, const struct turn *turn)
{
	if (turn->others > 0 && units[turn->last].rank < turn->rank)
		units[turn->last].rank = turn->rank;
}

static void
look_at_turns(struct ctx_candidate *units, size_t n,
    const struct ctx_prune_settings *limits, struct turn *turns)
{
	struct turn *turn = turns;
	size_t i;

	for (i = 0; i < n; i++) {
		if (i > 0 && units[i].turn != units[i - 1].turn) {
			if (limits->alternates)
				end_turn(units, turn);
			turn++;
		}
		if (units[i].shares) {
			turn->shares = true;
			if (turn->rank < turn[-1].rank)
				turn->rank = turn[-1].rank;
		}
		if (units[i].user || units[i].system)
			continue;
		turn->others += units[i].first ||
		    units[units[i].root].turn != units[i].turn;
		turn->held |= units[i].held;
		turn->last = units[i].root;
		/* A late result holds its turn as high as its call. */
		if (units[units[i].root].rank > turn->rank)
			turn->rank = units[units[i].root].rank;
	}
}

/* Lists what may go; returns the total weight. */
static uint64_t
list_units(const struct ctx_candidate *units, size_t n,
    const struct ctx_prune_settings *limits, struct turn *turns,
    struct ranked *list, size_t *listed)
{
	bool users_too = limits->policy->ranks_users && !limits->alternates;
	struct turn *turn = turns;
	uint64_t total = 0;
	double rank;
	size_t i;
	bool late;

	*listed = 0;
	for (i = 0; i < n; i++) {
		const struct ctx_candidate *unit = &units[i];

		if (i > 0 && unit->turn != units[i - 1].turn)
			turn++;
		if (!unit->first)
			continue;
		total += unit->weight;
		if (unit->held || (unit->user && turn->held))
			continue;
		if (unit->user && !users_too && turn->others > 0) {
			turn->users += unit->weight;
			continue;
		}
		/* A user message stays as long as its turn does. */
		rank = unit->rank;
		late = unit->user || (limits->alternates && i == turn->last);
		if (late && turn->rank > rank)
			rank = turn->rank;
		list[(*listed)++] =
		    (struct ranked){rank, late, i, (size_t)(turn - turns)};
	}
	return total;
}

/* Lets go from the lowest rank up; returns how many of the list went. */
static size_t
drop_lowest(struct ctx_candidate *units, struct turn *turns,
    const struct ranked *list, size_t listed, uint64_t target, uint64_t *total)
{
	size_t i;

	for (i = 0; i<listed && * total> target; i++) {
		struct ctx_candidate *unit = &units[list[i].unit];
		struct turn *turn = &turns[list[i].turn];

		unit->drop = true;
		*total -= unit->weight;
		if (unit->user)
			turn->gone++;
		else if (!unit->system && --turn->others == 0)
			*total -= turn->users;
	}
	return i;
}

/* Do roles alternate if the unit comes back?  It needs what its turn ends
 * with, and that the message which it shares with the next turn. */
static bool
has_end(const struct ctx_candidate *units, const struct turn *turn, size_t unit)
{
	const struct turn *next = turn + 1;

	if (unit != turn->last)
		return !units[turn->last].drop;
	return !next->shares || (next->gone == 0 && !units[next->last].drop);
}

/* Brings back what fits, from the highest rank down. */
static void
fill_up(struct ctx_candidate *units, struct turn *turns,
    const struct ranked *list, size_t went,
    const struct ctx_prune_settings *limits, uint64_t total)
{
	while (went-- > 0) {
		struct ctx_candidate *unit = &units[list[went].unit];
		struct turn *turn = &turns[list[went].turn];
		bool member = !unit->user && !unit->system;
		uint64_t cost = unit->weight;

		/* Nothing comes back without the user messages of the turns
		 * it stands in. */
		if (member &&
		    (turn->gone > 0 || unit->spans ||
			(limits->alternates &&
			    !has_end(units, turn, list[went].unit))))
			continue;
		if (member && turn->others == 0)
			cost += turn->users;
		if (cost > limits->target - total)
			continue;
		unit->drop = false;
		total += cost;
		turn->others += member;
		turn->gone -= unit->user;
	}
}

int
ctx_ranked_decide(struct ctx_candidate *units, size_t n,
    const struct ctx_prune_settings *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	struct turn *turns = calloc(n + 1, sizeof *turns);
	struct ranked *list = calloc(n + 1, sizeof *list);
	uint64_t total;
	size_t listed, went;
	int rc = -1;

	(void)newest;
	if (turns == NULL || list == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	look_at_turns(units, n, limits, turns);
	total = base + list_units(units, n, limits, turns, list, &listed);
	qsort(list, listed, sizeof *list, by_rank);
	went = drop_lowest(units, turns, list, listed, limits->target, &total);
	if (limits->policy->fills && total <= limits->target)
		fill_up(units, turns, list, went, limits, total);
	rc = 0;
out:
	free(turns);
	free(list);
	return rc;
}
