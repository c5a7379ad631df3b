/* SPDX-License-Identifier: MIT */
/*
 * Each distribution is compared with its distribution function, written down here from the
 * formulas of the documentation: F(m) = the probability of an offset below m, m = 0 .. n.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/dist.h"
#include "chi2.h"

#define DRAWS    200000u
#define BINS_MAX 4096u

/* The defaults of the options. */
static const struct dist_params defaults = {
    .type = DIST_SPECIAL,
    .iter = 12,
    .special_pct = 1,
    .special_res = 75,
    .pareto_power = 7.212567439, /* ln 0.2 / ln 0.8 */
    .zipf_exp = 0.8,
    .exp_gamma = 23.02585,
};

/* ---- distribution functions ---- */

static double clamp01(double x)
{
	return x < 0 ? 0 : fmin(x, 1);
}

/* The mean of n uniforms is below x (Irwin and Hall); symmetric, and exact enough in the lower
 * half. */
static double mean_below(unsigned n, double x)
{
	double sum = 0;
	double choose = 1;
	double factorial = tgamma(n + 1.0);

	if (x <= 0)
		return 0;
	if (x > 0.5)
		return 1 - mean_below(n, 1 - x);
	for (unsigned k = 0; k <= n * x; k++) {
		sum += (k % 2 != 0 ? -choose : choose) * pow(n * x - k, n) / factorial;
		choose = choose * (n - k) / (k + 1);
	}
	return sum;
}

static double special_below(const struct dist_params *p, double n, double m)
{
	double t = n - 1;
	double plain = (100 - p->special_res) / 100;
	double band = t * p->special_pct / 100;
	/* u for which the special formula gives m; u is above `plain` there. */
	double u = clamp01((m - t / 2 + band / 2) / (band + 1));

	return plain * (t > 0 ? mean_below(p->iter, m / t) : 1) + fmax(u - plain, 0);
}

/* The sum of k^-e for k = 1 .. m: the first ones added up, the rest by Euler and Maclaurin. */
static double zipf_sum(double m, double e)
{
	const double first = 2000;
	double sum = 0;
	double integral;

	for (double k = 1; k <= fmin(m, first); k++)
		sum += pow(k, -e);
	if (m <= first)
		return sum;
	integral =
	    fabs(e - 1) < 1e-9 ? log(m / first) : (pow(m, 1 - e) - pow(first, 1 - e)) / (1 - e);
	return sum + integral + (pow(m, -e) - pow(first, -e)) / 2 -
	       e * (pow(m, -e - 1) - pow(first, -e - 1)) / 12;
}

static double below(const struct dist_params *p, enum dist_type type, double n, double m)
{
	switch (type) {
	case DIST_UNIFORM:
		return m / n;
	case DIST_GAUSSIAN:
		return mean_below(p->iter, m / n);
	case DIST_SPECIAL:
		return special_below(p, n, m);
	case DIST_PARETO:
		return pow(m / n, 1 / p->pareto_power);
	case DIST_ZIPFIAN:
		return zipf_sum(m, p->zipf_exp) / zipf_sum(n, p->zipf_exp);
	case DIST_EXPONENTIAL:
		return p->exp_gamma > 0 ? expm1(-p->exp_gamma * m / n) / expm1(-p->exp_gamma)
		                        : m / n;
	}
	return 0;
}

/* ---- bins ---- */

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Ends of bins: each value alone in a small range; else even ones, finer ones in the middle 2 % and
 * ones of growing width from the start, where the distributions have their features.
 */
static unsigned make_ends(double n, double *ends)
{
	unsigned raw = 0;
	unsigned kept = 0;

	if (n <= 1000) {
		for (double m = 1; m <= n; m++)
			ends[kept++] = m;
		return kept;
	}
	for (double i = 1; i <= 100; i++) {
		ends[raw++] = floor(n * i / 100);
		ends[raw++] = floor(n * (0.49 + 0.02 * i / 100));
		ends[raw++] = floor(pow(n, i / 100));
	}
	ends[raw++] = n;
	qsort(ends, raw, sizeof(ends[0]), compare_double);
	for (unsigned i = 0; i < raw; i++)
		if (kept == 0 || ends[i] > ends[kept - 1])
			ends[kept++] = ends[i];
	return kept;
}

