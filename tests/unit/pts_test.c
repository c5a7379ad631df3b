/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "raw/pts.h"

/* A drive whose 4K random writes fall to a level, and whose other cells are in proportion. */
struct drive {
	double first, fall; /* IOPS of the tracked cell in round 1, and less in each round */
	double floor;
	unsigned calls, rounds;
	unsigned fail_at; /* call; 0: never */
	int fail_rc;
	uint64_t time_ns;
	struct raw_profile last;
	uint32_t sizes[64];
	double reads[64];
};

static int run_cell(void *ctx, const struct raw_profile *p, uint64_t time_ns,
                    struct cell_figures *f, struct err *err)
{
	struct drive *d = ctx;
	const struct io_stream *s = &p->streams[0];
	double base = fmax(d->first - d->fall * d->rounds, d->floor);

	if (d->calls < 64) {
		d->sizes[d->calls] = s->read_sizes.bytes[0];
		d->reads[d->calls] = s->read_share;
	}
	d->calls++;
	d->last = *p;
	d->time_ns = time_ns;
	if (d->calls == d->fail_at)
		return d->fail_rc == -EINTR ? -EINTR : err_run(err, "broken");
	*f = (struct cell_figures){.iops_per_s =
	                               base * 4096 / s->read_sizes.bytes[0] * (1 + s->read_share),
	                           .mean_ns = 1e9 / base,
	                           .p99_ns = 2,
	                           .p99999_ns = 3,
	                           .max_ns = d->calls,
	                           .elapsed_s = (double)time_ns / 1e9};
	f->bytes_per_s = f->iops_per_s * s->read_sizes.bytes[0];
	f->written_bytes = (uint64_t)(f->bytes_per_s * (1 - s->read_share) * f->elapsed_s);
	return 0;
}

static void end_round(void *ctx, const struct pts_test *t, const struct pts_result *r)
{
	struct drive *d = ctx;

	d->rounds++;
	assert_int_equal(r->nrounds, d->rounds);
	assert_int_equal(d->calls, d->rounds * t->nmixes * t->nsizes);
}

static struct pts_test iops_test(void)
{
	return (struct pts_test){.name = "iops",
	                         .title = "IOPS",
	                         .metric = PTS_IOPS,
	                         .oio = 16,
	                         .nmixes = 2,
	                         .read_shares = {1, 0},
	                         .nsizes = 3,
	                         .size_bytes = {8192, 4096, 512},
	                         .track_mix = 1,
	                         .track_size = 1,
	                         .cell_ns = 2000000000,
	                         .rules = STEADY_RULES_PTS};
}

static int run(const struct pts_test *t, struct drive *d, struct pts_result *r, struct err *err)
{
	const struct pts_ops ops = {d, run_cell, end_round};

	*err = ERR_INIT;
	return pts_run(t, 1 << 20, &ops, r, err);
}

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
		fail_msg("%.12g instead of %.12g", a, b);
}

/* 1000, 900, 800, 700, 600, 500, 500 ...: the window 6 to 10 is the first level one, but the one
 * before already is flat enough: 600, 500, 500, 500, 500 has a range of 19.2 %, slope -20, 15.4 %.
 */
static void test_ends_when_steady(void **state)
{
	static const uint32_t sizes[] = {8192, 4096, 512, 8192, 4096, 512};
	static const double reads[] = {1, 1, 1, 0, 0, 0};
	struct drive d = {.first = 1000, .fall = 100, .floor = 500};
	struct pts_test t = iops_test();
	struct cell_figures mean;
	struct pts_result r;
	struct err err;

	(void)state;
	assert_int_equal(run(&t, &d, &r, &err), 0);
	assert_false(r.partial);
	assert_true(r.verdict.steady);
	assert_int_equal(r.nrounds, 10);
	assert_int_equal(r.verdict.first, 5);
	near(r.verdict.mean, 500);
	near(r.tracked[0], 1000);
	near(r.tracked[4], 600);
	/* The order is mixes, and in each the sizes, as given. */
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(d.sizes[i], sizes[i]);
		near(d.reads[i], reads[i]);
	}
	assert_int_equal(d.time_ns, 2000000000);
	assert_int_equal(d.last.oio, 16);
	assert_int_equal(d.last.streams[0].pattern, IO_RANDOM);
	/* Tables are of the window. */
	pts_window(&t, &r, pts_cell(&t, 0, 2), &mean);
	near(mean.iops_per_s, 500.0 * 8 * 2);
	near(mean.bytes_per_s, 500.0 * 8 * 2 * 512);
	near(mean.elapsed_s, 10);
	near(mean.max_ns, 57); /* call 3 of round 10 */
	pts_window(&t, &r, pts_cell(&t, 1, 1), &mean);
	near(mean.iops_per_s, 500);
	near(r.end_s[9], 120);
	pts_result_fini(&r);
}

