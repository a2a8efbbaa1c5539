/*
 * salient_rank.c - ranks groups of messages by the rare names that they
 * contain, and chooses which passages (a few lines each) of long tool results
 * are kept
 *
 * First the kept passages are chosen.  A passage can only be kept together with
 * its group (messages kept or removed together) and the user message of its
 * turn.  Then the groups are ranked by the names and tokens that they have
 * without the removed passages.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/cover.h"
#include "prune/strategy/salient.h"

/* Estimated numbers of tokens of the marks that replace removed passages: of
 * the first mark in a text, such as "[... 900 characters truncated ...]", and
 * of each other mark, "[...]". */
enum { FIRST_MARK_TOKENS = 8, MARK_TOKENS = 3 };

/* The groups or passages among which ctx_cover_score chooses, with the data
 * that it needs. */
struct choices {
	size_t *from, *needs;
	uint64_t *tokens;
	bool *kept, *chosen, *joined;
};

struct ranking {
	struct salient *s;
	const struct ctx_plan *plan;
	struct ctx_segment *segments;
	/* The choices that are whole groups.  The number of a group is the
	 * index of its first segment (message or part of one).  The index of
	 * any other segment is the number of a group without names. */
	struct choices groups;
	/* The choices if groups can be kept without their passages.  Below the
	 * number n_segments they are the groups without their passages.  The
	 * choice with the number n_segments + p is piece p if piece p is a
	 * passage, otherwise a choice without names. */
	struct choices parts;
	uint32_t *names; /* names of the groups or parts */
	double *weight;  /* weight of each name */
	double *score;   /* score of each group */
	/* n_segments, n_pieces: numbers of segments and of pieces (parts of
	 * their texts) that are ranked. n_groups: number of groups. */
	size_t n_segments, n_pieces, n_groups;
	/* number of tokens that are left for groups that need not be kept */
	uint64_t room;
};

static int
open_choices(struct choices *choices, size_t n, struct ctx_err *err)
{
	choices->from = calloc(n + 2, sizeof *choices->from);
	choices->needs = calloc(n + 1, sizeof *choices->needs);
	choices->tokens = calloc(n + 1, sizeof *choices->tokens);
	choices->kept = calloc(n + 1, sizeof *choices->kept);
	choices->chosen = calloc(n + 1, sizeof *choices->chosen);
	choices->joined = calloc(n + 1, sizeof *choices->joined);
	if (choices->from == NULL || choices->needs == NULL ||
	    choices->tokens == NULL || choices->kept == NULL ||
	    choices->chosen == NULL || choices->joined == NULL)
		return ctx_err_nomem(err);
	return 0;
}

static void
release_choices(struct choices *choices)
{
	free(choices->from);
	free(choices->needs);
	free(choices->tokens);
	free(choices->kept);
	free(choices->chosen);
	free(choices->joined);
}

static int
open_ranking(struct ranking *r, struct ctx_err *err)
{
	r->names = calloc(r->s->n_list + 1, sizeof *r->names);
	r->weight = calloc(r->s->names.n + 1, sizeof *r->weight);
	r->score = calloc(r->n_segments + 1, sizeof *r->score);
	if (r->names == NULL || r->weight == NULL || r->score == NULL)
		return ctx_err_nomem(err);
	return open_choices(&r->groups, r->n_segments, err);
}

static void
release_ranking(struct ranking *r)
{
	free(r->names);
	free(r->weight);
	free(r->score);
	release_choices(&r->groups);
	release_choices(&r->parts);
}

/* Returns the index of the first name of piece p in salient.list. */
static size_t
first_name(const struct salient *s, size_t p)
{
	return p > 0 ? s->pieces[p - 1].names_end : 0;
}

/* Returns the number of the group to which piece p (a part of a text)
 * belongs. */
static size_t
group_of_piece(const struct ranking *r, size_t p)
{
	return ctx_group_of(r->segments, r->s->pieces[p].segment);
}

/* Fills r->names and r->groups.from with the names in each group, without the
 * names of removed passages.  In a group a name may occur more than once. */
static void
collect_names(struct ranking *r)
{
	const struct salient_piece *pieces = r->s->pieces;
	size_t *from = r->groups.from, p, k, root;

	memset(from, 0, (r->n_segments + 2) * sizeof *from);
	for (p = 0; p < r->n_pieces; p++)
		if (pieces[p].kept)
			from[group_of_piece(r, p) + 2] +=
			    pieces[p].names_end - first_name(r->s, p);
	for (k = 0; k < r->n_segments; k++)
		from[k + 2] += from[k + 1];
	/* from[root + 1] is the index at which the next name of the group is
	 * stored; after the loop it is the index at which the next group
	 * begins. */
	for (p = 0; p < r->n_pieces; p++) {
		root = group_of_piece(r, p);
		for (k = first_name(r->s, p);
		     pieces[p].kept && k < pieces[p].names_end; k++)
			r->names[from[root + 1]++] = r->s->list[k];
	}
}

