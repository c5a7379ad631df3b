/* SPDX-License-Identifier: MIT */
/*
 * chi2: does a sample fit a distribution? For tests with fixed seeds: a fit that is refused at 1 in
 * 10,000 is a fault of the code, not bad luck that comes and goes.
 */
#ifndef IOLTP_TESTS_CHI2_H
#define IOLTP_TESTS_CHI2_H

#include <math.h>
#include <stdint.h>

#define CHI2_P_MIN 1e-4

/* Probability of a statistic at least this large (Wilson and Hilferty's approximation). */
static inline double chi2_p(double statistic, double freedom)
{
	double v = 2 / (9 * freedom);
	double z = (cbrt(statistic / freedom) - (1 - v)) / sqrt(v);

	return erfc(z / sqrt(2)) / 2;
}

/*
 * The p-value of `seen` against `expected` counts in n bins. Neighbours are joined until each
 * expects 10 or more, as the statistic wants. 0 when something was seen where nothing can be.
 */
static inline double chi2_fit(const uint64_t *seen, const double *expected, unsigned n)
{
	double statistic = 0;
	double want = 0;
	double got = 0;
	double freedom = -1;

	for (unsigned i = 0; i < n; i++) {
		double rest = 0;

		if (expected[i] <= 0 && seen[i] > 0)
			return 0;
		want += expected[i];
		got += (double)seen[i];
		for (unsigned k = i + 1; k < n; k++)
			rest += expected[k];
		/* The last bin takes a tail that is too thin for its own. */
		if (want < 10 || (rest < 10 && i + 1 < n))
			continue;
		statistic += (got - want) * (got - want) / want;
		freedom++;
		want = 0;
		got = 0;
	}
	/* One bin left: all or nothing, which the checks above decide. */
	return freedom < 1 ? 1 : chi2_p(statistic, freedom);
}

/* The same with equal expectations. */
static inline double chi2_fit_even(const uint64_t *seen, unsigned n)
{
	double statistic = 0;
	double total = 0;

	for (unsigned i = 0; i < n; i++)
		total += (double)seen[i];
	for (unsigned i = 0; i < n; i++) {
		double d = (double)seen[i] - total / n;

		statistic += d * d / (total / n);
	}
	return chi2_p(statistic, n - 1);
}

#endif