static unsigned bin_of(const double *ends, unsigned bins, double offset)
{
	unsigned low = 0;
	unsigned high = bins - 1;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (offset < ends[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void check_draws(const struct dist_params *p, enum dist_type type, int64_t a, int64_t b,
                        unsigned draws)
{
	static double ends[BINS_MAX], expected[BINS_MAX];
	static uint64_t seen[BINS_MAX];
	double n = (double)((uint64_t)b - (uint64_t)a) + 1;
	unsigned bins = make_ends(n, ends);
	struct dist_zipf z = {0};
	double last = 0;
	double fit;
	struct rng r;

	rng_init(&r, 2024, (uint64_t)type, RNG_KEYS);
	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < bins; i++) {
		double f = below(p, type, n, ends[i]);

		expected[i] = (f - last) * draws;
		/* What cancellation leaves of nothing. */
		if (expected[i] < 1e-9)
			expected[i] = 1e-9;
		last = f;
	}
	for (unsigned i = 0; i < draws; i++) {
		int64_t v = dist_draw(&r, p, type, &z, a, b);

		assert_true(v >= a && v <= b);
		seen[bin_of(ends, bins, (double)((uint64_t)v - (uint64_t)a))]++;
	}
	fit = chi2_fit(seen, expected, bins);
	if (!(fit > CHI2_P_MIN))
		fail_msg("%s over [%lld, %lld]: p = %g", dist_type_name(type), (long long)a,
		         (long long)b, fit);
}

static void check_fit(const struct dist_params *p, enum dist_type type, int64_t a, int64_t b)
{
	check_draws(p, type, a, b, DRAWS);
}

struct range {
	int64_t a, b;
};

static const struct range ranges[] = {
    {0, 1},
    {1, 3},
    {-5, 5},
    {1, 100},
    {INT64_MIN, INT64_MIN + 6},
    {INT64_MAX - 6, INT64_MAX},
    {1, 10000},
    {-1000000, 1000000},
    {1, 100000000000},
    {-(1ll << 53), 1ll << 53},
    {0, INT64_MAX},
    {INT64_MIN, 0},
    {INT64_MIN, INT64_MAX},
};

static void check_ranges(const struct dist_params *p, enum dist_type type)
{
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		check_fit(p, type, ranges[i].a, ranges[i].b);
}

/* ---- one test per distribution ---- */

static void test_uniform(void **state)
{
	(void)state;
	check_ranges(&defaults, DIST_UNIFORM);
	/* A modulo would give the first third of this one twice as often. */
	check_fit(&defaults, DIST_UNIFORM, INT64_MIN, INT64_MIN / 2 + INT64_MAX);
}

static void test_gaussian(void **state)
{
	static const unsigned iters[] = {1, 2, 5, 16};
	struct dist_params p = defaults;

	(void)state;
	check_ranges(&p, DIST_GAUSSIAN);
	for (size_t i = 0; i < sizeof(iters) / sizeof(iters[0]); i++) {
		p.iter = iters[i];
		check_fit(&p, DIST_GAUSSIAN, 1, 10000);
		check_fit(&p, DIST_GAUSSIAN, INT64_MIN, INT64_MAX);
	}
}

static void test_special(void **state)
{
	static const double pcts[] = {0, 1, 30, 100};
	static const double shares[] = {0, 50, 100};
	struct dist_params p = defaults;

	(void)state;
	check_ranges(&p, DIST_SPECIAL);
	for (size_t i = 0; i < sizeof(pcts) / sizeof(pcts[0]); i++) {
		for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
			p.special_pct = pcts[i];
			p.special_res = shares[k];
			check_fit(&p, DIST_SPECIAL, 1, 10000);
			check_fit(&p, DIST_SPECIAL, -3, 3);
		}
	}
}

/* What users know of it: three quarters of the draws are in the central per cent. */
static void test_special_centre(void **state)
{
	const double inside = 0.75 + 0.25 * (mean_below(12, 0.505) - mean_below(12, 0.495));
	unsigned hits = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 11, 0, RNG_KEYS);
	for (unsigned i = 0; i < DRAWS; i++) {
		int64_t v = dist_special(&r, &defaults, 1, 1000000);

		hits += v >= 495000 && v <= 505001;
	}
	assert_true(fabs((double)hits - inside * DRAWS) < 4 * sqrt(DRAWS * inside * (1 - inside)));
}

