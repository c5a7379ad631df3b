/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hist.h"
#include "base/rng.h"
#include "hist_fixture.h"

#define SAMPLES 200000u

static const double percentiles[] = {0,  0.01, 1,    10,   25,    50,      75, 90,
                                     95, 99,   99.5, 99.9, 99.99, 99.9999, 100};
#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

/* ---- five shapes of latency ---- */

static double normal(struct rng *r)
{
	return sqrt(rng_exponential(r, 2)) * cos(2 * M_PI * rng_double(r));
}

static uint64_t draw_uniform(struct rng *r)
{
	return rng_below(r, 1000000);
}

static uint64_t draw_exponential(struct rng *r)
{
	return (uint64_t)rng_exponential(r, 250000);
}

static uint64_t draw_lognormal(struct rng *r)
{
	return (uint64_t)exp(11 + 1.5 * normal(r));
}

/* A cache hit or a disk access. */
static uint64_t draw_bimodal(struct rng *r)
{
	return (uint64_t)fabs(rng_below(r, 10) < 7 ? 800 + 50 * normal(r) : 9e6 + 1e5 * normal(r));
}

/* A heavy tail that reaches beyond 24 h: infinite variance. */
static uint64_t draw_pareto(struct rng *r)
{
	return (uint64_t)(1000 * pow(1 - rng_double(r), -1 / 0.45));
}

static uint64_t (*const shapes[])(struct rng *) = {draw_uniform, draw_exponential, draw_lognormal,
                                                   draw_bimodal, draw_pareto};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct hist *new_hist(void)
{
	struct hist *h = hist_new();

	assert_non_null(h);
	return h;
}

/* ---- layout ---- */

static void test_counters_have_no_gaps(void **state)
{
	(void)state;
	assert_int_equal(hist_value_at(0), 0);
	for (uint32_t i = 0; i < HIST_COUNTS; i++) {
		uint64_t low = hist_value_at(i);
		uint64_t width = hist_width_at(i);

		if (i + 1 < HIST_COUNTS)
			assert_int_equal(low + width, hist_value_at(i + 1));
		/* Never wider than 1/1024 of what it counts. */
		assert_true(width == 1 || width * 1024 <= low);
		if (low + width - 1 <= HIST_MAX_NS) {
			assert_int_equal(hist_index(low), i);
			assert_int_equal(hist_index(low + width - 1), i);
		}
	}
	assert_true(hist_index(HIST_MAX_NS) < HIST_COUNTS);
	assert_int_equal(hist_index(UINT64_MAX), hist_index(HIST_MAX_NS));
}

/* ---- empty and extreme ---- */

static void test_empty(void **state)
{
	struct hist *h = new_hist();
	struct hist *other = new_hist();

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(hist_count(h), 0);
		assert_true(hist_mean_ns(h) == 0 && hist_stddev_ns(h) == 0);
		for (size_t i = 0; i < PERCENTILES; i++)
			assert_int_equal(hist_percentile_ns(h, percentiles[i]), 0);
		assert_int_equal(h->min_ns, UINT64_MAX);
		assert_int_equal(h->max_ns, 0);
		hist_merge(h, other);
		hist_diff(other, h, h);
		assert_int_equal(hist_count(other), 0);
		/* Again with one that was used and emptied. */
		hist_record(h, 5);
		hist_record(h, 1ull << 40);
		hist_reset(h);
	}
	hist_free(h);
	hist_free(other);
	hist_free(NULL);
}

static void test_one_value(void **state)
{
	static const uint64_t values[] = {0,
	                                  1,
	                                  2047,
	                                  2048,
	                                  2049,
	                                  123456789,
	                                  HIST_MAX_NS - 1,
	                                  HIST_MAX_NS,
	                                  HIST_MAX_NS + 1,
	                                  UINT64_MAX - 1,
	                                  UINT64_MAX};

	(void)state;
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
		struct hist *h = new_hist();

		hist_record(h, values[k]);
		assert_int_equal(hist_count(h), 1);
		assert_int_equal(h->min_ns, values[k]);
		assert_int_equal(h->max_ns, values[k]);
		assert_int_equal(h->lo, hist_index(values[k]));
		assert_int_equal(h->hi, hist_index(values[k]));
		assert_true(hist_mean_ns(h) == (double)values[k]);
		assert_true(hist_stddev_ns(h) == 0);
		for (size_t i = 0; i < PERCENTILES; i++)
			assert_int_equal(hist_percentile_ns(h, percentiles[i]), values[k]);
		hist_free(h);
	}
}