static void test_never_steady(void **state)
{
	struct drive d = {.first = 1e6, .fall = 3.5e4, .floor = 1};
	struct pts_test t = iops_test();
	struct pts_result r;
	struct err err;

	(void)state;
	assert_int_equal(run(&t, &d, &r, &err), 0);
	assert_false(r.verdict.steady);
	assert_false(r.partial);
	assert_int_equal(r.nrounds, 25);
	assert_int_equal(r.verdict.first, 20);
	pts_result_fini(&r);
}

static void test_latency_is_tracked(void **state)
{
	struct drive d = {.first = 100, .floor = 100};
	struct pts_test t = iops_test();
	struct pts_result r;
	struct err err;

	(void)state;
	t.metric = PTS_LATENCY_NS;
	t.sequential = true;
	t.rules.window = 3;
	assert_int_equal(run(&t, &d, &r, &err), 0);
	assert_int_equal(r.nrounds, 3);
	near(r.verdict.mean, 1e7);
	assert_int_equal(d.last.streams[0].pattern, IO_SEQUENTIAL);
	pts_result_fini(&r);
}

/* A round that did not end counts for nothing. */
static void test_stopped(void **state)
{
	struct drive d = {.first = 100, .floor = 100, .fail_at = 16, .fail_rc = -EINTR};
	struct pts_test t = iops_test();
	struct pts_result r;
	struct err err;

	(void)state;
	assert_int_equal(run(&t, &d, &r, &err), 0);
	assert_true(r.partial);
	assert_int_equal(r.nrounds, 2);
	assert_false(r.verdict.steady);
	pts_result_fini(&r);
	d = (struct drive){.first = 100, .floor = 100, .fail_at = 3, .fail_rc = -EIO};
	assert_int_equal(run(&t, &d, &r, &err), -EIO);
	assert_string_equal(err.text, "broken");
	assert_int_equal(r.nrounds, 0);
	pts_result_fini(&r);
}

/* 100 IOPS of 4 KiB for 2 s are 819,200 bytes; the target has 1 MiB. */
static void test_series(void **state)
{
	struct drive d = {.first = 100, .floor = 100};
	struct pts_test t = iops_test();
	struct pts_result r;
	struct err err;

	(void)state;
	t.series = true;
	t.nmixes = t.nsizes = 1;
	t.read_shares[0] = 0;
	t.size_bytes[0] = 4096;
	t.track_mix = t.track_size = 0;
	t.limit_capacities = 4;
	t.limit_ns = 3600000000000;
	assert_int_equal(run(&t, &d, &r, &err), 0);
	assert_int_equal(r.nrounds, 6);
	near(r.written_bytes[4], 5 * 819200.0);
	near(r.written_bytes[5], 6 * 819200.0);
	pts_result_fini(&r);
	/* The time ends it first. */
	d = (struct drive){.first = 100, .floor = 100};
	t.limit_ns = 5000000000;
	assert_int_equal(run(&t, &d, &r, &err), 0);
	assert_int_equal(r.nrounds, 3);
	near(r.end_s[2], 6);
	pts_result_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ends_when_steady),
	    cmocka_unit_test(test_never_steady),
	    cmocka_unit_test(test_latency_is_tracked),
	    cmocka_unit_test(test_stopped),
	    cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests_name("pts", tests, NULL, NULL);
}
