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
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/cover.h"
#include "prune/strategy/salient.h"

/* FIRST_MARK: what replaces the first passage that is removed from a text; the
 * number in it is larger than most, so that its tokens are not underestimated.
 * MARK: what replaces every other removed passage. */
static const char FIRST_MARK[] =
    "\n[\xe2\x80\xa6 100000 characters truncated \xe2\x80\xa6]\n";
static const char MARK[] = "[\xe2\x80\xa6]\n";
/* Number of tokens by which the estimate of a result that must be kept is
 * raised.  Otherwise the estimate could be too low, and the output above the
 * budget, because the result cannot be removed. */
enum { RESERVED_TOKENS = 8 };

struct ranking {
	struct salient *s;
	const struct ranked_segment *segments;
	/* For each segment (message or part of one): index of the next segment
	 * of the same group, or 0 if there is none. */
	uint32_t *next;
	/* The choices that are whole groups.  The number of a group is the
	 * index of its first segment.  The index of any other segment is the
	 * number of a group without names. */
	struct ctx_cover_group *groups;
	/* The choices if groups can be kept without their passages.  Below the
	 * number n_segments they are the groups without their passages.  The
	 * other choices are the passages, in order. */
	struct ctx_cover_group *parts;
	uint32_t *names; /* names of the groups or parts */
	double *weight;  /* weight of each name */
	double *score;   /* score of each group */
	/* number of tokens that are left for what need not be kept */
	uint64_t room;
	/* numbers of segments, of groups and of passages that are ranked */
	size_t n_segments, n_groups, n_passages;
};

/* Returns the number of pieces of segment i. */
static size_t
count_pieces(const struct salient *s, size_t i)
{
	return s->segments[i + 1].before - s->segments[i].before;
}

/* Returns the pieces of segment i.  Sets *kept to its part of s->kept. */
static const struct text_piece *
find_pieces(const struct salient *s, size_t i, bool **kept)
{
	*kept = s->kept + s->segments[i].before;
	return s->segments[i].pieces->list + s->segments[i].first;
}

/* Returns true if a segment must be kept, but not with all its texts. */
static bool
is_shortened(const struct ranked_segment *segment)
{
	return segment->is_kept && !segment->is_whole;
}

/* Returns true if the arguments of segment i that a piece contains are cut. */
static bool
is_cut(const struct salient *s, size_t i, const struct text_piece *piece)
{
	return piece->saved > 0 && s->input.cuts_arguments &&
	    is_shortened(&s->ranked[i]);
}

/* Keeps all passages of segment i, and counts them. */
static void
keep_pieces(struct ranking *r, size_t i)
{
	const struct text_piece *pieces;
	bool *kept;

	pieces = find_pieces(r->s, i, &kept);
	for (size_t k = 0; k < count_pieces(r->s, i); k++) {
		kept[k] = !is_cut(r->s, i, &pieces[k]);
		r->n_passages += pieces[k].tokens > 0;
	}
}