/* 1000 values: the 99.9th percentile is the 999th, not the last one. */
static void test_rank_is_exact(void **state)
{
	struct hist *h = new_hist();

	(void)state;
	for (uint64_t v = 1; v <= 1000; v++)
		hist_record(h, v);
	for (unsigned tenths = 1; tenths <= 1000; tenths++)
		assert_int_equal(hist_percentile_ns(h, tenths / 10.0), tenths);
	assert_int_equal(hist_percentile_ns(h, 0), 1);
	assert_int_equal(hist_percentile_ns(h, 99.91), 1000);
	assert_int_equal(hist_percentile_ns(h, 0.0001), 1);
	hist_free(h);
}

/* ---- against sorted samples ---- */

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t exact_percentile(const uint64_t *sorted, unsigned n, double percentile)
{
	double rank = ceil(percentile * n / 100 - 1e-6);

	return sorted[rank < 1 ? 0 : (unsigned)rank - 1];
}

static void check_percentiles(const struct hist *h, const uint64_t *sorted, unsigned n)
{
	uint64_t got_ns[PERCENTILES];

	hist_percentiles_ns(h, percentiles, PERCENTILES, got_ns);
	for (size_t i = 0; i < PERCENTILES; i++) {
		uint64_t want_ns = exact_percentile(sorted, n, percentiles[i]);
		double off_ns = fabs((double)got_ns[i] - (double)want_ns);

		assert_int_equal(got_ns[i], hist_percentile_ns(h, percentiles[i]));
		assert_true(got_ns[i] >= sorted[0] && got_ns[i] <= sorted[n - 1]);
		/* Beyond 24 h all that is known is that it is beyond. */
		if (want_ns <= HIST_MAX_NS)
			assert_true(off_ns * 2000 < (double)want_ns || off_ns == 0);
		else
			assert_true(got_ns[i] >= hist_value_at(hist_index(HIST_MAX_NS)));
	}
	assert_int_equal(got_ns[0], sorted[0]);
	assert_int_equal(got_ns[PERCENTILES - 1], sorted[n - 1]);
}

static void test_percentiles_of_shapes(void **state)
{
	uint64_t *values = calloc(SAMPLES, sizeof(values[0]));

	(void)state;
	assert_non_null(values);
	for (unsigned shape = 0; shape < SHAPES; shape++) {
		struct hist *h = new_hist();
		struct rng r;

		rng_init(&r, 21, shape, RNG_KEYS);
		for (unsigned i = 0; i < SAMPLES; i++) {
			values[i] = shapes[shape](&r);
			hist_record(h, values[i]);
		}
		qsort(values, SAMPLES, sizeof(values[0]), compare_u64);
		assert_int_equal(hist_count(h), SAMPLES);
		assert_int_equal(h->min_ns, values[0]);
		assert_int_equal(h->max_ns, values[SAMPLES - 1]);
		check_percentiles(h, values, SAMPLES);
		hist_free(h);
	}
	free(values);
}

static void test_mean_and_spread(void **state)
{
	(void)state;
	/* Without the heavy tail, whose spread is that of its one largest value. */
	for (unsigned shape = 0; shape + 1 < SHAPES; shape++) {
		struct hist *h = new_hist();
		double sum = 0;
		double squares = 0;
		double mean, spread;
		struct rng r;

		rng_init(&r, 22, shape, RNG_KEYS);
		for (unsigned i = 0; i < SAMPLES; i++) {
			uint64_t v = shapes[shape](&r);

			hist_record(h, v);
			sum += (double)v;
			squares += (double)v * (double)v;
		}
		mean = sum / SAMPLES;
		spread = sqrt(squares / SAMPLES - mean * mean);
		assert_true(fabs(hist_mean_ns(h) - mean) < mean * 1e-9);
		assert_true(fabs(hist_stddev_ns(h) - spread) < spread * 1e-3);
		hist_free(h);
	}
}