/* Removes names that a group has more than once from r->names. */
static void
merge_names(struct ranking *r)
{
	uint32_t *seen = r->s->seen;
	size_t *from = r->groups.from, i, k, end, w = 0;

	/* If there are no names, the array is NULL. */
	if (r->s->names.n > 0)
		memset(seen, 0, r->s->names.n * sizeof *seen);
	for (i = 0; i < r->n_segments; i++) {
		k = from[i];
		end = from[i + 1];
		from[i] = w;
		for (; k < end; k++) {
			if (seen[r->names[k]] == i + 1)
				continue;
			seen[r->names[k]] = (uint32_t)i + 1;
			r->names[w++] = r->names[k];
		}
	}
	from[r->n_segments] = w;
}

/* Sets the weight of each name: the fewer groups contain a name, the higher is
 * its weight. */
static void
weigh_names(struct ranking *r)
{
	size_t i;

	for (i = 0; i < r->groups.from[r->n_segments]; i++)
		r->weight[r->names[i]]++;
	for (i = 0; i < r->s->names.n; i++)
		r->weight[i] = log((double)r->n_groups / r->weight[i]);
}

/* Sets r->n_groups, r->room, the number of tokens of each group, and whether
 * the group must be kept. */
static void
survey_groups(struct ranking *r)
{
	const struct ctx_plan *plan = r->plan;
	uint64_t held = plan->fixed + plan->step.reserved;
	size_t i, root;

	for (i = 0; i < r->n_segments; i++) {
		root = ctx_group_of(r->segments, (uint32_t)i);
		r->n_groups += root == i;
		r->groups.tokens[root] += r->segments[i].tokens;
		/* All segments of a group must be kept if one segment of the
		 * group must be kept. */
		r->groups.kept[i] = root != i || plan->floors[i] != 0;
		if (plan->floors[i] != 0)
			held += r->segments[i].tokens;
	}
	r->room =
	    plan->settings.target > held ? plan->settings.target - held : 0;
}

/* Returns the offset of the beginning of piece p in all texts of its tool
 * result together, in bytes. */
static uint32_t
find_start(const struct salient_piece *pieces, size_t p)
{
	return p > 0 && pieces[p - 1].segment == pieces[p].segment &&
		pieces[p - 1].result == pieces[p].result
	    ? pieces[p - 1].to
	    : 0;
}

/* Sets the names of the groups without their passages.  Also sets which group
 * must be kept with each group: the group of the first user message of its
 * turn. */
static void
survey_heads(struct ranking *r)
{
	struct salient_piece *pieces = r->s->pieces;
	const struct ctx_segment *segment;
	size_t i, user = SIZE_MAX;

	for (i = 0; i < r->n_pieces; i++)
		pieces[i].kept = pieces[i].tokens == 0;
	collect_names(r);
	merge_names(r);
	for (i = 0; i < r->n_segments; i++) {
		segment = &r->segments[i];
		r->parts.from[i] = r->groups.from[i];
		r->parts.kept[i] = r->groups.kept[i];
		if (i > 0 && segment->turn != segment[-1].turn)
			user = SIZE_MAX;
		if (user == SIZE_MAX && (segment->flags & CTX_SEGMENT_USER))
			user = i;
		r->parts.needs[i] = i;
		if (user != SIZE_MAX && !r->groups.kept[i] &&
		    !(segment->flags &
			(CTX_SEGMENT_USER | CTX_SEGMENT_SYSTEM |
			    CTX_SEGMENT_UNKNOWN)))
			r->parts.needs[i] = user;
	}
	r->parts.from[r->n_segments] = r->groups.from[r->n_segments];
}

/* Subtracts tokens from *total, which is then at least 0. */
static void
subtract_tokens(uint64_t *total, uint64_t tokens)
{
	*total -= tokens < *total ? tokens : *total;
}

/* Sets the names and tokens of passage p, and whether the passage must be kept.
 * Subtracts its tokens from those of its group. */
static void
survey_passage(struct ranking *r, size_t p)
{
	const struct salient_piece *piece = &r->s->pieces[p];
	size_t i = r->n_segments + p, first = first_name(r->s, p);
	size_t n = piece->names_end - first;
	uint64_t *rest = &r->parts.tokens[group_of_piece(r, p)];

	/* Without names, the list is NULL. */
	if (n > 0)
		memcpy(r->names + r->parts.from[i], r->s->list + first,
		    n * sizeof *r->names);
	r->parts.from[i + 1] = r->parts.from[i] + n;
	r->parts.needs[i] = group_of_piece(r, p);
	r->parts.kept[i] = r->plan->floors[piece->segment] != 0;
	r->parts.joined[i] = piece->is_joined;
	r->parts.tokens[i] = piece->tokens;
	subtract_tokens(rest, piece->tokens);
	if (!piece->is_joined)
		*rest += FIRST_MARK_TOKENS;
}

/* Fills r->parts: the groups without their passages, and the passages, as
 * choices for ctx_cover_score. */