static int
open_ranking(struct ranking *r, struct ctx_err *err)
{
	size_t n = r->n_segments, n_names = 0;

	if (CTX_GROW(r->s->kept, r->s->kept_cap, r->s->n_pieces, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		keep_pieces(r, i);
		n_names += ctx_salient_names(r->s, i).n;
	}
	r->next = calloc(n + 1, sizeof *r->next);
	r->names = calloc(n_names + 1, sizeof *r->names);
	r->weight = calloc(r->s->n_names + 1, sizeof *r->weight);
	r->score = calloc(n + 1, sizeof *r->score);
	r->groups = calloc(n + 1, sizeof *r->groups);
	return r->next == NULL || r->names == NULL || r->weight == NULL ||
		r->score == NULL || r->groups == NULL
	    ? ctx_err_nomem(err)
	    : 0;
}

static void
release_ranking(struct ranking *r)
{
	free(r->next);
	free(r->names);
	free(r->weight);
	free(r->score);
	free(r->groups);
	free(r->parts);
}

/* Fills r->next. */
static void
link_segments(struct ranking *r)
{
	uint32_t root;

	for (size_t i = r->n_segments; i-- > 0;) {
		root = r->segments[i].root;
		if (root == i)
			continue;
		r->next[i] = r->next[root];
		r->next[root] = (uint32_t)i;
	}
}

/* Adds those names of segment i to r->names, after the first n elements, that
 * are not in the newest list of names yet.  Leaves out the names of removed
 * passages.  Returns the new number of elements. */
static size_t
add_names(struct ranking *r, size_t i, size_t n)
{
	const struct text_pieces *pieces = r->s->segments[i].pieces;
	size_t name = ctx_first_name(pieces, r->s->segments[i].first);
	size_t n_pieces = count_pieces(r->s, i), k;
	const struct text_piece *piece;
	bool *kept;

	piece = find_pieces(r->s, i, &kept);
	for (k = 0; k < n_pieces; k++) {
		for (; kept[k] && name < piece[k].names_end; name++)
			if (ctx_name_table_is_new(r->s->table,
				pieces->names[name]))
				r->names[n++] = pieces->names[name];
		name = piece[k].names_end;
	}
	return n;
}

/* Fills r->names, and sets "from" in r->groups, with the names in each group,
 * without the names of removed passages. */
static void
list_names(struct ranking *r)
{
	size_t i, k, n = 0;

	for (i = 0; i < r->n_segments; i++) {
		r->groups[i].from = n;
		if (r->segments[i].root != i)
			continue;
		ctx_name_table_begin(r->s->table);
		k = i;
		do
			n = add_names(r, k, n);
		while ((k = r->next[k]) != 0);
	}
	r->groups[i].from = n;
}

/* Sets the weight of each name. */
static int
weigh_names(const struct ranking *r, struct ctx_err *err)
{
	for (size_t i = 0; i < r->groups[r->n_segments].from; i++)
		r->weight[r->names[i]]++;
	return ctx_salient_weigh(r->s, r->n_groups, r->weight, err);
}

/* Sets r->n_groups, the number of tokens of each group, and whether the group
 * must be kept. */
static void
survey_groups(struct ranking *r)
{
	for (size_t i = 0; i < r->n_segments; i++) {
		const struct ranked_segment *segment = &r->segments[i];

		r->n_groups += segment->root == i;
		r->groups[segment->root].tokens += segment->tokens;
		/* All segments of a group must be kept if one segment of the
		 * group must be kept. */
		r->groups[i].kept = segment->root != i || segment->is_kept;
	}
}

/* Sets the names of the groups without their passages.  Also sets which group
 * must be kept with each group: the group of the first user message of its
 * turn. */
static void
survey_heads(struct ranking *r)
{
	const struct ranked_segment *segment;
	size_t i, user = SIZE_MAX;

	list_names(r);
	for (i = 0; i < r->n_segments; i++) {
		segment = &r->segments[i];
		r->parts[i] = r->groups[i];
		if (i > 0 && segment->turn != segment[-1].turn)
			user = SIZE_MAX;
		if (user == SIZE_MAX && (segment->flags & CTX_SEGMENT_USER))
			user = i;
		r->parts[i].needs = (uint32_t)i;
		if (user != SIZE_MAX && !r->groups[i].kept &&
		    !(segment->flags &
			(CTX_SEGMENT_USER | CTX_SEGMENT_SYSTEM |
			    CTX_SEGMENT_UNKNOWN)))
			r->parts[i].needs = (uint32_t)user;
	}
	r->parts[r->n_segments].from = r->groups[r->n_segments].from;
}

/* Subtracts tokens from *total, which is then at least 0. */
static void
subtract_tokens(uint64_t *total, uint64_t tokens)
{
	*total -= tokens < *total ? tokens : *total;
}

/* Sets *tokens to the number of tokens of all passages of segment i.  Counted
 * one by one, the passages can have more tokens than their texts; so the number
 * is at most that of the segment.  Returns the number of their texts. */
static uint64_t
count_passages(const struct salient *s, size_t i, uint64_t *tokens)
{
	const struct text_piece *pieces;
	uint64_t texts = 0;
	bool *kept;

	*tokens = 0;
	pieces = find_pieces(s, i, &kept);
	for (size_t k = 0; k < count_pieces(s, i); k++) {
		*tokens += pieces[k].tokens;
		texts += pieces[k].tokens > 0 && !pieces[k].is_joined;
	}
	if (*tokens > s->ranked[i].tokens)
		*tokens = s->ranked[i].tokens;
	return texts;
}

/* Subtracts the tokens of all passages of segment i from *total, the tokens of
 * its group, and adds those of the first mark of each text. */
static void
remove_passages(const struct ranking *r, size_t i, uint64_t *total)
{
	uint64_t tokens, texts = count_passages(r->s, i, &tokens);

	subtract_tokens(total, tokens);
	*total += texts * r->s->first_mark_tokens;
}

/* Sets the names and tokens of a passage, which is piece k of a segment, and
 * whether the passage must be kept.  Subtracts its tokens from those of its
 * group. i: the number of the passage among the choices. */
static void
survey_passage(struct ranking *r, size_t segment, size_t k, size_t i)
{
	const struct text_pieces *pieces = r->s->segments[segment].pieces;
	size_t p = r->s->segments[segment].first + k;
	const struct text_piece *piece = &pieces->list[p];
	size_t first = ctx_first_name(pieces, p), n = piece->names_end - first;
	struct ctx_cover_group *part = &r->parts[i];

	/* Without names, the list is NULL. */
	if (n > 0)
		memcpy(r->names + part->from, pieces->names + first,
		    n * sizeof *r->names);
	part[1].from = part->from + n;
	part->needs = r->segments[segment].root;
	part->kept = r->segments[segment].is_whole;
	part->joined = piece->is_joined;
	part->tokens = piece->tokens;
}

/* Removes all passages.  Then fills r->parts: the groups without their
 * passages, and the passages, as choices for ctx_cover_score.  Returns the
 * number of choices. */
static size_t
survey_parts(struct ranking *r)
{
	const struct text_piece *pieces;
	size_t i, k, at = r->n_segments;
	bool *kept;

	for (i = 0; i < r->n_segments; i++) {
		pieces = find_pieces(r->s, i, &kept);
		for (k = 0; k < count_pieces(r->s, i); k++)
			kept[k] = pieces[k].tokens == 0 &&
			    !is_cut(r->s, i, &pieces[k]);
	}
	survey_heads(r);
	for (i = 0; i < r->n_segments; i++) {
		pieces = find_pieces(r->s, i, &kept);
		remove_passages(r, i, &r->parts[r->segments[i].root].tokens);
		for (k = 0; k < count_pieces(r->s, i); k++)
			if (pieces[k].tokens > 0)
				survey_passage(r, i, k, at++);
	}
	return at;
}

/* Keeps the passages of segment i that were chosen.  Subtracts the tokens of
 * the other passages from those of the group. at: number of the first passage
 * among the choices.  Returns the number of the passage after the last one. */
static size_t
keep_chosen(struct ranking *r, size_t i, size_t at)
{
	uint64_t *tokens = &r->groups[r->segments[i].root].tokens;
	const struct text_piece *pieces;
	uint64_t whole = *tokens;
	bool removed = false, *kept;

	remove_passages(r, i, tokens);
	pieces = find_pieces(r->s, i, &kept);
	for (size_t k = 0; k < count_pieces(r->s, i); k++) {
		if (pieces[k].tokens > 0)
			kept[k] = r->parts[at++].chosen;
		if (kept[k])
			*tokens += pieces[k].tokens;
		else if (pieces[k].is_joined && kept[k - 1])
			*tokens += r->s->mark_tokens;
		removed |= !kept[k];
		if (kept[k] && is_shortened(&r->segments[i]))
			subtract_tokens(&r->room, pieces[k].tokens);
	}
	if (!removed)
		*tokens = whole;
	return at;
}

/* Chooses among the first n groups or, if has_passages is true, parts.  score:
 * see ctx_cover_score. */
static int
choose(const struct ranking *r, bool has_passages, size_t n, double *score,
    struct ctx_err *err)
{
	const struct ctx_cover cover = {.n_groups = n,
	    .n_names = r->s->n_names,
	    .groups = has_passages ? r->parts : r->groups,
	    .names = r->names,
	    .weight = r->weight,
	    .room = r->room,
	    .has_passages = has_passages,
	    .first_passage = r->n_segments,
	    .mark_tokens = r->s->mark_tokens};

	return ctx_cover_score(&cover, score, err);
}

/* Chooses the passages that are kept. */
static int
choose_passages(struct ranking *r, struct ctx_err *err)
{
	size_t i, n, at = r->n_segments;

	if (!r->s->input.removes_passages || r->n_passages == 0)
		return 0;
	r->parts = calloc(at + r->n_passages + 1, sizeof *r->parts);
	if (r->parts == NULL)
		return ctx_err_nomem(err);
	n = survey_parts(r);
	if (choose(r, true, n, NULL, err) < 0)
		return -1;
	for (i = 0; i < r->n_segments; i++)
		at = keep_chosen(r, i, at);
	list_names(r);
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
		root = r->segments[i].root;
		r->s->ranks[i] = r->score[root] > 0
		    ? 1 + r->score[root]
		    : (double)(root + 1) / (double)(n + 1);
	}
}

