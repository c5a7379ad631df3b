/* SPDX-License-Identifier: MIT */
#include "report/cmp_stat.h"

#include <math.h>
#include <stdlib.h>

/* Of the fraction for the incomplete beta function: far more than any of our arguments needs. */
#define BETA_STEPS 500
#define BETA_EXACT 1e-15
#define BETA_TINY  1e-300
/* Bisection halves this often: beyond the last bit of a double. */
#define HALVINGS 200

/* Below that many batches the error of the error is what would be measured. */
#define BATCHES_MIN 10
/* Standard deviations above which neighbours are alike: 5 % of independent ones are, by chance. */
#define ALIKE_LIMIT 1.645
/* Independent pieces that a standard error needs at least. */
#define PIECES_MIN 3.0

/* ---- Student's t ---- */

/* Continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < BETA_TINY ? BETA_TINY : d);
	h = d;
	for (int m = 1; m <= BETA_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < BETA_TINY ? BETA_TINY : d);
		c = fabs(c) < BETA_TINY ? BETA_TINY : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < BETA_TINY ? BETA_TINY : d);
		c = fabs(c) < BETA_TINY ? BETA_TINY : c;
		h *= d * c;
		if (fabs(d * c - 1) < BETA_EXACT)
			break;
	}
	return h;
}

/* lgamma without the global sign that the library's has. */
static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* Regularized incomplete beta function; `rest` is 1 - x, known more exactly than that is. */
static double beta_share(double a, double b, double x, double rest)
{
	double front;

	if (x <= 0)
		return 0;
	if (rest <= 0)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(rest));
	/* The fraction converges fast on this side only. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, rest) / b;
}

double cmp_t_cdf(double t, double df)
{
	double tail = beta_share(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t)) / 2;

	return t > 0 ? 1 - tail : tail;
}

double cmp_t_quantile(double p, double df)
{
	double low = -1, high = 1;

	if (p < 0.5)
		return -cmp_t_quantile(1 - p, df);
	while (cmp_t_cdf(high, df) < p && high < 1e300)
		high *= 2;
	low = 0;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = low + (high - low) / 2;

		if (cmp_t_cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

/* ---- estimates ---- */

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

/* Sum of squares around `center`. */
static double squares_around(const double *v, size_t n, double center)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - center) * (v[i] - center);
	return sum;
}

/* Correlation of each piece with the next; 0 where all are equal. */
static double neighbours(const double *v, size_t n)
{
	double mean = mean_of(v, n), squares = squares_around(v, n, mean), sum = 0;

	for (size_t i = 0; i + 1 < n; i++)
		sum += (v[i] - mean) * (v[i + 1] - mean);
	return squares > 0 ? sum / squares : 0;
}

static bool are_alike(const double *v, size_t n)
{
	/* Independent pieces have -1/n on average, with a deviation of 1/sqrt(n). */
	return neighbours(v, n) > ALIKE_LIMIT / sqrt((double)n) - 1 / (double)n;
}

/*
 * Standard error of `value` from pieces of it. Those that are still alike count as fewer, as in a
 * first-order autoregressive series.
 */
static void put_error(struct cmp_estimate *e, const double *v, size_t n, double center)
{
	double pieces = (double)n, r;

	if (n < 2)
		return;
	if (are_alike(v, n)) {
		r = neighbours(v, n);
		pieces *= (1 - r) / (1 + r);
	}
	if (pieces < PIECES_MIN)
		return;
	e->df = pieces - 1;
	e->error = sqrt(squares_around(v, n, center) / (double)(n - 1) / pieces);
}

static struct cmp_estimate estimate(double value, size_t n)
{
	return (struct cmp_estimate){.value = value, .error = NAN, .df = 0, .n = n};
}

struct cmp_estimate cmp_of_repeats(const double *values, size_t n)
{
	struct cmp_estimate e = estimate(n > 0 ? mean_of(values, n) : NAN, n);

	if (n < 2)
		return e;
	e.df = (double)(n - 1);
	e.error = sqrt(squares_around(values, n, e.value) / e.df / (double)n);
	return e;
}

/* Joins pairs of pieces; one that is left over at the front goes, as runs begin unsteadily. */
static size_t join_pairs(double *v, size_t n)
{
	size_t odd = n % 2;

	for (size_t i = 0; i < n / 2; i++)
		v[i] = (v[odd + 2 * i] + v[odd + 2 * i + 1]) / 2;
	return n / 2;
}

struct cmp_estimate cmp_of_intervals(const double *top, const double *bottom, size_t n)
{
	struct cmp_estimate e = estimate(NAN, n);
	double *pieces, bottom_mean;

	if (n == 0)
		return e;
	bottom_mean = mean_of(bottom, n);
	if (bottom_mean <= 0)
		return e;
	e.value = mean_of(top, n) / bottom_mean;
	pieces = malloc(n * sizeof(*pieces));
	if (pieces == NULL)
		return e;
	/* What each interval says of the ratio, made linear: their mean is the ratio itself. */
	for (size_t i = 0; i < n; i++)
		pieces[i] = e.value + (top[i] - e.value * bottom[i]) / bottom_mean;
	while (n / 2 >= BATCHES_MIN && are_alike(pieces, n))
		n = join_pairs(pieces, n);
	put_error(&e, pieces, n, mean_of(pieces, n));
	free(pieces);
	return e;
}

struct cmp_estimate cmp_of_sections(double whole, const double *values, size_t n)
{
	struct cmp_estimate e = estimate(whole, n);

	if (isfinite(whole))
		put_error(&e, values, n, whole);
	return e;
}

/* ---- differences ---- */

/* Half the width of the interval for variances of both sides, with Welch's degrees of freedom. */
static double half_width(double base_variance, double base_df, double new_variance, double new_df)
{
	double sum = base_variance + new_variance, df;

	if (sum <= 0)
		return 0;
	df = sum * sum /
	     (base_variance * base_variance / base_df + new_variance * new_variance / new_df);
	return cmp_t_quantile((1 + CMP_CONFIDENCE) / 2, df) * sqrt(sum);
}

/* A single piece varies as each of the other side's n does, whose mean has the error of one over
 * sqrt(n): both errors rest on the same degrees of freedom then, and add up as one. */
static double half_width_single(double error, double df)
{
	return cmp_t_quantile((1 + CMP_CONFIDENCE) / 2, df) * error * sqrt(df + 2);
}

struct cmp_difference cmp_differ(struct cmp_estimate base, struct cmp_estimate new, bool single)
{
	struct cmp_difference d = {.absolute = new.value - base.value};
	double factor = new.value / base.value, width = NAN, relative_width = NAN;
	double base_own = base.error / fabs(base.value), new_own = new.error / fabs(new.value);

	d.relative = base.value != 0 ? factor - 1 : NAN;
	if (base.df > 0 && new.df > 0) {
		width = half_width(base.error * base.error, base.df, new.error *new.error, new.df);
		relative_width = fabs(factor) * half_width(base_own * base_own, base.df,
		                                           new_own * new_own, new.df);
	} else if (single && (base.df > 0 || new.df > 0)) {
		width = base.df > 0 ? half_width_single(base.error, base.df)
		                    : half_width_single(new.error, new.df);
		relative_width = width / fabs(base.value);
	}
	d.known = isfinite(width) && isfinite(d.absolute);
	d.absolute_low = d.absolute - width;
	d.absolute_high = d.absolute + width;
	d.relative_low = d.relative - relative_width;
	d.relative_high = d.relative + relative_width;
	return d;
}