/* ---- merge and diff ---- */

static void test_merge(void **state)
{
	struct hist *all = new_hist();
	struct hist *merged = new_hist();

	(void)state;
	for (unsigned shape = 0; shape < SHAPES; shape++) {
		struct hist *part = new_hist();
		struct rng r;

		rng_init(&r, 23, shape, RNG_KEYS);
		for (unsigned i = 0; i < 10000; i++) {
			uint64_t v = shapes[shape](&r);

			hist_record(part, v);
			hist_record(all, v);
		}
		hist_merge(merged, part);
		hist_free(part);
	}
	/* As if one thread had recorded everything: extremes, sum, range and all counters. */
	assert_equal_hists(merged, all);
	hist_free(merged);
	hist_free(all);
}

static void test_diffs_add_up(void **state)
{
	struct hist *running = new_hist();
	struct hist *before = new_hist();
	struct hist *now = new_hist();
	struct hist *interval = new_hist();
	struct hist *sum = new_hist();
	struct rng r;

	(void)state;
	rng_init(&r, 24, 0, RNG_KEYS);
	for (unsigned k = 0; k < 20; k++) {
		struct hist *interval_exact = new_hist();

		/* Quiet intervals, too. */
		for (unsigned i = 0; i < 1000 * (k % 3); i++) {
			uint64_t v = shapes[k % SHAPES](&r);

			hist_record(running, v);
			hist_record(interval_exact, v);
		}
		hist_reset(now);
		hist_merge(now, running);
		hist_diff(interval, now, before);
		assert_equal_counts(interval, interval_exact);
		assert_int_equal(interval->sum_ns, interval_exact->sum_ns);
		/* The bounds of the counters, within what was ever seen. */
		if (hist_count(interval) != 0) {
			assert_int_equal(hist_index(interval->min_ns),
			                 hist_index(interval_exact->min_ns));
			assert_int_equal(hist_index(interval->max_ns),
			                 hist_index(interval_exact->max_ns));
			assert_true(interval->min_ns <= interval_exact->min_ns);
			assert_true(interval->max_ns >= interval_exact->max_ns);
			assert_true(interval->max_ns <= now->max_ns);
		}
		hist_merge(sum, interval);
		hist_reset(before);
		hist_merge(before, now);
		hist_free(interval_exact);
	}
	assert_equal_counts(sum, running);
	assert_int_equal(sum->sum_ns, running->sum_ns);
	hist_free(running);
	hist_free(before);
	hist_free(now);
	hist_free(interval);
	hist_free(sum);
}

static void test_reset_leaves_nothing(void **state)
{
	struct hist *h = new_hist();
	struct hist *fresh = new_hist();
	struct rng r;

	(void)state;
	rng_init(&r, 25, 0, RNG_KEYS);
	for (unsigned i = 0; i < 10000; i++)
		hist_record(h, draw_pareto(&r));
	hist_record(h, UINT64_MAX);
	hist_record(h, 0);
	hist_reset(h);
	assert_memory_equal(h, fresh, sizeof(*h));
	hist_free(h);
	hist_free(fresh);
}

/* Caught between the writes to a counter and to the extremes: the copy must be in order. */
static void test_merge_of_half_a_record(void **state)
{
	struct hist *h = new_hist();
	struct hist *copy = new_hist();
	uint32_t low = hist_index(1000000);
	uint32_t high = hist_index(9000000);

	(void)state;
	hist_record(h, 5000000);
	++*hist_counter(h, low);
	++*hist_counter(h, high);
	h->lo = low;
	h->hi = high;
	hist_merge(copy, h);
	assert_int_equal(hist_count(copy), 3);
	assert_int_equal(copy->min_ns, hist_value_at(low));
	assert_int_equal(copy->max_ns, hist_value_at(high) + hist_width_at(high) - 1);
	hist_free(h);
	hist_free(copy);
}

