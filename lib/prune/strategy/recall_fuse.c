/*
 * recall_fuse.c - combines the ranking by words with a ranking by embeddings,
 * for the strategy recall
 */
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/strategy/recall.h"

/* A constant in reciprocal rank fusion, which combines two orders: an item gets
 * 1 / (FUSE + its place) from each. */
static const double FUSE = 60;

int
ctx_recall_compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Adds to the fused score of each item 1 / (FUSE + place), where place is
 * the position of the item when items are sorted by scores.  Items with scores
 * have equal places. */
static int
add_places(const double *scores, size_t n, double *fused, struct ctx_err *err)
{
	struct place *list = calloc(n + 1, sizeof *list);
	size_t i, at = 0;

	if (list == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < n; i++)
		list[i] = (struct place){scores[i], i};
	qsort(list, n, sizeof *list, ctx_recall_compare_places);
	for (i = 0; i < n; i++) {
		if (i > 0 && list[i].score < list[i - 1].score)
			at = i;
		fused[list[i].item] += 1 / (FUSE + (double)at);
	}
	free(list);
	return 0;
}

/* Sets r->score: for each item the nearness of its embedding to that of the
 * question; for a segment of several passages the highest of these. */
static int
compute_nearness(struct recall *r, struct ctx_str question, struct ctx_err *err)
{
	double *near = calloc(r->n_docs + 1, sizeof *near);
	size_t i, doc;
	int rc;

	if (near == NULL)
		return ctx_err_nomem(err);
	rc = ctx_embed_nearness(&r->embed, question, near, r->n_docs, err);
	for (i = 0; i < r->n_items; i++) {
		const struct item *item = &r->items[i];

		r->score[i] = near[item->doc];
		for (doc = item->doc + 1; doc < item->end; doc++)
			if (near[doc] > r->score[i])
				r->score[i] = near[doc];
	}
	free(near);
	return rc;
}

int
ctx_recall_fuse(struct recall *r, struct ctx_str question, struct ctx_err *err)
{
	const struct ctx_scorer_options *o = &r->base.options;
	double *fused;
	int rc = -1;

	if (o->embedder.line == NULL)
		return 0;
	fused = calloc(r->n_items + 1, sizeof *fused);
	if (fused == NULL)
		return ctx_err_nomem(err);
	r->embed.command = &o->embedder;
	if (compute_nearness(r, question, err) == 0 &&
	    add_places(r->smooth, r->n_items, fused, err) == 0 &&
	    add_places(r->score, r->n_items, fused, err) == 0) {
		memcpy(r->smooth, fused, r->n_items * sizeof *fused);
		rc = 0;
	}
	free(fused);
	return rc;
}
