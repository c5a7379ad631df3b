/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "raw_fixture.h"

static const struct delay no_delay = {.kind = DELAY_NONE};

static void simple_profile(struct raw_profile *p, unsigned oio)
{
	*p = (struct raw_profile){.nstreams = 1, .oio = oio};
	snprintf(p->streams[0].name, sizeof(p->streams[0].name), "s");
	p->streams[0].weight = 1;
	p->streams[0].read_share = 1;
	p->streams[0].read_sizes = (struct io_sizes){1, {4096}, {1}};
	p->streams[0].write_sizes = (struct io_sizes){1, {8192}, {1}};
	p->streams[0].random_read_share = p->streams[0].random_write_share = 1;
}

static void add_stream(struct raw_profile *p, const char *name, double weight)
{
	struct io_stream *s = &p->streams[p->nstreams++];

	*s = p->streams[0];
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->weight = weight;
}

static void test_keeps_n_in_flight(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 24);
	raw_run(&r, &p, &engine_watch, NULL, 5000, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(watch.n, 5000);
	assert_int_equal(watch.most_inflight, 24);
	assert_int_equal(r.result.total.ok, 5000);
	assert_int_equal(r.result.total.offered, 5000);
	assert_int_equal(hist_count(r.result.sum->latency), 5000);
	assert_int_equal(r.result.sum->bytes[TALLY_READ], 5000 * 4096);
	assert_int_equal(raw_statement(&r, "read")->count, 5000);
	assert_int_equal(r.result.sum->inflight, 0);
	raw_run_end(&r);
}

static void test_streams_and_directions(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 8);
	p.streams[0].weight = 3;
	p.streams[0].read_share = 0.75;
	add_stream(&p, "t", 1);
	p.streams[1].read_share = 0;
	raw_run(&r, &p, &engine_watch, NULL, 12800, no_delay);
	assert_in_range(r.result.sum->types[0].ok, 9598, 9602);
	assert_in_range(r.result.sum->types[1].ok, 3198, 3202);
	assert_in_range(raw_statement(&r, "s read")->count, 7130, 7270);
	assert_int_equal(raw_statement(&r, "t write")->count, r.result.sum->types[1].ok);
	assert_int_equal(raw_statement(&r, "t write")->bytes, 8192 * r.result.sum->types[1].ok);
	assert_null(raw_statement(&r, "t read"));
	raw_run_end(&r);
}

static void test_flushes_are_no_events(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 4);
	p.streams[0].read_share = 0;
	p.streams[0].flush_every = 10;
	raw_run(&r, &p, &engine_watch, NULL, 1000, no_delay);
	assert_int_equal(r.result.total.ok, 1000);
	assert_in_range(raw_statement(&r, "flush")->count, 99, 100);
	assert_int_equal(r.result.sum->classes[TALLY_OTHER], raw_statement(&r, "flush")->count);
	raw_run_end(&r);
}

/* A stream with outstanding I/Os of its own keeps them whatever the others do. */
static void test_own_oio(void **state)
{
	unsigned open[2] = {0}, most[2] = {0};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 6);
	add_stream(&p, "log", 1);
	p.streams[1].oio = 1;
	raw_run(&r, &p, &engine_watch, NULL, 3000, no_delay);
	assert_int_equal(watch.most_inflight, 7);
	for (unsigned i = 0; i < watch.n; i++) {
		unsigned stream = watch.ios[i].request.stream;

		open[stream] = 0;
		for (unsigned k = i > 64 ? i - 64 : 0; k <= i; k++)
			open[stream] += watch.ios[k].request.stream == stream &&
			                watch.ios[k].ended > watch.ios[i].began;
		if (open[stream] > most[stream])
			most[stream] = open[stream];
	}
	assert_int_equal(most[1], 1);
	assert_int_equal(most[0], 6);
	raw_run_end(&r);
}

static void test_workers_share(void **state)
{
	struct run_config config = {.threads = 3, .time_ns = 50000000u};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 7);
	raw_run(&r, &p, &engine_null, &config, 0,
	        (struct delay){.kind = DELAY_FIXED, .mean_s = 0.001});
	assert_int_equal(r.rc, 0);
	assert_true(r.result.total.ok > 0 && r.result.total.ok <= 7 * 55);
	assert_int_equal(r.result.sum->begun, r.result.total.ok);
	raw_run_end(&r);
}

static int32_t fail_some(const struct watched_io *io, unsigned n)
{
	return n % 100 == 5   ? -EIO
	       : n % 100 == 6 ? -ENOSPC
	       : n % 100 == 7 ? 512
	                      : (int32_t)io->request.bytes;
}

