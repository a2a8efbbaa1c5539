/*
 * cover.c - chooses groups of messages that together contain many rare names
 * and have few tokens
 *
 * The algorithm is greedy weighted set cover.  When a group (messages kept or
 * removed together) is chosen, its names have no weight in other groups any
 * more.  The weight of each name is subtracted from the other groups only once,
 * so all subtractions take linear time.  The groups are in a heap, sorted by
 * score.  A score in the heap may be out of date; it is then too high, because
 * weights only decrease.  So the score of a group is updated when the group
 * reaches the top of the heap.  Only the scores of passages (a few lines each)
 * can increase: when the group to which they belong is chosen.  These passages
 * are then put into the heap again.  A group whose score is 0 is not in the
 * heap, because it is not chosen.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/cover.h"

/* The weight of the names in a group is divided by the group's number of tokens
 * raised to this power.  On recorded sessions of coding agents, the power 0.8
 * kept more of the names that the rest of the session needs than 0.5 and 1
 * (tests/bench/survive). */
static const double LENGTH = 0.8;

/* If cover->has_passages is true, newer groups get higher scores: the score of
 * the newest group is multiplied by 1 plus this number.  The number was chosen
 * by the same measurements as LENGTH. */
static const double NEWEST = 0.4;

/* If a passage needs a group that is not chosen, the tokens of the group
 * multiplied by this number are added to the tokens of the passage.  Not all
 * tokens of the group are added, because several passages may need the group.
 * The number was chosen by the same measurements as LENGTH. */
static const double SHARE = 0.1;

/* When the room that is left is at most this part of the room at the beginning,
 * the groups that are too large are removed from the heap; and again whenever
 * the room is at most this part of the room at that time. */
enum { FIRST_DROP = 16, NEXT_DROP = 4 };

struct entry {
	/* score of the group; may be out of date, and is then too high */
	double score;
	size_t group;
};

/* Results of pow(), each stored in the slot that its argument selects.  Most
 * passages have one of a few lengths, so few powers are computed. */
enum { POWER_SLOTS = 256 };
struct power {
	double base, power;
};

struct choice {
	const struct ctx_cover *cover;
	/* holders: for each name, the numbers of the groups that contain the
	 * name and are not kept in any case.  The groups with name i are the
	 * elements from holders_from[i] to holders_from[i + 1] - 1. */
	size_t *holders_from;
	uint32_t *holders;
	bool *covered;
	/* heap of groups; the group with the highest score is on top.  A
	 * passage can be in the heap twice. */
	struct entry *heap;
	size_t n;
	struct power powers[POWER_SLOTS];
};

/* Returns the number of the group that must be chosen together with group g, or
 * g if there is no such group. */
static size_t
find_needed(const struct ctx_cover *cover, size_t g)
{
	return cover->has_passages ? cover->groups[g].needs : g;
}

static bool
is_passage(const struct ctx_cover *cover, size_t g)
{
	return cover->has_passages && g >= cover->first_passage &&
	    cover->groups[g].needs != g;
}

/* Returns a factor for the score of group g.  Newer groups have greater
 * factors. */
static double
weigh_position(const struct ctx_cover *cover, size_t g)
{
	if (!cover->has_passages)
		return 1;
	if (is_passage(cover, g))
		g = cover->groups[g].needs;
	return 1 + NEWEST * (double)g / (double)(cover->first_passage + 1);
}

/* Returns x raised to the power LENGTH. x: at least 1. */
static double
raise_length(struct choice *c, double x)
{
	struct power *slot;
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	slot = &c->powers[bits * UINT64_C(0x9e3779b97f4a7c15) >> 56];
	if (slot->base != x)
		*slot = (struct power){x, pow(x, LENGTH)};
	return slot->power;
}

static double
compute_score(struct choice *c, size_t g)
{
	const struct ctx_cover *cover = c->cover;
	const struct ctx_cover_group *group = &cover->groups[g];
	double tokens = (double)group->tokens;

	if (group->n_left == 0 || group->weight <= 0)
		return 0;
	if (is_passage(cover, g) && !cover->groups[group->needs].chosen)
		tokens += SHARE * (double)cover->groups[group->needs].tokens;
	return group->weight * weigh_position(cover, g) /
	    raise_length(c, tokens + 1);
}

/* Defines the order of groups in the heap: returns true if x has a higher score
 * than y, or if both have the same score and x is newer. */
static bool
is_before(const struct entry *x, const struct entry *y)
{
	/* No branch, because the processor could not predict it. */
	return (x->score > y->score) |
	    ((x->score == y->score) & (x->group > y->group));
}

static void
sift_down(struct choice *c, size_t i)
{
	struct entry moved = c->heap[i];
	size_t child;

	while ((child = 2 * i + 1) < c->n) {
		if (child + 1 < c->n)
			child +=
			    is_before(&c->heap[child + 1], &c->heap[child]);
		if (is_before(&moved, &c->heap[child]))
			break;
		c->heap[i] = c->heap[child];
		i = child;
	}
	c->heap[i] = moved;
}

