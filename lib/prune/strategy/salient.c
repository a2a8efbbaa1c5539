/*
 * salient.c - ranks groups of messages by the rare names that they contain
 *
 * Later tool calls copy names (paths, identifiers, ids and numbers) from
 * earlier messages.  The value of a group is the sum, over its names, of
 * log(number of groups / number of groups that contain the name).  When a group
 * is chosen, its names do not count for other groups any more; cover.c chooses
 * the groups in this way.  A sentence in which the user says what must or must
 * not be done counts as a name, because it is short and nothing else in the
 * conversation says the same.
 *
 * tests/bench/survive measures, on recorded sessions, how many of the strings
 * that the rest of a session needs are kept.  None of the following changes
 * raised this number with the power 0.8 in cover.c (other powers were not
 * tried): a greater weight for newer groups, for names in user messages or in
 * tool calls, for names that several groups contain, or for tool calls that
 * change a file; a smaller weight for long lists.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/strategy/cover.h"
#include "prune/strategy/names.h"
#include "prune/strategy/segment_text.h"
#include "prune/strategy/summary.h"

const char *const ctx_salient_reasons[CTX_SALIENT_REASONS] = {"no rare name",
    "few rare names"};

/* Of a name with more bytes only a hash of 128 bits is stored, so that the
 * memory for each name is limited. */
enum { LONG_NAME = 16 };

struct salient {
	struct ctx_scorer base;
	struct ctx_hashkey key;
	bool has_key;
	struct ctx_intern names;
	/* Ids of the names in all segments, segment by segment.  In a segment
	 * each name occurs at most once. */
	uint32_t *list;
	/* for each segment: the index in "list" after the segment's last
	 * name */
	size_t *ends;
	/* for each name: number of the last segment that contains it, plus 1 */
	uint32_t *seen;
	size_t n_list, list_cap, n_segments, ends_cap, seen_cap;
	struct ctx_buf text, tool;
};

/* ---- reading ---- */

static int
intern_name(struct salient *s, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err)
{
	uint64_t hash[2];

	if (n <= LONG_NAME)
		return ctx_intern(&s->names, p, n, id, err);
	ctx_hash_wide(&s->key, p, n, hash);
	return ctx_intern(&s->names, (const char *)hash, sizeof hash, id, err);
}

static int
take_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct salient *s = user;
	size_t known = s->names.n;
	uint32_t id;

	if (intern_name(s, p, n, &id, err) < 0)
		return -1;
	if (CTX_GROW(s->seen, s->seen_cap, s->names.n, err) < 0)
		return -1;
	if (s->names.n > known)
		s->seen[id - 1] = 0;
	if (s->seen[id - 1] == s->n_segments + 1)
		return 0;
	s->seen[id - 1] = (uint32_t)s->n_segments + 1;
	if (CTX_GROW(s->list, s->list_cap, s->n_list + 1, err) < 0)
		return -1;
	s->list[s->n_list++] = id - 1;
	return 0;
}

/* Ends the list of names of the newest segment. */
static int
end_segment(struct salient *s, struct ctx_err *err)
{
	if (CTX_GROW(s->ends, s->ends_cap, s->n_segments + 1, err) < 0)
		return -1;
	s->ends[s->n_segments++] = s->n_list;
	return 0;
}

/* Adds segments without names until there are n segments. */
static int
pad_segments(struct salient *s, size_t n, struct ctx_err *err)
{
	while (s->n_segments < n)
		if (end_segment(s, err) < 0)
			return -1;
	return 0;
}

/* Adds each sentence in which the user says what must or must not be done to
 * the names of the newest segment.  Skips text in the message that was inserted
 * by a program. */