/* Ranks the segments as s->input and s->ranked say. */
static int
rank_segments(struct salient *s, struct ctx_err *err)
{
	struct ranking r = {.s = s,
	    .segments = s->ranked,
	    .room = s->input.room,
	    .n_segments = s->input.n};
	int rc = -1;

	if (open_ranking(&r, err) < 0)
		goto out;
	link_segments(&r);
	survey_groups(&r);
	list_names(&r);
	if (weigh_names(&r, err) < 0 || choose_passages(&r, err) < 0 ||
	    choose(&r, false, r.n_segments, r.score, err) < 0)
		goto out;
	set_ranks(&r);
	rc = 0;
out:
	release_ranking(&r);
	return rc;
}

static bool
is_same_segment(const struct ranked_segment *a, const struct ranked_segment *b)
{
	return a->tokens == b->tokens && a->root == b->root &&
	    a->turn == b->turn && a->flags == b->flags &&
	    a->is_kept == b->is_kept && a->is_whole == b->is_whole;
}

/* Returns the number of tokens that removing all passages of segment i
 * saves. */
static uint64_t
count_removable(const struct salient *s, size_t i)
{
	uint64_t tokens, texts = count_passages(s, i, &tokens);

	subtract_tokens(&tokens,
	    texts * (s->first_mark_tokens + RESERVED_TOKENS));
	return tokens;
}