/* ---- each ---- */

struct seen {
	uint64_t count, last_ns;
	const struct hist *h;
};

static void see(void *ctx, uint64_t value_ns, uint64_t width_ns, uint64_t count)
{
	struct seen *s = ctx;
	uint32_t i = hist_index(value_ns);

	assert_true(count > 0);
	assert_true(s->count == 0 || value_ns > s->last_ns);
	assert_int_equal(value_ns, hist_value_at(i));
	assert_int_equal(width_ns, hist_width_at(i));
	assert_int_equal(count, hist_count_at(s->h, i));
	s->count += count;
	s->last_ns = value_ns;
}

static void test_each(void **state)
{
	struct hist *h = new_hist();
	struct seen s = {0, 0, h};
	struct rng r;

	(void)state;
	hist_each(h, see, &s);
	assert_int_equal(s.count, 0);
	rng_init(&r, 26, 0, RNG_KEYS);
	for (unsigned i = 0; i < 10000; i++)
		hist_record(h, draw_lognormal(&r));
	hist_each(h, see, &s);
	assert_int_equal(s.count, 10000);
	hist_free(h);
}

/* ---- a reader beside the writer ---- */

#define RECORDED 2000000u

struct writer {
	struct hist *h;
	int done;
};

static void *record_many(void *arg)
{
	struct writer *w = arg;
	struct rng r;

	rng_init(&r, 27, 0, RNG_KEYS);
	/* From long to short to long, so that the extremes keep moving in the reader's sight. */
	for (unsigned i = 0; i < RECORDED; i++)
		hist_record(w->h, rng_u64(&r) >> (20 + (i / 1000) % 40));
	__atomic_store_n(&w->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void check_interval(const struct hist *interval)
{
	for (size_t i = 0; i < PERCENTILES && hist_count(interval) != 0; i++) {
		uint64_t v = hist_percentile_ns(interval, percentiles[i]);

		assert_true(v >= interval->min_ns && v <= interval->max_ns);
	}
	if (hist_count(interval) != 0)
		assert_true(hist_mean_ns(interval) >= (double)interval->min_ns &&
		            hist_mean_ns(interval) <= (double)interval->max_ns);
}

static void test_reader_beside_writer(void **state)
{
	struct writer w = {new_hist(), 0};
	struct hist *copies[2] = {new_hist(), new_hist()};
	struct hist *interval = new_hist();
	struct hist *sum = new_hist();
	pthread_t thread;
	int done = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, record_many, &w), 0);
	for (unsigned k = 0; !done; k++) {
		struct hist *now = copies[k % 2];

		done = __atomic_load_n(&w.done, __ATOMIC_ACQUIRE);
		hist_reset(now);
		hist_merge(now, w.h);
		check_interval(now);
		hist_diff(interval, now, copies[(k + 1) % 2]);
		check_interval(interval);
		hist_merge(sum, interval);
	}
	pthread_join(thread, NULL);
	/* Each value was seen in one interval, and in only one. */
	assert_int_equal(hist_count(sum), RECORDED);
	assert_equal_counts(sum, w.h);
	assert_int_equal(sum->sum_ns, w.h->sum_ns);
	hist_free(w.h);
	hist_free(copies[0]);
	hist_free(copies[1]);
	hist_free(interval);
	hist_free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counters_have_no_gaps),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_one_value),
	    cmocka_unit_test(test_rank_is_exact),
	    cmocka_unit_test(test_percentiles_of_shapes),
	    cmocka_unit_test(test_mean_and_spread),
	    cmocka_unit_test(test_merge),
	    cmocka_unit_test(test_diffs_add_up),
	    cmocka_unit_test(test_reset_leaves_nothing),
	    cmocka_unit_test(test_merge_of_half_a_record),
	    cmocka_unit_test(test_each),
	    cmocka_unit_test(test_reader_beside_writer),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