static void
survey_parts(struct ranking *r)
{
	size_t p, i;

	survey_heads(r);
	for (i = 0; i < r->n_segments; i++)
		r->parts.tokens[i] = r->groups.tokens[i];
	for (p = 0; p < r->n_pieces; p++) {
		i = r->n_segments + p;
		r->parts.kept[i] = true;
		r->parts.needs[i] = i;
		r->parts.from[i + 1] = r->parts.from[i];
		if (r->s->pieces[p].tokens > 0)
			survey_passage(r, p);
	}
}

/* Marks the passages that were not chosen as removed, and subtracts their
 * tokens from the tokens of their groups. */
static void
remove_passages(struct ranking *r)
{
	struct salient_piece *pieces = r->s->pieces;
	size_t p, root;

	for (p = 0; p < r->n_pieces; p++) {
		pieces[p].kept = r->parts.chosen[r->n_segments + p];
		if (pieces[p].kept)
			continue;
		root = group_of_piece(r, p);
		subtract_tokens(&r->groups.tokens[root], pieces[p].tokens);
		if (!pieces[p].is_joined)
			r->groups.tokens[root] += FIRST_MARK_TOKENS;
		else if (pieces[p - 1].kept)
			r->groups.tokens[root] += MARK_TOKENS;
	}
}

/* Chooses among the first n groups or parts.  needs: see struct ctx_cover.
 * score: see ctx_cover_score. */
static int
choose(const struct ranking *r, struct choices *choices, size_t n,
    const size_t *needs, double *score, struct ctx_err *err)
{
	const struct ctx_cover cover = {.n_groups = n,
	    .n_names = r->s->names.n,
	    .from = choices->from,
	    .names = r->names,
	    .weight = r->weight,
	    .tokens = choices->tokens,
	    .kept = choices->kept,
	    .room = r->room,
	    .joined = choices->joined,
	    .needs = needs,
	    .first_passage = r->n_segments,
	    .mark_tokens = MARK_TOKENS};

	return ctx_cover_score(&cover, score, choices->chosen, err);
}

/* Chooses the passages that are kept.  With the level light, all passages are
 * kept. */
static int
choose_passages(struct ranking *r, struct ctx_err *err)
{
	if (r->plan->settings.level < CTX_LEVEL_BALANCED ||
	    r->s->n_pieces == r->s->n_segments)
		return 0;
	if (open_choices(&r->parts, r->n_segments + r->n_pieces, err) < 0)
		return -1;
	survey_parts(r);
	if (choose(r, &r->parts, r->n_segments + r->n_pieces, r->parts.needs,
		NULL, err) < 0)
		return -1;
	remove_passages(r);
	collect_names(r);
	merge_names(r);
	return 0;
}

/* Sets the ranks.  All segments of a group get the same rank.  If a group has
 * rare names that no other kept group contains, its rank is above 1 and
 * increases with its score.  All other groups have ranks below 1, and newer
 * groups have higher ranks than older groups. */
static void
set_ranks(const struct ranking *r)
{
	size_t i, root, n = r->n_segments;

	for (i = 0; i < n; i++) {
		root = ctx_group_of(r->segments, (uint32_t)i);
		r->segments[i].rank = r->score[root] > 0
		    ? 1 + r->score[root]
		    : (double)(root + 1) / (double)(n + 1);
	}
}

int
ctx_salient_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	struct ranking r = {.s = s,
	    .plan = plan,
	    .segments = groups->segments,
	    .n_segments = plan->step.n};
	int rc = -1;
	size_t p;

	for (p = 0; p < s->n_pieces; p++) {
		s->pieces[p].kept = true;
		r.n_pieces += s->pieces[p].segment < r.n_segments;
	}
	if (open_ranking(&r, err) < 0)
		goto out;
	survey_groups(&r);
	collect_names(&r);
	merge_names(&r);
	weigh_names(&r);
	if (choose_passages(&r, err) < 0 ||
	    choose(&r, &r.groups, r.n_segments, NULL, r.score, err) < 0)
		goto out;
	set_ranks(&r);
	rc = 0;
out:
	release_ranking(&r);
	return rc;
}

/* Returns the number of the first piece of a segment. */
static size_t
find_piece(const struct salient *s, size_t segment)
{
	size_t low = 0, high = s->n_pieces, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (s->pieces[middle].segment < segment)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int
ctx_salient_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	size_t p = find_piece(s, segment), n = 0;

	for (; p < s->n_pieces && s->pieces[p].segment == segment; p++) {
		const struct salient_piece *piece = &s->pieces[p];
		const struct passage passage = {find_start(s->pieces, p),
		    piece->to, piece->result};

		if (piece->kept)
			continue;
		if (n > 0 && s->removed[n - 1].result == passage.result &&
		    s->removed[n - 1].to == passage.from) {
			s->removed[n - 1].to = passage.to;
			continue;
		}
		if (CTX_GROW(s->removed, s->removed_cap, n + 1, err) < 0)
			return -1;
		s->removed[n++] = passage;
	}
	*removed = (struct passages){s->removed, n};
	return 0;
}