/* Sets *number to the number of tokens of a text with n bytes. */
static int
count_mark(const struct ctx_counter *counter, const char *p, size_t n,
    uint64_t *number, struct ctx_err *err)
{
	if (ctx_token_count(counter->tokens, p, n, number, err) < 0)
		return -1;
	*number = ctx_text_to_model(counter, p, n, *number);
	return 0;
}

/* Sets s->first_mark_tokens and s->mark_tokens. */
static int
count_marks(struct salient *s, struct ctx_err *err)
{
	const struct ctx_counter *counter = s->base.counter;

	if (counter == NULL)
		return 0;
	if (count_mark(counter, FIRST_MARK, sizeof FIRST_MARK - 1,
		&s->first_mark_tokens, err) < 0)
		return -1;
	return count_mark(counter, MARK, sizeof MARK - 1, &s->mark_tokens, err);
}

/* Returns the number of tokens that cutting all long arguments in segment i
 * saves. */
static uint64_t
count_arguments(const struct salient *s, size_t i)
{
	const struct text_piece *pieces;
	uint64_t saved = 0;
	bool *kept;

	pieces = find_pieces(s, i, &kept);
	for (size_t k = 0; k < count_pieces(s, i); k++)
		saved += pieces[k].saved;
	return saved;
}

/* Sets s->ranked.  Sets s->is_ranked to false if anything in it has changed.
 * Returns the number of tokens that must be kept. cut: true if long arguments
 * of tool calls are cut in segments that must be kept. */
static uint64_t
read_segments(struct salient *s, const struct ctx_plan *plan, bool cut)
{
	uint64_t held = plan->fixed + plan->step.reserved;
	size_t ranked = s->is_ranked ? s->input.n : 0;

	for (size_t i = 0; i < plan->step.n; i++) {
		const struct ctx_segment *segment = &plan->groups->segments[i];
		struct ranked_segment now = {.tokens = segment->tokens,
		    .root = ctx_group_of(plan->groups->segments, (uint32_t)i),
		    .turn = segment->turn,
		    .flags = segment->flags,
		    .is_kept = plan->floors[i] != 0,
		    .is_whole = ctx_plan_keeps_texts(plan, i)};

		if (cut && is_shortened(&now))
			subtract_tokens(&now.tokens, count_arguments(s, i));
		if (i >= ranked || !is_same_segment(&now, &s->ranked[i]))
			s->is_ranked = false;
		s->ranked[i] = now;
		if (now.is_kept)
			held += now.tokens;
		if (is_shortened(&now))
			subtract_tokens(&held, count_removable(s, i));
	}
	return held;
}

/* Sets s->input and s->ranked.  Sets s->is_ranked to false if anything in them
 * has changed. */
static int
read_input(struct salient *s, const struct ctx_plan *plan, struct ctx_err *err)
{
	uint64_t target = plan->settings.target, held;
	size_t n = plan->step.n;
	struct salient_input now = {.n = n,
	    .removes_passages = plan->settings.level >= CTX_LEVEL_BALANCED};

	if (CTX_GROW(s->ranked, s->ranked_cap, n, err) < 0 ||
	    CTX_GROW(s->ranks, s->ranks_cap, n, err) < 0)
		return -1;
	held = read_segments(s, plan, false);
	now.cuts_arguments = held > target;
	if (now.cuts_arguments)
		held = read_segments(s, plan, true);
	now.room = target > held ? target - held : 0;
	if (now.room != s->input.room || n != s->input.n ||
	    now.removes_passages != s->input.removes_passages ||
	    now.cuts_arguments != s->input.cuts_arguments)
		s->is_ranked = false;
	s->input = now;
	return 0;
}

int
ctx_salient_rank(struct salient *s, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	if (count_marks(s, err) < 0 || read_input(s, plan, err) < 0)
		return -1;
	if (!s->is_ranked && rank_segments(s, err) < 0)
		return -1;
	s->is_ranked = true;
	for (size_t i = 0; i < s->input.n; i++)
		plan->groups->segments[i].rank = s->ranks[i];
	return 0;
}