static void test_pareto(void **state)
{
	static const double hs[] = {0.01, 0.4, 0.5, 0.9};
	struct dist_params p = defaults;

	(void)state;
	check_ranges(&p, DIST_PARETO);
	for (size_t i = 0; i < sizeof(hs) / sizeof(hs[0]); i++) {
		p.pareto_power = log(hs[i]) / log(1 - hs[i]);
		check_fit(&p, DIST_PARETO, 1, 10000);
	}
}

static void test_zipfian(void **state)
{
	static const double exponents[] = {0, 0.2, 0.99, 1, 1.0000001, 1.5, 3, 20, 63, 200};
	struct dist_params p = defaults;

	(void)state;
	check_ranges(&p, DIST_ZIPFIAN);
	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++) {
		p.zipf_exp = exponents[i];
		check_fit(&p, DIST_ZIPFIAN, 1, 100);
		check_fit(&p, DIST_ZIPFIAN, 1, 10000);
		check_fit(&p, DIST_ZIPFIAN, -100, 1000000000000);
	}
	p.zipf_exp = 1;
	check_fit(&p, DIST_ZIPFIAN, INT64_MIN, INT64_MAX);
	p.zipf_exp = 0;
	check_fit(&p, DIST_ZIPFIAN, INT64_MIN, INT64_MAX);
}

/* Ten ranks and many draws show an error of the constants that others hide. */
static void test_zipfian_closely(void **state)
{
	static const double exponents[] = {0.5, 0.8, 1, 2};
	struct dist_params p = defaults;

	(void)state;
	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++) {
		p.zipf_exp = exponents[i];
		check_draws(&p, DIST_ZIPFIAN, 1, 10, 3000000);
	}
}

/* What a client keeps of one range must not leak into the next one. */
static void test_zipfian_kept_constants(void **state)
{
	static const struct range two[] = {{1, 100}, {1, 1000000}, {INT64_MIN, INT64_MAX}};
	struct dist_params p[2] = {defaults, defaults};
	struct dist_zipf kept = {0};
	struct rng a, b;

	(void)state;
	p[1].zipf_exp = 1.2;
	rng_init(&a, 12, 0, RNG_KEYS);
	rng_init(&b, 12, 0, RNG_KEYS);
	for (unsigned i = 0; i < 3000; i++) {
		const struct range *s = &two[i % 3];
		struct dist_zipf fresh = {0};

		assert_int_equal(dist_zipfian(&a, &p[i % 2], &kept, s->a, s->b),
		                 dist_zipfian(&b, &p[i % 2], &fresh, s->a, s->b));
	}
}

static void test_exponential(void **state)
{
	static const double gammas[] = {0, 0.5, 3, 2000};
	struct dist_params p = defaults;

	(void)state;
	check_ranges(&p, DIST_EXPONENTIAL);
	for (size_t i = 0; i < sizeof(gammas) / sizeof(gammas[0]); i++) {
		p.exp_gamma = gammas[i];
		check_fit(&p, DIST_EXPONENTIAL, 1, 10000);
	}
}

/* ---- all of them ---- */

