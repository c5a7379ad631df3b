/* SPDX-License-Identifier: MIT */
/* Histograms are alike when their counters are: the same counters may lie in another order. */
#ifndef IOLTP_TESTS_HIST_FIXTURE_H
#define IOLTP_TESTS_HIST_FIXTURE_H

#include "base/hist.h"

static inline void assert_equal_counts(const struct hist *a, const struct hist *b)
{
	for (uint32_t i = 0; i < HIST_COUNTS; i++)
		assert_int_equal(hist_count_at(a, i), hist_count_at(b, i));
}

static inline void assert_equal_hists(const struct hist *a, const struct hist *b)
{
	assert_equal_counts(a, b);
	assert_int_equal(a->min_ns, b->min_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_int_equal(a->sum_ns, b->sum_ns);
	assert_int_equal(a->lo, b->lo);
	assert_int_equal(a->hi, b->hi);
}

#endif
