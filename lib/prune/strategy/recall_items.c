/*
 * recall_items.c - the items that the strategy recall ranks: segments (messages
 * or parts of one), and passages (a few lines each) of long texts
 *
 * A long message can be kept in part: only some of its passages.  Passages and
 * whole segments are chosen together, by their scores and by the number of
 * tokens that the target leaves.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/strategy/recall.h"

enum {
	/* Estimated number of tokens of the text that replaces removed
	 * passages, such as "[... 900 characters truncated ...]". */
	MARK_TOKENS = 9,
	/* Estimated number of tokens for the role and delimiters of a
	 * message. */
	ROLE_TOKENS = 4,
};

static int
index_docs(struct recall *r, struct ctx_err *err)
{
	if (CTX_GROW(r->first_doc, r->first_doc_cap, r->n_segments + 1, err) <
	    0)
		return -1;
	for (size_t i = r->n_docs; i-- > 0;)
		r->first_doc[r->docs[i].segment] = i;
	r->first_doc[r->n_segments] = r->n_docs;
	return 0;
}

/* Returns true if a segment may be kept in part: only some of its passages. */
static bool
may_cut(const struct recall *r, const struct ctx_plan *plan, size_t segment)
{
	return r->first_doc[segment + 1] - r->first_doc[segment] > 1 &&
	    ctx_prune_splits_turns(&plan->settings) &&
	    plan->settings.level >= CTX_LEVEL_BALANCED &&
	    plan->floors[segment] == 0;
}

int
ctx_recall_make_items(struct recall *r, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	size_t doc, end, bytes;
	double tokens;

	if (index_docs(r, err) < 0)
		return -1;
	if (CTX_GROW(r->items, r->items_cap, r->n_docs + 1, err) < 0)
		return -1;
	r->n_items = 0;
	for (size_t i = 0; i < r->n_segments; i++) {
		doc = r->first_doc[i];
		end = r->first_doc[i + 1];
		tokens = (double)plan->groups->segments[i].tokens;
		if (!may_cut(r, plan, i)) {
			r->items[r->n_items++] =
			    (struct item){doc, end, tokens};
			continue;
		}
		bytes = r->docs[end - 1].passage.to;
		for (; doc < end; doc++) {
			const struct passage *passage = &r->docs[doc].passage;

			r->items[r->n_items++] = (struct item){doc, doc + 1,
			    tokens * (double)(passage->to - passage->from) /
				(double)bytes};
		}
	}
	return 0;
}

bool
ctx_recall_is_passage(const struct recall *r, const struct item *item)
{
	size_t segment = r->docs[item->doc].segment;

	return item->end - item->doc <
	    r->first_doc[segment + 1] - r->first_doc[segment];
}

bool
ctx_recall_is_asked(const struct recall *r, const struct item *item)
{
	const struct doc *doc = &r->docs[item->doc];

	return doc->speaker != 0 ? r->weight[doc->speaker - 1] > 0
				 : doc->side != NO_SIDE && r->asked[doc->side];
}

/* Returns the factor by which the score of an item (segment, or passage of a
 * long text) is multiplied before it is added to the score of the next item.
 * The factor decreases with the number of tokens between the middles of the
 * items. */
static double
compute_fading(const struct item *item, const struct item *next, double fade)
{
	return exp(-(item->tokens + next->tokens) / 2 / fade);
}

void
ctx_recall_smooth(const struct recall *r, double fade, double *smooth)
{
	const struct item *items = r->items;
	double carried = 0;
	size_t i, n = r->n_items;

	for (i = 0; i < n; i++) {
		smooth[i] = r->score[i] + carried;
		if (i + 1 < n)
			carried = (carried + r->score[i]) *
			    compute_fading(&items[i], &items[i + 1], fade);
	}
	for (carried = 0; i-- > 0;) {
		smooth[i] += carried;
		if (i > 0)
			carried = (carried + r->score[i]) *
			    compute_fading(&items[i - 1], &items[i], fade);
	}
}

/* Keeps the newest segments as a whole. ctx_recall_decide keeps the same
 * segments.  Returns the number of tokens that are left for other segments. */