static void test_single_value_and_swapped_ends(void **state)
{
	static const int64_t values[] = {0, -1, INT64_MIN, INT64_MAX};

	(void)state;
	for (int type = DIST_UNIFORM; type <= DIST_EXPONENTIAL; type++) {
		struct dist_zipf z = {0};
		struct rng r, s;

		rng_init(&r, 13, 0, RNG_KEYS);
		for (size_t i = 0; i < 4; i++)
			for (unsigned k = 0; k < 100; k++)
				assert_int_equal(dist_draw(&r, &defaults, (enum dist_type)type, &z,
				                           values[i], values[i]),
				                 values[i]);
		s = r;
		for (unsigned k = 0; k < 1000; k++)
			assert_int_equal(
			    dist_draw(&r, &defaults, (enum dist_type)type, &z, -50, 1000),
			    dist_draw(&s, &defaults, (enum dist_type)type, &z, 1000, -50));
	}
}

/* A double has 53 bits: the low ones of a large offset must come from somewhere else. */
static void test_low_bits_of_full_range(void **state)
{
	(void)state;
	for (int type = DIST_UNIFORM; type <= DIST_EXPONENTIAL; type++) {
		uint64_t seen[256] = {0};
		struct dist_zipf z = {0};
		struct rng r;

		rng_init(&r, 14, 0, RNG_KEYS);
		for (unsigned i = 0; i < DRAWS; i++) {
			uint64_t offset = (uint64_t)dist_draw(&r, &defaults, (enum dist_type)type,
			                                      &z, INT64_MIN, INT64_MAX) -
			                  (uint64_t)INT64_MIN;

			/* Skewed distributions truly favour some of the small ones. */
			if (offset >> 40 != 0)
				seen[offset & 255]++;
		}
		assert_true(chi2_fit_even(seen, 256) > CHI2_P_MIN);
	}
}

static void test_names(void **state)
{
	enum dist_type type;

	(void)state;
	for (int i = DIST_UNIFORM; i <= DIST_EXPONENTIAL; i++) {
		assert_int_equal(dist_type_parse(dist_type_name((enum dist_type)i), &type), 0);
		assert_int_equal(type, i);
	}
	assert_string_equal(dist_type_name(DIST_ZIPFIAN), "zipfian");
	assert_true(dist_type_parse("normal", &type) < 0);
	assert_true(dist_type_parse("", &type) < 0);
}

static void test_options(void **state)
{
	struct opt_set *set = opt_set_new();
	struct dist_params p;
	struct err err = ERR_INIT;

	(void)state;
	assert_non_null(set);
	opt_set_add(set, "Random numbers", dist_options);
	dist_params_from(&p, set);
	assert_int_equal(p.type, DIST_SPECIAL);
	assert_int_equal(p.iter, 12);
	assert_true(fabs(p.special_pct - 1) < 1e-12);
	assert_true(fabs(p.special_res - 75) < 1e-12);
	assert_true(fabs(p.pareto_power - log(0.2) / log(0.8)) < 1e-12);
	assert_true(fabs(p.zipf_exp - 0.8) < 1e-12);
	/* 90 % of the draws in the first 10 % of the range. */
	assert_true(fabs(below(&p, DIST_EXPONENTIAL, 1000, 100) - 0.9) < 1e-9);

	assert_int_equal(opt_assign(set, "rand-type", "zipfian", &err), 0);
	assert_int_equal(opt_assign(set, "rand-zipfian-exp", "1.25", &err), 0);
	assert_int_equal(opt_assign(set, "rand-exp-pct", "89", &err), 0);
	dist_params_from(&p, set);
	assert_int_equal(p.type, DIST_ZIPFIAN);
	assert_true(fabs(p.zipf_exp - 1.25) < 1e-12);
	assert_true(fabs(below(&p, DIST_EXPONENTIAL, 1000, 890) - 0.9) < 1e-9);
	opt_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_uniform),
	    cmocka_unit_test(test_gaussian),
	    cmocka_unit_test(test_special),
	    cmocka_unit_test(test_special_centre),
	    cmocka_unit_test(test_pareto),
	    cmocka_unit_test(test_zipfian),
	    cmocka_unit_test(test_zipfian_closely),
	    cmocka_unit_test(test_zipfian_kept_constants),
	    cmocka_unit_test(test_exponential),
	    cmocka_unit_test(test_single_value_and_swapped_ends),
	    cmocka_unit_test(test_low_bits_of_full_range),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests_name("dist", tests, NULL, NULL);
}
