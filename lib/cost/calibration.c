/*
 * calibration.c - estimates how many tokens a model has for one token that ctx
 * counts in another encoding
 *
 * Fits the line billed = overhead + factor * counted, where billed and counted
 * are the tokens of a request. overhead is the number of tokens that each
 * request has but the stream does not contain, such as those of a system prompt
 * and tools.
 *
 * This is a Bayesian linear regression: both parameters have a normal prior
 * distribution.  The prior distribution of the overhead is wide: a few requests
 * change mainly the overhead, many consistent requests also the factor.
 */
#include <math.h>
#include <string.h>

#include "cost/cost.h"

/* 97.5 % quantile of the normal distribution */
#define NORMAL 1.959964

/*
 * Returns the 97.5 % quantile of Student's t distribution for a number of
 * degrees of freedom (Abramowitz, Stegun 26.7.5).  With fewer than five
 * degrees, the result is slightly too low.
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
	/* n: number of requests. x, y: means of the counted and of the billed
	 * tokens. xx, xy, yy: sums of the squares and products of the
	 * deviations from these means. */
	double n, x, y, xx, xy, yy;
};

/* Computes the sums that fit_line needs. x: number of counted tokens of a
 * request; y: number of billed tokens of the request. */
static void
sum_samples(struct sums *s, const struct ctx_billed_sample *samples, size_t n)
{
	size_t i;

	*s = (struct sums){.n = (double)n};
	for (i = 0; i < n; i++) {
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

/* Assumed deviation of a request from the fitted line, as a share of its billed
 * tokens.  The assumption counts as much as one measured request. */
#define EXPECTED_NOISE 0.01
/* assumed standard deviation of the overhead before any request is known, in
 * tokens */
#define OVERHEAD_SPREAD 20000.0

/* Returns the variance of the billed tokens around the line of least squares.
 * The variance is increased so that 95 % intervals of a normal distribution are
 * as wide as those of Student's t distribution, because the variance itself is
 * uncertain. */
static double
estimate_noise(const struct sums *s)
{
	double parameters = s->xx > 0 ? 2 : 1;
	double freedom = fmax(s->n - parameters, 0);
	double rest = s->xx > 0 ? s->yy - s->xy * s->xy / s->xx : s->yy;
	double expected = EXPECTED_NOISE * s->y;

	return (expected * expected + fmax(rest, 0)) / (1 + freedom) *
	    pow(compute_student_quantile(1 + (size_t)freedom) / NORMAL, 2);
}

/* Fits the line to the requests: solves the normal equations of both parameters
 * with their priors.  If requests with more counted tokens have fewer billed
 * tokens, the factor is that of the prior distribution.  An overhead below 0 is
 * replaced by 0. */
static void
fit_line(struct ctx_calibration *calibration, const struct sums *s,
    const struct ctx_factor_prior *prior)
{
	double noise = estimate_noise(s);
	double known = pow(prior->factor * prior->spread, -2);
	/* oo, of, ff: inverse of the covariance matrix of overhead (o) and
	 * factor (f), times noise. */
	double oo = s->n + noise * pow(OVERHEAD_SPREAD, -2);
	double of = s->n * s->x;
	double ff = s->xx + s->n * s->x * s->x + noise * known;
	double det = oo * ff - of * of;
	double o = s->n * s->y;
	double f = s->xy + s->n * s->x * s->y + noise * known * prior->factor;
	double variance = noise * oo / det;

	calibration->overhead = (ff * o - of * f) / det;
	calibration->factor = (oo * f - of * o) / det;
	if (calibration->factor <= 0) {
		calibration->factor = prior->factor;
		calibration->overhead = s->y - prior->factor * s->x;
		variance = 1 / known;
	}
	if (calibration->overhead < 0) {
		calibration->overhead = 0;
		calibration->factor = f / ff;
		variance = noise / ff;
	}
	calibration->spread = NORMAL * sqrt(variance);
	calibration->learned = 1 - variance * known;
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

bool
ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n,
    const struct ctx_factor_prior *prior)
{
	struct sums s;

	*calibration = (struct ctx_calibration){0};
	sum_samples(&s, samples, n);
	if (!(s.x > 0 && s.y > 0))
		return false;
	fit_line(calibration, &s, prior);
	measure_error(calibration, samples, n);
	return true;
}

/*
 * Factors of models for o200k_base, and the measured errors of the estimates
 * for 13 kinds of text (November 2026, tests/bench/texts.py; lib/cost/NOTES.md
 * has the table). spread: the root mean square of the logarithms of the errors;
 * if a vendor has several tokenizers, the largest.  The factors of Claude's
 * encodings and of Gemini are those of English, code and JSON.
 */
static const struct {
	/* vendor and encoding of the rows in the table of models for which the
	 * factor is valid */
	const char *vendor, *encoding;
	/* factor of the model; 0: the factor in the table of models is used */
	double factor;
	double spread;
} priors[] = {
    {"google", "o200k_base", 1.19, 0.30},
    {"meta", "o200k_base", 0, 0.12},
    {"deepseek", "o200k_base", 0, 0.11},
    {"alibaba", "o200k_base", 0, 0.19},
    {"zhipu", "o200k_base", 0, 0.10},
    {"minimax", "o200k_base", 0, 0.17},
    {"mistral", "o200k_base", 0, 0.24},
    {"anthropic", "claude-3", 1.17, 0.25},
    {"anthropic", "claude-4.7", 1.47, 0.17},
    {"anthropic", "claude-4.8", 1.47, 0.17},
};
/* spread of the factor of an exact or reconstructed encoding; the factor is
 * 1 */
#define OWN_SPREAD 0.02
/* spread of the factors of models that were not measured: more than each
 * measured spread */
#define UNMEASURED_SPREAD 0.5

void
ctx_factor_prior_find(const struct ctx_model *model, const char *encoding,
    struct ctx_factor_prior *prior)
{
	size_t i;

	*prior = (struct ctx_factor_prior){1, UNMEASURED_SPREAD};
	if (model->name[0] != '\0' && ctx_model_has_encoding(model, encoding))
		prior->spread = OWN_SPREAD;
	else if (strcmp(model->encoding, encoding) == 0 && model->factor > 0)
		prior->factor = model->factor / 100.0;
	for (i = 0;
	     i < CTX_LENGTH(priors) && strcmp(encoding, "o200k_base") == 0;
	     i++) {
		if (strcmp(priors[i].vendor, model->vendor) != 0 ||
		    strcmp(priors[i].encoding, model->encoding) != 0)
			continue;
		prior->spread = priors[i].spread;
		if (priors[i].factor > 0)
			prior->factor = priors[i].factor;
	}
}
