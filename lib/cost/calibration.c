/*
 * calibration.c - estimates how many tokens of a model correspond to one token
 * of another encoding
 *
 * Fits the line billed = overhead + factor * counted by least squares, where
 * billed and counted are the tokens of a request. overhead is the number of
 * tokens that each request has but the stream does not contain, such as those
 * of a system prompt and tools.  It is 0 if there are fewer than three
 * different requests, or if it is not significantly greater than 0.
 *
 * Then the factor is combined with what is known of the model before: the
 * logarithms of both are weighted by their precisions, as for two normal
 * distributions.  So few or contradictory requests change the known factor
 * little, and many consistent ones replace it.
 */
#include <math.h>
#include <string.h>

#include "cost/cost.h"

/* 97.5 % quantile of the normal distribution */
#define NORMAL 1.959964

/*
 * Returns the 97.5 % quantile of Student's t distribution for a number of
 * degrees of freedom (Abramowitz, Stegun 26.7.5).  It is slightly too low below
 * five degrees.
 */
static double
compute_student_quantile(size_t freedom)
{
	double z = NORMAL, n = (double)freedom, z3 = z * z * z;

	return z + (z3 + z) / (4 * n) +
	    (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * n * n) +
	    (3 * z3 * z3 * z + 19 * z3 * z * z + 17 * z3 - 15 * z) /
	    (384 * n * n * n);
}

struct sums {
	/* n: number of requests. x and y: means of the counted and of the
	 * billed tokens. xx, xy and yy: sums of the squares and products of the
	 * deviations from x and y. */
	double n, x, y, xx, xy, yy;
};

/* Adds up what fit_line needs: the squared deviations from the means of x and
 * of y. x is the number of counted tokens of a request, y that of its billed
 * tokens.  If origin is true, deviations are from 0, for a line through the
 * origin. */
static void
sum_samples(struct sums *s, const struct ctx_billed_sample *samples, size_t n,
    bool origin)
{
	size_t i;

	*s = (struct sums){.n = (double)n};
	for (i = 0; i < n && !origin; i++) {
		s->x += (double)samples[i].counted / s->n;
		s->y += (double)samples[i].billed / s->n;
	}
	for (i = 0; i < n; i++) {
		double x = (double)samples[i].counted - s->x;
		double y = (double)samples[i].billed - s->y;

		s->xx += x * x;
		s->xy += x * y;
		s->yy += y * y;
	}
}

/* Fits the line to the requests and computes its confidence intervals.  If
 * origin is true, the line goes through 0. */
static void
fit_line(struct ctx_calibration *calibration, const struct sums *s, bool origin)
{
	size_t freedom = (size_t)s->n - (origin ? 1 : 2);
	double rest, slope = s->xy / s->xx;

	calibration->factor = slope;
	calibration->overhead = origin ? 0 : s->y - slope * s->x;
	calibration->spread = INFINITY;
	if (freedom == 0)
		return;
	rest = fmax(s->yy - slope * s->xy, 0) / (double)freedom;
	calibration->spread =
	    compute_student_quantile(freedom) * sqrt(rest / s->xx);
	calibration->overhead_spread = compute_student_quantile(freedom) *
	    sqrt(rest * (1 / s->n + s->x * s->x / s->xx));
}

/* Computes the errors of the fitted line, relative to the mean of the billed
 * tokens. */
static void
measure_error(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n)
{
	double error, y, x, sum = 0, mean = 0;
	size_t i;

	calibration->upper = calibration->factor;
	for (i = 0; i < n; i++) {
		x = (double)samples[i].counted;
		y = (double)samples[i].billed;
		error =
		    fabs(calibration->overhead + calibration->factor * x - y);
		sum += error * error;
		mean += y / (double)n;
		calibration->worst = fmax(calibration->worst, error);
		calibration->upper =
		    fmax(calibration->upper, (y - calibration->overhead) / x);
	}
	calibration->error = sqrt(sum / (double)n) / mean;
	calibration->worst /= mean;
}

/* Combines the factor of the fitted line with the known one.  A single request
 * has no confidence interval: its factor is taken to be as uncertain as the
 * known one. */
static void
combine_factors(struct ctx_calibration *calibration, const struct sums *s,
    const struct ctx_factor_prior *prior)
{
	double fitted = calibration->factor, known, error, weight;

	if (prior == NULL || !(prior->spread > 0))
		return;
	known = prior->spread * prior->spread;
	error = isinf(calibration->spread)
	    ? known
	    : pow(calibration->spread / NORMAL / fitted, 2);
	weight = known / (known + error);
	calibration->factor =
	    prior->factor * pow(fitted / prior->factor, weight);
	calibration->spread =
	    NORMAL * calibration->factor * sqrt(weight * error);
	if (calibration->overhead > 0)
		calibration->overhead =
		    fmax(s->y - calibration->factor * s->x, 0);
}

bool
ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n,
    const struct ctx_factor_prior *prior)
{
	struct sums s;

	*calibration = (struct ctx_calibration){0};
	if (n == 0)
		return false;
	sum_samples(&s, samples, n, false);
	if (n > 2 && s.xx > 0)
		fit_line(calibration, &s, false);
	if (!(calibration->factor > 0 &&
		calibration->overhead > calibration->overhead_spread)) {
		sum_samples(&s, samples, n, true);
		if (!(s.xx > 0 && s.xy > 0))
			return false;
		fit_line(calibration, &s, true);
	}
	combine_factors(calibration, &s, prior);
	measure_error(calibration, samples, n);
	return true;
}

/*
 * Errors of the estimates for 13 kinds of text, measured in November 2026 by
 * tests/bench/texts.py (ctx-encoding(7) has the table): the root mean square of
 * their logarithms.  The factors of Claude's encodings and of Gemini are those
 * of English, code and JSON.
 */
static const struct {
	const char *vendor, *encoding; /* of the row in the table of models */
	double factor;                 /* 0: that of the row */
	double spread;
} priors[] = {
    {"google", "o200k_base", 1.19, 0.30},
    {"meta", "o200k_base", 0, 0.12},
    {"deepseek", "o200k_base", 0, 0.11},
    {"alibaba", "o200k_base", 0, 0.14},
    {"anthropic", "claude-3", 1.17, 0.25},
    {"anthropic", "claude-4.7", 1.47, 0.17},
    {"anthropic", "claude-4.8", 1.47, 0.17},
};
/* the spread of models that were not measured: the largest measured one */
#define UNMEASURED_SPREAD 0.30

bool
ctx_factor_prior_find(const struct ctx_model *model, const char *encoding,
    struct ctx_factor_prior *prior)
{
	size_t i;

	/* The row for unknown models has no name, and no factor of its own. */
	if (model->name[0] == '\0' || strcmp(encoding, "o200k_base") != 0)
		return false;
	for (i = 0; i < sizeof priors / sizeof priors[0]; i++)
		if (strcmp(priors[i].vendor, model->vendor) == 0 &&
		    strcmp(priors[i].encoding, model->encoding) == 0)
			break;
	*prior =
	    (struct ctx_factor_prior){model->factor / 100.0, UNMEASURED_SPREAD};
	if (i < sizeof priors / sizeof priors[0]) {
		prior->spread = priors[i].spread;
		if (priors[i].factor > 0)
			prior->factor = priors[i].factor;
	} else if (model->basis != CTX_BASIS_ESTIMATED ||
	    strcmp(model->encoding, encoding) != 0) {
		return false;
	}
	return prior->factor > 0;
}
