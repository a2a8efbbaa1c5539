/*
 * recall_fuse.c - combines, for the strategy recall, the score by words with a
 * score by embeddings
 *
 * The two scores are brought to the same scale and added.  If both scores rank
 * the messages similarly, the score by embeddings has a smaller weight: the
 * words of the question are then good evidence, and say more exactly than
 * embeddings which messages contain the answer.  Messages whose writer is named
 * in the question get a higher score.
 */
#include <math.h>
#include <stdlib.h>

#include "prune/plan.h"
#include "prune/strategy/recall.h"

/* At a distance of this many tokens, an item (segment, or passage of a long
 * text) gets 1/e of the nearness of another item. */
static const double FADE = 20;
/* Score by embeddings of an item (segment, or passage of a long text) whose
 * nearness to the question is one standard deviation above the mean, if the
 * ranking by words and the ranking by embeddings do not agree at all.  For
 * comparison: the highest score by words is 1. */
static const double WEIGHT = 0.25;
/* Added to the score of an item whose writer is named in the question.  The
 * embedding of a text does not say who wrote it. */
static const double ASKED = 0.25;

/* Shifts and scales numbers so that their mean is 0 and their standard
 * deviation is 1.  If all numbers are equal, sets them to 0. */
static void
standardize(double *numbers, size_t n)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += numbers[i];
	mean = n > 0 ? sum / (double)n : 0;
	for (size_t i = 0; i < n; i++) {
		numbers[i] -= mean;
		squares += numbers[i] * numbers[i];
	}
	for (size_t i = 0; i < n; i++)
		numbers[i] =
		    squares > 0 ? numbers[i] / sqrt(squares / (double)n) : 0;
}

static double
find_highest(const double *numbers, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (numbers[i] > most)
			most = numbers[i];
	return most;
}

double
ctx_recall_measure_agreement(const double *words, const double *near, size_t n)
{
	double sum = 0, weights = 0, most = find_highest(near, n);

	for (size_t i = 0; i < n; i++) {
		sum += words[i] * words[i] * near[i];
		weights += words[i] * words[i];
	}
	if (sum <= 0 || weights <= 0)
		return 0;
	return sum / weights / most;
}

/* Sets the score of each item in r->score to the nearness of the item's
 * embedding to the embedding of the question.  If an item has several passages
 * (a few lines each), uses the passage that is nearest to the question. */
static int
compute_nearness(struct recall *r, struct ctx_str question, struct ctx_err *err)
{
	double *near = calloc(r->n_docs + 1, sizeof *near);
	int rc;

	if (near == NULL)
		return ctx_err_nomem(err);
	rc = ctx_embed_nearness(&r->embed, question, near, r->n_docs, err);
	for (size_t i = 0; i < r->n_items; i++) {
		const struct item *item = &r->items[i];

		r->score[i] = near[item->doc];
		for (size_t doc = item->doc + 1; doc < item->end; doc++)
			if (near[doc] > r->score[i])
				r->score[i] = near[doc];
	}
	free(near);
	return rc;
}

void
ctx_recall_add_nearness(double *words, const double *near, size_t n)
{
	double most = find_highest(words, n), weight;

	for (size_t i = 0; most > 0 && i < n; i++)
		words[i] /= most;
	weight = WEIGHT * (1 - ctx_recall_measure_agreement(words, near, n));
	for (size_t i = 0; i < n; i++)
		words[i] += weight * near[i];
}

int
ctx_recall_fuse(struct recall *r, struct ctx_str question, struct ctx_err *err)
{
	const struct ctx_scorer_options *o = &r->base.options;
	double *near;
	int rc;

	if (o->embedder.line == NULL)
		return 0;
	near = calloc(r->n_items + 1, sizeof *near);
	if (near == NULL)
		return ctx_err_nomem(err);
	r->embed.command = &o->embedder;
	rc = compute_nearness(r, question, err);
	if (rc == 0) {
		standardize(r->score, r->n_items);
		ctx_recall_smooth(r, FADE, near);
		standardize(near, r->n_items);
		ctx_recall_add_nearness(r->smooth, near, r->n_items);
		for (size_t i = 0; i < r->n_items; i++)
			if (ctx_recall_is_asked(r, &r->items[i]))
				r->smooth[i] += ASKED;
	}
	free(near);
	return rc;
}
