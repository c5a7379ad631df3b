/* SPDX-License-Identifier: MIT */
/* Quantiles, intervals and their coverage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "report/cmp_stat.h"

/* From numerical integration of the density. */
#define CDF_2_5          0.8760817734568538
#define CDF_0_7          0.7798174514903775
#define WELCH_DIFFERENCE 2.1666666666666667
#define WELCH_WIDTH      1.817429600474258

static void assert_near(double got, double want, double error)
{
	if (!(fabs(got - want) <= error))
		fail_msg("%.12g instead of %.12g", got, want);
}

/* ---- Student's t ---- */

/* From printed tables, and closed forms of 1 and 2 degrees of freedom. */
static void quantiles(void **state)
{
	static const struct {
		double p, df, t;
	} known[] = {
	    {0.975, 1, 12.7062047364},  {0.975, 2, 4.30265272991},   {0.975, 4, 2.7764451052},
	    {0.975, 10, 2.22813885196}, {0.975, 30, 2.0422724563},   {0.975, 1000, 1.9623390808},
	    {0.95, 5, 2.01504837333},   {0.9995, 3, 12.92397863669}, {0.75, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_near(cmp_t_quantile(known[i].p, known[i].df), known[i].t, 1e-8 * known[i].t);
		assert_near(cmp_t_quantile(1 - known[i].p, known[i].df), -known[i].t,
		            1e-8 * known[i].t);
	}
	assert_near(cmp_t_quantile(0.5, 7), 0, 1e-12);
	/* So many degrees of freedom are nearly the normal distribution. */
	assert_near(cmp_t_quantile(0.975, 1e6), 1.9599663567, 1e-8);
	for (double p = 0.55; p < 1; p += 0.1)
		assert_near(cmp_t_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)), 1e-9);
}

/* Degrees of freedom that are not whole, against an integral of the density. */
static void fractions(void **state)
{
	(void)state;
	assert_near(cmp_t_cdf(1.5, 2.5), CDF_2_5, 1e-9);
	assert_near(cmp_t_cdf(1.5, 0.7), CDF_0_7, 1e-9);
	assert_near(cmp_t_cdf(-1.5, 2.5), 1 - CDF_2_5, 1e-9);
	assert_near(cmp_t_cdf(0, 3), 0.5, 1e-12);
}

/* ---- repeats ---- */

/* Worked example of unequal variances; the interval is from an independent integration. */
static void welch(void **state)
{
	static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
	                           21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
	static const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
	                           24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};
	struct cmp_difference d = cmp_differ(cmp_of_repeats(a, 15), cmp_of_repeats(b, 15), true);

	(void)state;
	assert_true(d.known);
	assert_near(d.absolute, WELCH_DIFFERENCE, 1e-9);
	assert_near(d.absolute_high - d.absolute, WELCH_WIDTH, 1e-8);
	assert_near(d.absolute - d.absolute_low, WELCH_WIDTH, 1e-8);
	assert_near(d.relative, WELCH_DIFFERENCE / (312.3 / 15), 1e-9);
	assert_true(d.relative_low > 0 && d.relative_high < 0.25);
}

/* One run against three: it varies as they do. s = 1, n = 3: t(2) * sqrt(1 + 1/3). */
static void one_against_three(void **state)
{
	static const double three[] = {9, 10, 11}, one[] = {14};
	struct cmp_estimate a = cmp_of_repeats(three, 3), b = cmp_of_repeats(one, 1);
	struct cmp_difference d = cmp_differ(a, b, true);

	(void)state;
	assert_true(d.known);
	assert_near(d.absolute_high - 4, 4.30265272991 * sqrt(4.0 / 3), 1e-6);
	d = cmp_differ(b, a, true);
	assert_near(d.absolute_high + 4, 4.30265272991 * sqrt(4.0 / 3), 1e-6);
	assert_near(d.relative_high + 4.0 / 14, 4.30265272991 * sqrt(4.0 / 3) / 14, 1e-6);
	assert_false(cmp_differ(a, b, false).known);
}

static void too_few(void **state)
{
	static const double v[] = {1, 2};
	struct cmp_estimate one = cmp_of_repeats(v, 1);

	(void)state;
	assert_true(isnan(cmp_of_repeats(v, 0).value));
	assert_true(one.value == 1 && isnan(one.error) && one.df == 0);
	assert_false(cmp_differ(one, one, true).known);
	assert_false(cmp_differ(cmp_of_intervals(v, v, 2), cmp_of_intervals(v, v, 2), false).known);
	assert_true(isnan(cmp_of_intervals(v, v, 0).value));
}