static void
sort_heap(struct choice *c)
{
	for (size_t i = c->n / 2; i-- > 0;)
		sift_down(c, i);
}

static void
drop_top(struct choice *c)
{
	c->heap[0] = c->heap[--c->n];
	sift_down(c, 0);
}

static void
push(struct choice *c, size_t group)
{
	struct entry entry = {compute_score(c, group), group};
	size_t i, parent;

	if (entry.score <= 0)
		return;
	for (i = c->n++; i > 0; i = parent) {
		parent = (i - 1) / 2;
		if (!is_before(&entry, &c->heap[parent]))
			break;
		c->heap[i] = c->heap[parent];
	}
	c->heap[i] = entry;
}

static void
list_passages(const struct ctx_cover *cover)
{
	struct ctx_cover_group *groups = cover->groups;
	size_t g;

	for (g = 0; g < cover->n_groups; g++)
		groups[g].passage_of = 0;
	for (g = 0; g < cover->n_groups; g++)
		if (is_passage(cover, g)) {
			groups[g].passage_of =
			    groups[groups[g].needs].passage_of;
			groups[groups[g].needs].passage_of = (uint32_t)g;
		}
}

static int
list_holders(struct choice *c, struct ctx_err *err)
{
	const struct ctx_cover *cover = c->cover;
	const struct ctx_cover_group *groups = cover->groups;
	size_t i, g, *from = c->holders_from, n = cover->n_names;

	for (g = 0; g < cover->n_groups; g++)
		for (i = groups[g].from;
		     !groups[g].kept && i < groups[g + 1].from; i++)
			from[cover->names[i] + 1]++;
	for (i = 0; i < n; i++)
		from[i + 1] += from[i];
	from[n + 1] = from[n];
	c->holders = calloc(from[n] + 1, sizeof *c->holders);
	if (c->holders == NULL)
		return ctx_err_nomem(err);
	/* At first, from[name + 1] is the end of the name's list of groups.
	 * Each list is filled from its end, and from[name + 1] is lowered until
	 * it is the beginning of the list. */
	for (g = cover->n_groups; g-- > 0;)
		for (i = groups[g + 1].from;
		     !groups[g].kept && i-- > groups[g].from;)
			c->holders[--from[cover->names[i] + 1]] = (uint32_t)g;
	memmove(from, from + 1, (n + 1) * sizeof *from);
	return 0;
}

static void
cover_names(struct choice *c, size_t group)
{
	const struct ctx_cover *cover = c->cover;
	struct ctx_cover_group *groups = cover->groups;
	size_t i, k;

	for (i = groups[group].from; i < groups[group + 1].from; i++) {
		uint32_t name = cover->names[i];

		if (c->covered[name])
			continue;
		c->covered[name] = true;
		for (k = c->holders_from[name]; k < c->holders_from[name + 1];
		     k++) {
			groups[c->holders[k]].weight -= cover->weight[name];
			groups[c->holders[k]].n_left--;
		}
	}
}

static void
fill_heap(struct choice *c)
{
	double score;
	size_t g;

	for (g = 0; g < c->cover->n_groups; g++)
		if (!c->cover->groups[g].kept &&
		    (score = compute_score(c, g)) > 0)
			c->heap[c->n++] = (struct entry){score, g};
	sort_heap(c);
}

/* Returns the number of tokens by which the kept tokens increase if a group is
 * chosen together with the groups that it needs. */
static uint64_t
count_cost(const struct choice *c, size_t group)
{
	const struct ctx_cover *cover = c->cover;
	const struct ctx_cover_group *groups = cover->groups;
	uint64_t tokens = groups[group].tokens;
	size_t g, next, after = group + 1;

	for (g = group; (next = find_needed(cover, g)) != g; g = next)
		if (!groups[next].chosen)
			tokens += groups[next].tokens;
	if (!is_passage(cover, group))
		return tokens;
	/* If passages of its text are removed before and after a chosen
	 * passage, one mark stands in place of the passages before it, and
	 * another in place of those after it. */
	if (groups[group].joined && !groups[group - 1].chosen)
		tokens += cover->mark_tokens;
	if (after < cover->n_groups && groups[after].joined &&
	    !groups[after].chosen)
		tokens += cover->mark_tokens;
	return tokens > cover->mark_tokens ? tokens - cover->mark_tokens : 0;
}

/* Chooses a group, and the groups that it needs.  This raises the scores of
 * other passages that need one of these groups.  Such passages are put into the
 * heap again. */
