/* recall_fuse.c - tests how the strategy recall combines the scores by words
 * with the similarity of embeddings */
#include <math.h>

#include "prune/strategy/recall.h"
#include "tap.h"

enum { N = 8 };

/* similarities with the mean 0 and the standard deviation 1 */
static const double near_first[N] = {2.4, 0.6, -0.5, -0.5, -0.5, -0.5, -0.5,
    -0.5};
static const double near_last[N] = {-0.5, -0.5, -0.5, -0.5, -0.5, -0.5, 0.6,
    2.4};

/* Returns how much higher than the third item the similarity has raised the
 * last item.  Both items contain no word of the question. */
static double
raise_last(const double *words, const double *near)
{
	double scores[N];

	memcpy(scores, words, sizeof scores);
	ctx_recall_add_nearness(scores, near, N);
	return scores[N - 1] - scores[2];
}

static void
check_agreement(void)
{
	const double one[N] = {7}, none[N] = {0}, two[N] = {7, 7};
	const double flat[N] = {0};
	double most, some;

	tap_case("two rankings with the same best item agree fully");
	CHECK(
	    fabs(ctx_recall_measure_agreement(one, near_first, N) - 1) < 1e-9);
	tap_case("the agreement is smaller if other items also have the words");
	most = ctx_recall_measure_agreement(one, near_first, N);
	some = ctx_recall_measure_agreement(two, near_first, N);
	CHECK(some > 0 && some < most);
	tap_case("rankings with different best items do not agree");
	CHECK(ctx_recall_measure_agreement(one, near_last, N) == 0);
	tap_case("without a common word or a near item nothing agrees");
	CHECK(ctx_recall_measure_agreement(none, near_first, N) == 0);
	CHECK(ctx_recall_measure_agreement(one, flat, N) == 0);
	CHECK(ctx_recall_measure_agreement(one, near_first, 0) == 0);
}

static void
check_weight(void)
{
	/* The words are in the first item, or in the first and the last
	 * item. */
	const double apart[N] = {4}, both[N] = {4, 0, 0, 0, 0, 0, 0, 2};
	double words[N] = {4, 2}, scores[N] = {0, 1, 0, 3}, large[N];
	size_t i;

	tap_case("embeddings count less if they agree with the words");
	CHECK(raise_last(apart, near_last) > 0);
	CHECK(raise_last(both, near_last) - 0.5 < raise_last(apart, near_last));
	tap_case("the scale of the scores by words has no effect");
	for (i = 0; i < N; i++)
		large[i] = scores[i] * 1000;
	ctx_recall_add_nearness(scores, near_last, N);
	ctx_recall_add_nearness(large, near_last, N);
	for (i = 0; i < N; i++)
		CHECK(fabs(scores[i] - large[i]) < 1e-9);
	tap_case("items without a word of the question are in the order of "
		 "their nearness");
	memset(scores, 0, sizeof scores);
	ctx_recall_add_nearness(scores, near_last, N);
	CHECK(scores[N - 1] > scores[N - 2] && scores[N - 2] > scores[0]);
	tap_case("an item with all words is kept before one that is only "
		 "near");
	ctx_recall_add_nearness(words, near_last, N);
	CHECK(words[0] > words[N - 1] && words[N - 1] > words[2]);
}

int
main(void)
{
	check_agreement();
	check_weight();
	return tap_done();
}
