/* SPDX-License-Identifier: MIT */
/* I/Os of a schedule: all of them, in order, none before its time, and what is late is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "raw/io_replay.h"
#include "raw_fixture.h"

#define N 500u

static struct io_timed ios[N];
static struct io_schedule schedule;
static struct raw_profile profile;
static const struct delay no_delay = {.kind = DELAY_NONE};

/* Reads, writes, durable writes and flushes, some together, 200 us apart otherwise. */
static void make(unsigned oio)
{
	static const enum io_op ops[] = {IO_READ, IO_WRITE, IO_FLUSH, IO_WRITE_FUA, IO_READ};

	schedule = (struct io_schedule){.ios = ios, .n = N, .largest_bytes = 16384};
	for (unsigned i = 0; i < N; i++) {
		bool flush = ops[i % 5] == IO_FLUSH;

		ios[i] = (struct io_timed){.at_ns = i / 5 * 1000000ull + i % 5 / 2 * 200000ull,
		                           .offset_bytes = flush ? 0 : (uint64_t)i * 20480,
		                           .bytes = flush ? 0 : 4096u << (i % 3),
		                           .op = (uint8_t)ops[i % 5]};
	}
	schedule.length_ns = ios[N - 1].at_ns;
	io_replay_profile(&profile, &schedule, "trace", oio);
	watch_schedule = &schedule;
}

static void test_all_in_order(void **state)
{
	struct raw_run r;

	(void)state;
	make(64);
	raw_run(&r, &profile, &engine_watch, NULL, 0, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(watch.n, N);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(watch.ios[i].request.op, ios[i].op);
		assert_int_equal(watch.ios[i].request.offset_bytes, ios[i].offset_bytes);
		assert_int_equal(watch.ios[i].request.bytes, ios[i].bytes);
		assert_true(watch.ios[i].ended != 0);
	}
	assert_int_equal(r.result.total.ok, 400);
	assert_int_equal(raw_statement(&r, "read")->count, 200);
	assert_int_equal(raw_statement(&r, "write")->count, 200);
	assert_int_equal(raw_statement(&r, "flush")->count, 100);
	assert_int_equal(schedule.report.begun, N);
	raw_run_end(&r);
}

/* Intended times are those of the schedule: none begins before, and latency counts from there. */
static void test_at_their_times(void **state)
{
	struct delay fixed = {.kind = DELAY_FIXED, .mean_s = 0.003};
	struct raw_run r;

	(void)state;
	make(64);
	raw_run(&r, &profile, &engine_null, NULL, 0, fixed);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.ok, 400);
	assert_true(schedule.report.last_begun_ns >= schedule.length_ns);
	assert_true(hist_percentile_ns(r.result.sum->latency, 0) >= 2900000);
	raw_run_end(&r);

	/* One slot, 3 ms each, for an I/O every 0.2 ms: the last is 1.5 s late, and that counts. */
	make(1);
	raw_run(&r, &profile, &engine_null, NULL, 0, fixed);
	assert_int_equal(schedule.report.begun, N);
	assert_true(schedule.report.late >= N - 10);
	assert_true(schedule.report.late_max_ns >= (N - 1) * 3000000ull - schedule.length_ns);
	assert_true(hist_percentile_ns(r.result.sum->latency, 99) >= 1000000000u);
	raw_run_end(&r);
}

static void test_reads_alone(void **state)
{
	struct raw_run r;

	(void)state;
	make(8);
	for (unsigned i = 0; i < N; i++)
		ios[i].op = IO_READ;
	for (unsigned i = 0; i < N; i++)
		ios[i].bytes = 4096;
	io_replay_profile(&profile, &schedule, "trace", 8);
	assert_true(profile_reads_only(&profile));
	raw_run(&r, &profile, &engine_watch, NULL, 0, no_delay);
	assert_int_equal(r.result.total.ok, N);
	raw_run_end(&r);
}

static int32_t third_fails(const struct watched_io *io, unsigned n)
{
	return n == 2 ? -EIO : (int32_t)io->request.bytes;
}

static void test_failures(void **state)
{
	struct raw_run r;

	(void)state;
	make(8);
	ios[2] = ios[1];
	watch.result = third_fails;
	raw_run(&r, &profile, &engine_watch, NULL, 0, no_delay);
	watch.result = NULL;
	assert_int_equal(r.result.total.failed, 1);
	assert_int_equal(r.result.sum->errors, 1);
	raw_run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_in_order),
	    cmocka_unit_test(test_at_their_times),
	    cmocka_unit_test(test_reads_alone),
	    cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