static void test_failures(void **state)
{
	const struct tally_sum *s;
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 8);
	watch.result = fail_some;
	raw_run(&r, &p, &engine_watch, NULL, 10000, no_delay);
	watch.result = NULL;
	s = r.result.sum;
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.ok, 9700);
	assert_int_equal(r.result.total.failed, 300);
	assert_int_equal(hist_count(s->latency), 9700);
	assert_int_equal(s->bytes[TALLY_READ], 9700 * 4096);
	assert_int_equal(s->errors, 300);
	assert_int_equal(s->nerrors, 2);
	assert_int_equal(s->error_list[0].code, EIO);
	assert_int_equal(s->error_list[0].count, 200);
	assert_int_equal(s->error_list[1].code, ENOSPC);
	assert_int_equal(s->error_list[1].count, 100);
	raw_run_end(&r);
}

static int32_t vanish(const struct watched_io *io, unsigned n)
{
	return n >= 500 ? -ENXIO : (int32_t)io->request.bytes;
}

static void test_target_goes_away(void **state)
{
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 8);
	watch.result = vanish;
	raw_run(&r, &p, &engine_watch, NULL, 1000000, no_delay);
	watch.result = NULL;
	assert_true(r.rc != 0);
	assert_int_equal(r.result.end, RUN_END_ERROR);
	assert_non_null(strstr(r.result.err.text, "went away"));
	assert_true(watch.n < 600);
	raw_run_end(&r);
}

static void test_open_loop_counts_arrivals(void **state)
{
	struct run_config config = {.rate_per_s = 50000, .process = SCHED_POISSON};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 64);
	p.streams[0].read_share = 0.5;
	p.streams[0].flush_every = 3;
	raw_run(&r, &p, &engine_watch, &config, 5000, no_delay);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.total.offered, 5000);
	assert_int_equal(r.result.total.ok, 5000);
	assert_int_equal(r.result.total.skipped, 0);
	assert_int_equal(hist_count(r.result.sum->service), 5000);
	/* Response counts from the intended start, which is never after the actual one. */
	assert_true(hist_mean_ns(r.result.sum->latency) >= hist_mean_ns(r.result.sum->service));
	raw_run_end(&r);
}

/* One place of 2 ms cannot do 5000 per s: what could not begin is skipped, and nothing is lost. */
static void test_overload_is_skipped(void **state)
{
	struct run_config config = {
	    .rate_per_s = 5000, .process = SCHED_FIXED, .time_ns = 100000000u};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 1);
	raw_run(&r, &p, &engine_null, &config, 0,
	        (struct delay){.kind = DELAY_FIXED, .mean_s = 0.002});
	assert_int_equal(r.rc, 0);
	assert_true(r.result.total.offered >= 500);
	assert_true(r.result.total.ok <= 60);
	assert_int_equal(r.result.total.offered, r.result.total.ok + r.result.total.skipped);
	/* Those done last waited for nearly all of the run. */
	if (r.result.total.ok > 10)
		assert_true(r.result.sum->latency->max_ns > 10 * 2000000u);
	raw_run_end(&r);
}

static void test_think_time(void **state)
{
	struct run_config config = {.time_ns = 100000000u};
	struct raw_profile p;
	struct raw_run r;

	(void)state;
	simple_profile(&p, 3);
	p.streams[0].think = (struct delay){.kind = DELAY_FIXED, .mean_s = 0.01};
	raw_run(&r, &p, &engine_null, &config, 0, no_delay);
	assert_int_equal(r.rc, 0);
	assert_in_range(r.result.total.ok, 3, 3 * 11);
	raw_run_end(&r);
}

static void test_choice_of_workers(void **state)
{
	(void)state;
	assert_int_equal(raw_workers(1, 0, 8), 1);
	assert_int_equal(raw_workers(32, 0, 8), 1);
	assert_int_equal(raw_workers(256, 0, 8), 4);
	assert_int_equal(raw_workers(65536, 0, 8), 8);
	assert_int_equal(raw_workers(256, 1000, 8), 1);
	assert_int_equal(raw_workers(256, 600000, 8), 4);
	assert_int_equal(raw_workers(2, 1e9, 8), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_keeps_n_in_flight),
	    cmocka_unit_test(test_streams_and_directions),
	    cmocka_unit_test(test_flushes_are_no_events),
	    cmocka_unit_test(test_own_oio),
	    cmocka_unit_test(test_workers_share),
	    cmocka_unit_test(test_failures),
	    cmocka_unit_test(test_target_goes_away),
	    cmocka_unit_test(test_open_loop_counts_arrivals),
	    cmocka_unit_test(test_overload_is_skipped),
	    cmocka_unit_test(test_think_time),
	    cmocka_unit_test(test_choice_of_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