static int
add_constraints(struct salient *s, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str own, one;
	size_t context;

	while (text.n > 0) {
		own.p = text.p;
		context = ctx_summary_find_context(text, &own.n);
		text.p += own.n + context;
		text.n -= own.n + context;
		while (own.n > 0) {
			one = ctx_summary_next_sentence(&own);
			if (one.n > 0 && ctx_summary_is_constraint(one) &&
			    take_name(s, one.p, one.n, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
add_salient_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	struct ctx_names names = {s, take_name, false};

	if (!s->has_key)
		ctx_hashkey_init(&s->key);
	s->has_key = true;
	/* Records that are not messages are segments, too, but are not given to
	 * this scorer, so they are added here. */
	if (pad_segments(s, first, err) < 0)
		return -1;
	for (; first < groups->n; first++) {
		unsigned flags = groups->segments[first].flags;

		s->text.n = 0;
		/* Names in a demonstration (example messages) are not related
		 * to the task, so they are ignored. */
		if (!(flags & CTX_SEGMENT_DEMONSTRATION) &&
		    ctx_append_segment_text(&s->text, &s->tool, message, flags,
			err) < 0)
			return -1;
		if (ctx_names_of(&names, s->text.p, s->text.n, err) < 0 ||
		    ((flags & CTX_SEGMENT_USER) &&
			add_constraints(s,
			    (struct ctx_str){s->text.p, s->text.n}, err) < 0) ||
		    end_segment(s, err) < 0)
			return -1;
		ctx_buf_reset(&s->text);
	}
	return 0;
}

/* ---- ranking ---- */

/* The groups of messages in the form that ctx_cover_score expects.  The number
 * of a group is the index of its first segment.  The index of any other segment
 * is the number of a group without names. */
struct grouping {
	size_t *from;
	uint32_t *names;
	double *weight, *score;
	uint64_t *tokens;
	bool *kept;
	/* Number of real groups, without the empty groups for the other
	 * segments. */
	size_t n_groups;
};

static int
open_grouping(struct grouping *g, const struct salient *s, size_t n,
    struct ctx_err *err)
{
	memset(g, 0, sizeof *g);
	g->from = calloc(n + 2, sizeof *g->from);
	g->names = calloc(s->n_list + 1, sizeof *g->names);
	g->weight = calloc(s->names.n + 1, sizeof *g->weight);
	g->score = calloc(n + 1, sizeof *g->score);
	g->tokens = calloc(n + 1, sizeof *g->tokens);
	g->kept = calloc(n + 1, sizeof *g->kept);
	if (g->from == NULL || g->names == NULL || g->weight == NULL ||
	    g->score == NULL || g->tokens == NULL || g->kept == NULL)
		return ctx_err_nomem(err);
	return 0;
}

static void
release_grouping(struct grouping *g)
{
	free(g->from);
	free(g->names);
	free(g->weight);
	free(g->score);
	free(g->tokens);
	free(g->kept);
}

/* Fills g->names and g->from with the names in each group.  In a group a name
 * may occur more than once. */
static void
collect_names(struct grouping *g, const struct salient *s,
    struct ctx_segment *segments, size_t n)
{
	size_t i, k, root, begin;

	for (i = 0; i < n; i++) {
		begin = i > 0 ? s->ends[i - 1] : 0;
		root = ctx_group_of(segments, (uint32_t)i);
		g->from[root + 2] += s->ends[i] - begin;
	}
	for (i = 0; i < n; i++)
		g->from[i + 2] += g->from[i + 1];
	/* During the loop, from[root + 1] is the index for the next name of the
	 * group.  After the loop, it is the index at which the next group
	 * begins. */
	for (i = 0; i < n; i++) {
		root = ctx_group_of(segments, (uint32_t)i);
		for (k = i > 0 ? s->ends[i - 1] : 0; k < s->ends[i]; k++)
			g->names[g->from[root + 1]++] = s->list[k];
	}
}

/* Removes duplicates of names within a group from g->names.  Sets g->weight to
 * the number of groups that contain each name. */
static void
merge_names(struct grouping *g, struct salient *s, size_t n)
{
	size_t i, k, end, w = 0;

	/* If there are no names, s->seen may be NULL. */
	if (s->names.n > 0)
		memset(s->seen, 0, s->names.n * sizeof *s->seen);
	for (i = 0; i < n; i++) {
		k = g->from[i];
		end = g->from[i + 1];
		g->from[i] = w;
		for (; k < end; k++) {
			uint32_t name = g->names[k];

			if (s->seen[name] == i + 1)
				continue;
			s->seen[name] = (uint32_t)i + 1;
			g->weight[name]++;
			g->names[w++] = name;
		}
	}
	g->from[n] = w;
}

/* Sets the members tokens, kept and n_groups of *g.  Returns the number of
 * tokens that are left for the groups that need not be kept. */
static uint64_t
survey_groups(struct grouping *g, const struct ctx_plan *plan,
    struct ctx_segment *segments, size_t n)
{
	uint64_t held = plan->fixed + plan->step.reserved;
	size_t i, root;

	for (i = 0; i < n; i++) {
		root = ctx_group_of(segments, (uint32_t)i);
		g->n_groups += root == i;
		g->tokens[root] += segments[i].tokens;
		/* A group must be kept if any of its segments must be kept. */
		g->kept[i] = root != i || plan->floors[i] != 0;
		if (plan->floors[i] != 0)
			held += segments[i].tokens;
	}
	return plan->settings.target > held ? plan->settings.target - held : 0;
}

/* Sets the ranks.  All segments of a group get the same rank.  If a group has
 * rare names that no other kept group contains, its rank is above 1, and
 * increases with its score.  The rank of any other group is below 1, and is
 * higher if the group is newer. */
static void
set_ranks(const struct grouping *g, struct ctx_segment *segments, size_t n)
{
	size_t i, root;

	for (i = 0; i < n; i++) {
		root = ctx_group_of(segments, (uint32_t)i);
		segments[i].rank = g->score[root] > 0
		    ? 1 + g->score[root]
		    : (double)(root + 1) / (double)(n + 1);
	}
}

static int
rank_by_salience(struct ctx_scorer *scorer, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	struct ctx_segment *segments = groups->segments;
	size_t i, n = plan->step.n;
	struct ctx_cover cover = {.n_groups = n, .n_names = s->names.n};
	struct grouping g;
	int rc = -1;

	if (open_grouping(&g, s, n, err) < 0 || pad_segments(s, n, err) < 0)
		goto out;
	collect_names(&g, s, segments, n);
	merge_names(&g, s, n);
	cover.room = survey_groups(&g, plan, segments, n);
	for (i = 0; i < s->names.n; i++)
		g.weight[i] = log((double)g.n_groups / g.weight[i]);
	cover.from = g.from;
	cover.names = g.names;
	cover.weight = g.weight;
	cover.tokens = g.tokens;
	cover.kept = g.kept;
	if (ctx_cover_score(&cover, g.score, err) < 0)
		goto out;
	set_ranks(&g, segments, n);
	rc = 0;
out:
	release_grouping(&g);
	return rc;
}

static void
reset_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	ctx_intern_reset(&s->names);
	s->n_list = s->n_segments = 0;
}

static void
release_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	ctx_intern_release(&s->names);
	ctx_buf_release(&s->text);
	ctx_buf_release(&s->tool);
	free(s->list);
	free(s->ends);
	free(s->seen);
}

const struct ctx_scorer_kind ctx_salient_kind = {
    .size = sizeof(struct salient),
    .add = add_salient_message,
    .rank = rank_by_salience,
    .reset = reset_salient,
    .release = release_salient,
};