static double
keep_newest(struct recall *r, const struct ctx_plan *plan)
{
	uint64_t held = plan->fixed + plan->step.reserved, room, left;

	for (size_t i = 0; i < plan->groups->n; i++)
		if (plan->floors[i] != 0)
			held += plan->groups->segments[i].tokens;
	room = plan->settings.target > held ? plan->settings.target - held : 0;
	left = room / CTX_RECALL_NEWEST;
	for (size_t i = plan->groups->n; i-- > 0;) {
		uint64_t tokens = plan->groups->segments[i].tokens;

		if (plan->floors[i] != 0)
			continue;
		if (tokens > left)
			break;
		left -= tokens;
		room -= tokens;
		for (size_t doc = r->first_doc[i]; doc < r->first_doc[i + 1];
		     doc++)
			r->docs[doc].kept = true;
	}
	return (double)room;
}

/* Returns the estimated number of tokens by which the output grows if a passage
 * is kept. */
static double
estimate_cost(const struct recall *r, const struct item *item)
{
	size_t segment = r->docs[item->doc].segment;
	bool before, after;

	if (!ctx_recall_is_passage(r, item))
		return item->tokens;
	if (!r->docs[r->first_doc[segment]].any_kept)
		return item->tokens + ROLE_TOKENS + 2 * MARK_TOKENS;
	before =
	    item->doc > r->first_doc[segment] && r->docs[item->doc - 1].kept;
	after =
	    item->end < r->first_doc[segment + 1] && r->docs[item->end].kept;
	return item->tokens + MARK_TOKENS - MARK_TOKENS * (before + after);
}

/* Position of an item in an array that is sorted by score, highest first. */
struct place {
	double score;
	size_t item;
};

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Keeps the items (segments, or passages of long texts) with the highest
 * scores, as many as have together at most "room" tokens. */
static int
keep_best(struct recall *r, const struct ctx_plan *plan, double room,
    struct ctx_err *err)
{
	struct place *places = calloc(r->n_items + 1, sizeof *places);

	if (places == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < r->n_items; i++)
		places[i] = (struct place){r->smooth[i], i};
	qsort(places, r->n_items, sizeof *places, compare_places);
	for (size_t i = 0; i < r->n_items; i++) {
		const struct item *item = &r->items[places[i].item];
		struct doc *doc = &r->docs[item->doc];
		double cost;

		if (doc->kept || plan->floors[doc->segment] != 0)
			continue;
		cost = estimate_cost(r, item);
		if (cost > room)
			continue;
		room -= cost;
		doc->kept = true;
		r->docs[r->first_doc[doc->segment]].any_kept = true;
	}
	free(places);
	return 0;
}

int
ctx_recall_choose_passages(struct recall *r, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	for (size_t i = 0; i < plan->groups->n; i++)
		plan->groups->segments[i].rank = 0;
	for (size_t i = 0; i < r->n_docs; i++)
		r->docs[i].kept = r->docs[i].any_kept = false;
	for (size_t i = 0; i < r->n_items; i++) {
		struct ctx_segment *segment =
		    &plan->groups->segments[r->docs[r->items[i].doc].segment];

		if (r->smooth[i] > segment->rank)
			segment->rank = r->smooth[i];
	}
	if (r->n_items <= r->n_segments)
		return 0;
	return keep_best(r, plan, keep_newest(r, plan), err);
}

int
ctx_recall_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err)
{
	struct recall *r = (struct recall *)scorer;
	size_t doc, end, n = 0, kept = 0;

	*removed = (struct passages){NULL, 0};
	/* Nothing to choose if no text was divided into passages, or if nothing
	 * was ranked. */
	if (r->n_items <= r->n_segments)
		return 0;
	doc = r->first_doc[segment];
	end = r->first_doc[segment + 1];
	if (end - doc == 1)
		return 0;
	if (CTX_GROW(r->removed, r->removed_cap, end - doc, err) < 0)
		return -1;
	for (; doc < end; doc++) {
		const struct passage *passage = &r->docs[doc].passage;

		if (r->docs[doc].kept)
			kept++;
		else if (n > 0 && r->removed[n - 1].to == passage->from)
			r->removed[n - 1].to = passage->to;
		else
			r->removed[n++] = *passage;
	}
	if (kept > 0)
		*removed = (struct passages){r->removed, n};
	return 0;
}
