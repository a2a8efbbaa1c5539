/*
 * statistics.c - computes means over the runs of a policy, and how much a mean
 * would vary with other sessions
 *
 * The variation is estimated by the bootstrap (Efron 1979), which computes the
 * mean of many random selections.  Whole sessions are selected, because splits
 * of the same session give similar results.  All policies and budgets use the
 * same selections.
 */
#include <stdlib.h>
#include <string.h>

#include "eval/eval.h"

/* DRAWS: number of random selections of sessions.  OUTSIDE: how many of the
 * lowest means, and how many of the highest means, are outside of the 95 %
 * interval. */
enum { DRAWS = 1000, OUTSIDE = DRAWS / 40 };

/* The runs of one session. kept: sum of the shares of needed strings (used by
 * later messages) that the runs have kept. runs: number of the runs. */
struct session_sum {
	double kept;
	size_t runs;
};

/* Returns the next number of a sequence of pseudorandom numbers.  The sequence
 * is the same in every run of the program. */
static uint64_t
draw(uint64_t *state)
{
	/* xorshift64* (Vigna 2014) */
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static int
compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the number of sessions that have at least one run. */
static size_t
count_sessions(const struct session_sum *sums, size_t n)
{
	size_t sessions = 0;

	for (size_t i = 0; i < n; i++)
		sessions += sums[i].runs > 0;
	return sessions;
}

/* Sets the interval that contains 95 % of the means of random selections of
 * sessions.  If a selection contains no run, draws another selection.  At least
 * one session has a run, so this ends. */
static void
set_interval(const struct session_sum *sums, size_t n,
    struct ctx_eval_figures *figures)
{
	uint64_t state = 1;
	double means[DRAWS];
	struct session_sum sum;
	size_t drawn;

	for (size_t i = 0; i < DRAWS; i++) {
		do {
			memset(&sum, 0, sizeof sum);
			for (size_t k = 0; k < n; k++) {
				drawn = (size_t)((draw(&state) >> 11) % n);
				sum.kept += sums[drawn].kept;
				sum.runs += sums[drawn].runs;
			}
		} while (sum.runs == 0);
		means[i] = sum.kept / (double)sum.runs;
	}
	qsort(means, DRAWS, sizeof means[0], compare_numbers);
	figures->low = means[OUTSIDE];
	figures->high = means[DRAWS - OUTSIDE];
}

static void
add_figures(struct ctx_eval_figures *figures, const struct ctx_eval_run *run,
    size_t needed)
{
	double n = (double)needed;

	figures->runs++;
	figures->kept += run->kept / n;
	figures->recoverable += (double)run->recoverable / n;
	figures->tokens += (double)run->tokens;
	if (run->tokens < run->limit)
		figures->unused +=
		    (double)(run->limit - run->tokens) / (double)run->limit;
	figures->over += run->tokens > run->limit;
	figures->invalid += run->invalid;
	figures->seconds += run->seconds;
}

static void
divide_figures(struct ctx_eval_figures *figures)
{
	double n = (double)figures->runs;

	figures->kept /= n;
	figures->recoverable /= n;
	figures->lost = 1 - figures->kept - figures->recoverable;
	if (figures->lost < 0) /* caused by rounding */
		figures->lost = 0;
	figures->tokens /= n;
	figures->unused /= n;
	figures->over /= n;
	figures->invalid /= n;
	figures->seconds /= n;
}

int
ctx_eval_figures(const struct ctx_eval_results *results, size_t policy,
    size_t budget, struct ctx_eval_figures *figures, struct ctx_err *err)
{
	const struct ctx_eval_sample *sample;
	const struct ctx_eval_run *run;
	struct session_sum *sums, *sum;

	memset(figures, 0, sizeof *figures);
	sums = calloc(results->sessions + 1, sizeof *sums);
	if (sums == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < results->n_runs; i++) {
		run = &results->runs[i];
		if (run->policy != policy || run->budget != budget)
			continue;
		if (run->failure != NULL) {
			if (figures->failed++ == 0) {
				figures->failure = run->failure;
				figures->failed_run = i;
			}
			continue;
		}
		sample = &results->samples[run->sample];
		sum = &sums[sample->session];
		sum->kept += run->kept / (double)sample->needed;
		sum->runs++;
		add_figures(figures, run, sample->needed);
	}
	if (figures->runs > 0) {
		divide_figures(figures);
		figures->has_interval =
		    count_sessions(sums, results->sessions) > 1;
	}
	if (figures->has_interval)
		set_interval(sums, results->sessions, figures);
	free(sums);
	return 0;
}