static void
choose_group(struct choice *c, size_t group)
{
	struct ctx_cover_group *groups = c->cover->groups;
	size_t g = group, next;
	uint32_t p;

	for (;; g = next) {
		cover_names(c, g);
		next = find_needed(c->cover, g);
		if (!groups[g].chosen) {
			groups[g].chosen = true;
			for (p = is_passage(c->cover, g) ? 0
							 : groups[g].passage_of;
			     p != 0; p = groups[p].passage_of)
				if (!groups[p].chosen)
					push(c, p);
		}
		if (next == g)
			return;
	}
}

/* Returns a number of tokens that a group will cost at least, now or later.  If
 * the group that it needs is chosen before it, the room decreases by the tokens
 * of that group; so these are included.  A mark makes a group cheaper at most
 * twice: when it is chosen, and when the group that it needs is chosen. */
static uint64_t
count_least_cost(const struct ctx_cover *cover, size_t group)
{
	const struct ctx_cover_group *groups = cover->groups;
	uint64_t tokens = groups[group].tokens, marks = 2 * cover->mark_tokens;
	size_t needed = find_needed(cover, group);

	if (needed != group && !groups[needed].chosen)
		tokens += groups[needed].tokens;
	return tokens > marks ? tokens - marks : 0;
}

/* Removes from the heap the groups that are chosen, and those for which there
 * will never be room. */
static void
drop_groups(struct choice *c, uint64_t room)
{
	size_t i, n = c->n;

	for (i = c->n = 0; i < n; i++)
		if (!c->cover->groups[c->heap[i].group].chosen &&
		    count_least_cost(c->cover, c->heap[i].group) <= room)
			c->heap[c->n++] = c->heap[i];
	sort_heap(c);
}

static void
choose_groups(struct choice *c, double *score)
{
	uint64_t room = c->cover->room, next = room / FIRST_DROP, tokens;
	size_t group;
	double now;

	while (c->n > 0) {
		group = c->heap[0].group;
		now = compute_score(c, group);
		if (now <= 0) {
			drop_top(c);
			continue;
		}
		if (now < c->heap[0].score) {
			c->heap[0].score = now;
			sift_down(c, 0);
			continue;
		}
		if (score != NULL)
			score[group] = c->heap[0].score;
		drop_top(c);
		if (c->cover->groups[group].chosen)
			continue;
		tokens = count_cost(c, group);
		if (tokens > room)
			continue;
		room -= tokens;
		choose_group(c, group);
		/* As the room decreases, more and more groups are too large for
		 * it.  If only the chosen groups are wanted, these need no
		 * scores any more. */
		if (score == NULL && room <= next) {
			drop_groups(c, room);
			next = room / NEXT_DROP;
		}
	}
}

static void
sum_weights(struct choice *c)
{
	const struct ctx_cover *cover = c->cover;
	struct ctx_cover_group *group = cover->groups;
	double weight;
	size_t i;

	for (; group < cover->groups + cover->n_groups; group++) {
		group->weight = group->n_left = 0;
		for (i = group->from; !group->kept && i < group[1].from; i++) {
			weight = cover->weight[cover->names[i]];
			group->weight += weight;
			group->n_left += weight > 0;
		}
	}
	/* A name with the weight 0 is treated as if it were in a chosen
	 * group. */
	for (i = 0; i < cover->n_names; i++)
		c->covered[i] = cover->weight[i] <= 0;
}

/* Sets the scores and the chosen groups before the first choice. */
static void
choose_kept(struct choice *c, double *score)
{
	struct ctx_cover_group *groups = c->cover->groups;

	for (size_t g = 0; g < c->cover->n_groups; g++) {
		if (score != NULL)
			score[g] = 0;
		groups[g].chosen = groups[g].kept;
		if (groups[g].kept)
			cover_names(c, g);
	}
}

static void
release_choice(struct choice *c)
{
	free(c->holders_from);
	free(c->holders);
	free(c->covered);
	free(c->heap);
}

/* Allocates the arrays of *c, except the holders. */
static int
open_choice(struct choice *c, struct ctx_err *err)
{
	const struct ctx_cover *cover = c->cover;
	size_t n_heap = 1;

	for (size_t g = 0; g < cover->n_groups; g++)
		if (!cover->groups[g].kept)
			n_heap += is_passage(cover, g) ? 2 : 1;
	c->holders_from = calloc(cover->n_names + 2, sizeof *c->holders_from);
	c->covered = calloc(cover->n_names + 1, sizeof *c->covered);
	c->heap = calloc(n_heap, sizeof *c->heap);
	return c->holders_from == NULL || c->covered == NULL || c->heap == NULL
	    ? ctx_err_nomem(err)
	    : 0;
}

int
ctx_cover_score(const struct ctx_cover *cover, double *score,
    struct ctx_err *err)
{
	struct choice c = {.cover = cover};
	int rc = open_choice(&c, err);

	if (rc == 0)
		rc = list_holders(&c, err);
	if (rc == 0) {
		list_passages(cover);
		sum_weights(&c);
		choose_kept(&c, score);
		fill_heap(&c);
		choose_groups(&c, score);
	}
	release_choice(&c);
	return rc;
}
