/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run/sched.h"

static void fixed_is_exact_over_hours(void **state)
{
	struct sched s;

	(void)state;
	/* A rate whose gap is no whole number of ns: after 3 hours the last arrival must not have
	 * drifted. */
	sched_init(&s, SCHED_FIXED, 3000, 1, 1000);
	assert_int_equal(sched_next(&s), 1000);
	for (uint64_t i = 1; i < 3000ull * 3600 * 3; i++)
		sched_next(&s);
	assert_int_equal(sched_next(&s), 1000 + 3ull * 3600 * 1000000000u);
}

static void fractional_rate(void **state)
{
	struct sched s;

	(void)state;
	sched_init(&s, SCHED_FIXED, 0.5, 1, 0);
	assert_int_equal(sched_next(&s), 0);
	assert_int_equal(sched_next(&s), 2000000000u);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Kolmogorov-Smirnov against the exponential distribution, at p = 1e-4. */
static void assert_exponential(double *gaps, int n, double mean)
{
	double worst = 0;

	qsort(gaps, (size_t)n, sizeof(*gaps), by_value);
	for (int i = 0; i < n; i++) {
		double f = 1 - exp(-gaps[i] / mean);

		worst = fmax(worst, fmax(fabs(f - (double)i / n), fabs((double)(i + 1) / n - f)));
	}
	assert_true(worst < 2.23 / sqrt(n));
}

/* Of a million arrivals, whose rate chance alone moves by 0.1 % (one standard deviation). */
static void poisson_gaps_are_exponential(void **state)
{
	static const double rates_per_s[] = {1000, 10000, 100000};
	enum { N = 1000000 };
	double *gaps = malloc(N * sizeof(*gaps));

	(void)state;
	assert_non_null(gaps);
	for (unsigned k = 0; k < sizeof(rates_per_s) / sizeof(rates_per_s[0]); k++) {
		double mean = 1e9 / rates_per_s[k];
		uint64_t last = 5000;
		struct sched s;

		sched_init(&s, SCHED_POISSON, rates_per_s[k], 42 + k, last);
		for (int i = 0; i < N; i++) {
			uint64_t t = sched_next(&s);

			assert_true(t >= last);
			gaps[i] = (double)(t - last);
			last = t;
		}
		assert_true(fabs((double)(last - 5000) / N / mean - 1) < 0.005);
		assert_exponential(gaps, N, mean);
	}
	free(gaps);
}

/* What came due, told by a second schedule, is what a first one gave out. */
static void replay_counts_what_was_given(void **state)
{
	struct sched a, b;
	uint64_t n = 0, t;

	(void)state;
	sched_init(&a, SCHED_POISSON, 1000, 7, 500);
	sched_init(&b, SCHED_POISSON, 1000, 7, 500);
	for (uint64_t until = 100000; until < 2000000000u; until += 17000000) {
		uint64_t counted = sched_count_until(&b, until);

		while (n < counted) {
			t = sched_next(&a);
			assert_true(t < until);
			n++;
		}
	}
	t = sched_next(&a);
	assert_int_equal(sched_count_until(&b, t), n);
	assert_int_equal(sched_count_until(&b, t + 1), n + 1);
}

static void limit_ends_the_arrivals(void **state)
{
	struct sched s;

	(void)state;
	sched_init(&s, SCHED_FIXED, 10, 1, 0);
	s.limit = 2;
	assert_int_equal(sched_next(&s), 0);
	assert_int_equal(sched_next(&s), 100000000);
	assert_true(sched_next(&s) == UINT64_MAX);
	assert_int_equal(sched_count_until(&s, UINT64_MAX), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fixed_is_exact_over_hours),
	    cmocka_unit_test(fractional_rate),
	    cmocka_unit_test(poisson_gaps_are_exponential),
	    cmocka_unit_test(replay_counts_what_was_given),
	    cmocka_unit_test(limit_ends_the_arrivals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
