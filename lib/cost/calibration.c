/*
 * calibration.c - estimates how many tokens of a model correspond to one token
 * of another encoding
 *
 * Fits the line billed = overhead + factor * counted by least squares, where
 * billed and counted are the tokens of a request. overhead is the number of
 * tokens that each request has but the stream does not contain, such as those
 * of a system prompt and tools.  It is 0 if there are fewer than three
 * different requests, or if it is not significantly greater than 0.
 */
#include <math.h>

#include "cost/cost.h"

/*
 * Returns the 97.5 % quantile of Student's t distribution for a number of
 * degrees of freedom (Abramowitz, Stegun 26.7.5).  It is slightly too low below
 * five degrees.
 */
static double
compute_student_quantile(size_t freedom)
{
	double z = 1.959964, n = (double)freedom, z3 = z * z * z;

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

bool
ctx_calibrate(struct ctx_calibration *calibration,
    const struct ctx_billed_sample *samples, size_t n)
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
	measure_error(calibration, samples, n);
	return true;
}