/* ---- intervals ---- */

/* Rates with intervals of unlike length are the sum over the sum, not the mean of rates. */
static void ratio(void **state)
{
	static const double events[] = {100, 210, 95, 50}, seconds[] = {1, 2, 1, 0.5};
	struct cmp_estimate e = cmp_of_intervals(events, seconds, 4);

	(void)state;
	assert_near(e.value, 455 / 4.5, 1e-9);
	assert_true(e.error > 0 && e.df == 3);
}

static double normal(struct rng *r)
{
	return sqrt(-2 * log(1 - rng_double(r))) * cos(2 * M_PI * rng_double(r));
}

/* A run's intervals: mean 1000, neighbours correlated by `alike`. */
static struct cmp_estimate simulate(struct rng *r, size_t n, double alike, double mean)
{
	double v[512], ones[512], x = normal(r);

	for (size_t i = 0; i < n; i++) {
		x = alike * x + sqrt(1 - alike * alike) * normal(r);
		v[i] = mean + 20 * x;
		ones[i] = 1;
	}
	return cmp_of_intervals(v, ones, n);
}

/* Per cent of pairs of like runs between which a difference is seen. */
static double seen(size_t n, double alike, double step)
{
	unsigned trials = 2000, differ = 0, known = 0;
	struct rng r;

	rng_init(&r, 42, n, RNG_KEYS);
	for (unsigned i = 0; i < trials; i++) {
		struct cmp_difference d = cmp_differ(simulate(&r, n, alike, 1000),
		                                     simulate(&r, n, alike, 1000 + step), false);

		known += d.known;
		differ += d.known && (d.absolute_low > 0 || d.absolute_high < 0);
	}
	assert_true(known > trials / 2);
	return 100.0 * differ / known;
}

/* Of like runs 5 % are called different; those whose intervals are alike not many more. */
static void coverage(void **state)
{
	double independent = seen(30, 0, 0), few = seen(6, 0, 0);
	double alike = seen(120, 0.5, 0), very = seen(400, 0.8, 0);

	(void)state;
	if (independent < 3 || independent > 7 || few < 2 || few > 8)
		fail_msg("independent: %.1f %%, few: %.1f %%", independent, few);
	if (alike > 10 || very > 10)
		fail_msg("alike: %.1f %%, very: %.1f %%", alike, very);
	/* And what differs is seen: by 2 % with a deviation of 2 %. */
	assert_true(seen(30, 0, 20) > 90);
}

/* Nothing is certain of a run that climbs all the time. */
static void trend(void **state)
{
	double v[40], ones[40];
	struct cmp_estimate e;

	(void)state;
	for (int i = 0; i < 40; i++) {
		v[i] = 100 + i;
		ones[i] = 1;
	}
	e = cmp_of_intervals(v, ones, 40);
	assert_near(e.value, 119.5, 1e-9);
	/* Independent, they would have sqrt(var / 40) = 1.85. */
	assert_true(isnan(e.error) || e.error > 3.5);
}

/* ---- percentiles ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double p95(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[(size_t)ceil(0.95 * (double)n) - 1];
}

/* Of 20 intervals of 200 events: the true percentile lies outside as often as it may. */
static void sections(void **state)
{
	enum { PARTS = 20, EACH = 200, TRIALS = 400 };
	double all[PARTS * EACH], part[EACH];
	double parts[PARTS], truth = -log(0.05);
	unsigned missed = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 7, 1, RNG_KEYS);
	for (int trial = 0; trial < TRIALS; trial++) {
		struct cmp_estimate e;

		for (int i = 0; i < PARTS; i++) {
			for (int j = 0; j < EACH; j++)
				part[j] = all[i * EACH + j] = rng_exponential(&r, 1);
			parts[i] = p95(part, EACH);
		}
		e = cmp_of_sections(p95(all, PARTS * EACH), parts, PARTS);
		missed += fabs(e.value - truth) > e.error * cmp_t_quantile(0.975, e.df);
	}
	if (missed < TRIALS / 100 || missed > TRIALS * 8 / 100)
		fail_msg("%u of %d missed", missed, TRIALS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quantiles), cmocka_unit_test(fractions),
	    cmocka_unit_test(welch),     cmocka_unit_test(one_against_three),
	    cmocka_unit_test(too_few),   cmocka_unit_test(ratio),
	    cmocka_unit_test(coverage),  cmocka_unit_test(trend),
	    cmocka_unit_test(sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
