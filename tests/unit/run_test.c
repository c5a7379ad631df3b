/* SPDX-License-Identifier: MIT */
/* run: whole runs with work made of C: the identity of fates, phases, intervals that add up, early
 * ends. No test asserts how long something took. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/client.h"

struct work {
	unsigned sleep_us;    /* of each event */
	unsigned fail_every;  /* this event fails */
	unsigned retry_every; /* this event is tried twice */
	unsigned hang_at;     /* event number that never ends (of client 0) */
	bool init_fails, run_fails, cancels;
	unsigned ntargets;
	_Atomic unsigned hanging;
};

struct sums {
	uint64_t ok, failed, offered, skipped, unfinished, counted;
	unsigned intervals, tails, checkpoints;
	double last_end_s;
};

static int init(void *ctx, struct worker *w, struct err *err)
{
	const struct work *work = ctx;

	if (work->init_fails && w->id == 1)
		return err_run(err, "worker 1: does not want to; leave it");
	return 0;
}

static int loop(void *ctx, struct worker *w, struct err *err)
{
	struct work *work = ctx;
	struct client *c = w->clients;
	unsigned label = tally_stmt_index(c->tally, "step", 4, TALLY_READ);
	unsigned n = 0;
	bool more = client_next(c);

	while (more) {
		n++;
		if (work->hang_at != 0 && n == work->hang_at && c->id == 0) {
			work->hanging = 1;
			for (;;)
				pause();
		}
		if (work->sleep_us != 0)
			usleep(work->sleep_us);
		if (c->recording)
			tally_stmt_ok(c->tally, label, 5, 2);
		if (work->run_fails && n == 3)
			return err_run(err, "event 3: broke; mend it");
		if (work->cancels && n % 2 == 0) {
			client_done(c, EVENT_CANCELLED);
			more = client_next(c);
		} else if (work->fail_every != 0 && n % work->fail_every == 0) {
			client_done(c, EVENT_FAILED);
			more = client_next(c);
		} else if (work->retry_every != 0 && n % work->retry_every == 0 &&
		           !client_retry(c)) {
			client_done(c, EVENT_UNFINISHED);
			more = client_next(c);
		} else {
			more = client_done_next(c);
		}
	}
	return 0;
}

static void done(void *ctx, struct worker *w)
{
	(void)ctx;
	(void)w;
}

static const struct run_ops ops = {init, loop, done, NULL};

static void on_interval(void *ctx, const struct run_figures *f)
{
	struct sums *s = ctx;

	s->intervals++;
	s->tails += f->tail;
	s->ok += f->ok;
	s->failed += f->failed;
	s->offered += f->offered;
	s->skipped += f->skipped;
	s->unfinished += f->unfinished;
	s->counted += hist_count(f->sum->latency);
	assert_true(f->begin_s == s->last_end_s);
	s->last_end_s = f->end_s;
}

static void on_checkpoint(void *ctx, const struct run_figures *f)
{
	struct sums *s = ctx;

	s->checkpoints++;
	assert_int_equal(f->offered, f->ok + f->failed);
}

struct bench {
	struct clock clock;
	struct mix mix;
	struct work work;
	struct sums sums;
	struct run_sink sink;
	struct run run;
	struct run_result result;
	volatile sig_atomic_t signal;
};

static void bench_init(struct bench *b)
{
	struct mix_type t = {.name = "work", .weight = 1};
	struct err err = ERR_INIT;

	memset(b, 0, sizeof(*b));
	clock_init(&b->clock, CLOCK_KIND_SYSTEM);
	assert_int_equal(mix_add(&b->mix, &t, &err), 0);
	assert_int_equal(mix_seal(&b->mix, &err), 0);
	b->sink = (struct run_sink){&b->sums, on_interval, on_checkpoint, NULL};
	b->run.config = (struct run_config){.threads = 2,
	                                    .time_ns = RUN_NEVER,
	                                    .drain_ns = 5000000000u,
	                                    .init_timeout_ns = 10000000000u,
	                                    .stack_bytes = 262144,
	                                    .process = SCHED_POISSON,
	                                    .seed = 1};
	b->run.clock = &b->clock;
	b->run.ops = &ops;
	b->run.ops_ctx = &b->work;
	b->run.sink = &b->sink;
	b->run.mix = &b->mix;
	b->run.signal = &b->signal;
}

static void check_identity(const struct run_figures *f)
{
	assert_int_equal(f->offered, f->ok + f->failed + f->skipped + f->unfinished);
}

static void check_intervals(const struct bench *b)
{
	const struct run_figures *t = &b->result.total;

	assert_int_equal(b->sums.tails, 1);
	assert_int_equal(b->sums.ok, t->ok);
	assert_int_equal(b->sums.failed, t->failed);
	assert_int_equal(b->sums.offered, t->offered);
	assert_int_equal(b->sums.skipped, t->skipped);
	assert_int_equal(b->sums.unfinished, t->unfinished);
	assert_int_equal(b->sums.counted, hist_count(t->sum->latency));
}

static void events_are_exact(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.threads = 3;
	b.run.config.events = 1000;
	b.work.fail_every = 10;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.total.offered, 1000);
	/* 334, 333 and 333 events: 33 of each fail. */
	assert_int_equal(b.result.total.failed, 99);
	assert_int_equal(b.result.total.ok, 901);
	assert_int_equal(b.result.end, RUN_END_EVENTS);
	assert_false(b.result.partial);
	check_identity(&b.result.total);
	assert_int_equal(b.result.sum->nstmts, 1);
	assert_int_equal(b.result.sum->stmts[0].count, 1000);
	assert_int_equal(b.result.sum->stmts[0].rows, 2000);
	assert_int_equal(b.result.sum->classes[TALLY_READ], 1000);
	assert_int_equal(hist_count(b.result.sum->latency), 901);
	run_result_fini(&b.result);
}

static void time_with_warmup_and_intervals(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.time_ns = 500000000;
	b.run.config.warmup_ns = 200000000;
	b.run.config.interval_ns = 100000000;
	b.run.config.checkpoints_ns[0] = 250000000;
	b.run.config.ncheckpoints = 1;
	b.work.sleep_us = 500;
	b.work.retry_every = 7;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.end, RUN_END_TIME);
	assert_int_equal(b.sums.checkpoints, 1);
	assert_true(b.sums.intervals >= 2);
	check_intervals(&b);
	/* The last report begins at the checkpoint, the total at the start. */
	assert_true(b.result.total.ok > b.result.last.ok);
	check_identity(&b.result.last);
	check_identity(&b.result.total);
	assert_int_equal(b.result.phases.warmup_ns, 200000000);
	assert_true(b.result.sum->retries > 0);
	run_result_fini(&b.result);
}

static void open_loop_accounts_for_every_arrival(void **state)
{
	struct bench b;
	struct sched again;

	(void)state;
	bench_init(&b);
	b.run.config.threads = 1;
	b.run.config.time_ns = 400000000;
	b.run.config.interval_ns = 100000000;
	b.run.config.rate_per_s = 4000; /* one thread that takes 1 ms an event cannot keep up */
	b.work.sleep_us = 1000;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	check_identity(&b.result.total);
	check_intervals(&b);
	assert_true(b.result.total.skipped > 0);
	sched_init(&again, SCHED_POISSON, 4000, 1, 0);
	assert_int_equal(b.result.total.offered, sched_count_until(&again, 400000000));
	/* Late events count from when they were meant to start. */
	assert_true(hist_mean_ns(b.result.sum->latency) > hist_mean_ns(b.result.sum->service));
	run_result_fini(&b.result);
}

static void open_loop_with_a_number_of_events(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.rate_per_s = 5000;
	b.run.config.process = SCHED_FIXED;
	b.run.config.events = 301;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.total.offered, 301);
	assert_int_equal(b.result.total.ok, 301);
	run_result_fini(&b.result);
}

static void cancelled_events_count_nowhere(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.threads = 1;
	b.run.config.events = 50;
	b.work.cancels = true;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.total.offered, 50);
	assert_int_equal(b.result.total.ok, 50);
	assert_int_equal(b.result.sum->cancelled, 49); /* between them */
	run_result_fini(&b.result);
}

static void init_failure_is_told(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.work.init_fails = true;
	assert_true(run_execute(&b.run, &b.result) < 0);
	assert_string_equal(b.result.err.text, "worker 1: does not want to; leave it");
	assert_null(b.result.sum);
}

static void run_failure_still_reports(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.events = 1000;
	b.work.run_fails = true;
	b.work.sleep_us = 1000;
	assert_true(run_execute(&b.run, &b.result) < 0);
	assert_string_equal(b.result.err.text, "event 3: broke; mend it");
	assert_true(b.result.partial);
	assert_int_equal(b.result.end, RUN_END_ERROR);
	assert_true(b.result.total.ok >= 2);
	check_identity(&b.result.total);
	run_result_fini(&b.result);
}

static void signal_ends_early(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.signal = SIGTERM;
	b.work.sleep_us = 100;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.end, RUN_END_SIGNAL);
	assert_int_equal(b.result.signal, SIGTERM);
	assert_true(b.result.partial);
	check_identity(&b.result.total);
	run_result_fini(&b.result);
}

/* Last: it leaves a thread behind, as the program does before it ends. */
static void hanging_event_is_unfinished(void **state)
{
	static struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.time_ns = 200000000;
	b.run.config.drain_ns = 100000000;
	b.run.config.interval_ns = 100000000;
	b.work.hang_at = 4;
	b.work.sleep_us = 1000;
	assert_true(run_execute(&b.run, &b.result) < 0);
	assert_true(b.result.abandoned);
	assert_int_equal(b.result.total.unfinished, 1);
	check_identity(&b.result.total);
	check_intervals(&b);
	assert_non_null(strstr(b.result.err.text, "1 threads did not come back"));
	run_result_fini(&b.result);
}

static unsigned targets(void *ctx)
{
	return ((struct work *)ctx)->ntargets;
}

/* Client i belongs to target i modulo their number; targets may have no client. */
static void check_targets(unsigned n, bool open_loop)
{
	static const struct run_ops spread = {init, loop, done, targets};
	uint64_t ok = 0, begun = 0, failed = 0, reads = 0, counted = 0;
	struct bench b;
	struct hist *merged = hist_new();

	bench_init(&b);
	b.run.ops = &spread;
	b.run.config.threads = 5;
	b.run.config.events = 1003;
	b.run.config.rate_per_s = open_loop ? 100000 : 0;
	b.work.fail_every = 10;
	b.work.ntargets = n;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.ntargets, n);
	for (unsigned i = 0; i < n; i++) {
		const struct tally_sum *t = b.result.targets[i];

		assert_int_equal(t->ntypes, 1);
		assert_true((t->service != NULL) == open_loop);
		assert_int_equal(t->types[0].ok, t->ok);
		if (i >= 5)
			assert_int_equal(t->begun, 0);
		ok += t->ok;
		begun += t->begun;
		failed += t->failed;
		reads += t->classes[TALLY_READ];
		counted += hist_count(t->latency);
		hist_merge(merged, t->latency);
	}
	assert_int_equal(ok, b.result.sum->ok);
	assert_int_equal(begun, b.result.sum->begun);
	assert_int_equal(failed, b.result.sum->failed);
	assert_int_equal(reads, b.result.sum->classes[TALLY_READ]);
	assert_int_equal(counted, hist_count(b.result.sum->latency));
	for (double p = 1; p <= 100; p++)
		assert_int_equal(hist_percentile_ns(merged, p),
		                 hist_percentile_ns(b.result.sum->latency, p));
	/* The closed loop shares the events out beforehand: 201, 201, 201, 200, 200. */
	if (!open_loop && n == 2)
		assert_int_equal(b.result.targets[1]->begun, 401);
	hist_free(merged);
	run_result_fini(&b.result);
}

static void targets_add_up(void **state)
{
	(void)state;
	check_targets(2, false);
	check_targets(3, true);
	check_targets(8, false);
}

static void one_target_has_no_list(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.config.events = 10;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(b.result.ntargets, 0);
	assert_null(b.result.targets);
	run_result_fini(&b.result);
}

/* What a probe hears: the plan first, each event that counted, the window's two ends. */
struct heard {
	_Atomic uint64_t ok, failed, before_window;
	uint64_t begin_ns;
	unsigned planned, opened, closed;
	_Atomic unsigned workers; /* told of before they begin */
	bool refuses;
};

static int hear_worker(void *ctx, unsigned worker, struct err *err)
{
	struct heard *h = ctx;

	assert_true(worker < 2);
	h->workers++;
	return h->refuses ? err_run(err, "probe: no room") : 0;
}

static void hear_event(void *ctx, const struct run_event *e)
{
	struct heard *h = ctx;

	if (e->failed)
		h->failed++;
	else
		h->ok++;
	if (e->intended_ns < h->begin_ns || e->end_ns < e->intended_ns || e->owner > 1)
		h->before_window++;
}

static void hear_plan(void *ctx, uint64_t begin_ns, uint64_t end_ns)
{
	struct heard *h = ctx;

	assert_true(end_ns > begin_ns);
	assert_int_equal(h->opened, 0);
	h->begin_ns = begin_ns;
	h->planned++;
}

static void hear_window(void *ctx, bool open)
{
	struct heard *h = ctx;

	assert_int_equal(h->planned, 1);
	if (open)
		h->opened++;
	else
		h->closed++;
	assert_true(h->closed <= h->opened);
}

static void probe_hears_what_counts(void **state)
{
	struct heard h = {0};
	const struct run_probe probe = {&h, hear_worker, hear_event, hear_plan, hear_window};
	struct bench b;

	(void)state;
	bench_init(&b);
	b.run.probe = &probe;
	b.run.config.threads = 2;
	b.run.config.warmup_ns = 50000000;
	b.run.config.time_ns = 100000000;
	b.work.sleep_us = 500;
	b.work.fail_every = 5;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(h.workers, 2);
	assert_int_equal(h.ok, b.result.sum->ok);
	assert_int_equal(h.failed, b.result.sum->failed);
	assert_true(h.ok > 0 && h.failed > 0);
	assert_int_equal(h.before_window, 0);
	assert_int_equal(h.opened, 1);
	assert_int_equal(h.closed, 1);
	run_result_fini(&b.result);
	/* Called off by the script: counts nowhere, and is not told. */
	h = (struct heard){0};
	bench_init(&b);
	b.run.probe = &probe;
	b.run.config.threads = 1;
	b.run.config.events = 20;
	b.work.cancels = true;
	assert_int_equal(run_execute(&b.run, &b.result), 0);
	assert_int_equal(h.ok, b.result.sum->ok);
	assert_int_equal(h.failed, 0);
	assert_int_equal(h.closed, 1);
	run_result_fini(&b.result);
	/* One that cannot listen keeps the run from starting. */
	h = (struct heard){.refuses = true};
	bench_init(&b);
	b.run.probe = &probe;
	b.run.config.threads = 1;
	b.run.config.events = 20;
	assert_int_not_equal(run_execute(&b.run, &b.result), 0);
	assert_string_equal(b.result.err.text, "probe: no room");
	assert_int_equal(h.planned, 0);
	run_result_fini(&b.result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(events_are_exact),
	    cmocka_unit_test(time_with_warmup_and_intervals),
	    cmocka_unit_test(open_loop_accounts_for_every_arrival),
	    cmocka_unit_test(open_loop_with_a_number_of_events),
	    cmocka_unit_test(cancelled_events_count_nowhere),
	    cmocka_unit_test(init_failure_is_told),
	    cmocka_unit_test(run_failure_still_reports),
	    cmocka_unit_test(signal_ends_early),
	    cmocka_unit_test(hanging_event_is_unfinished),
	    cmocka_unit_test(targets_add_up),
	    cmocka_unit_test(one_target_has_no_list),
	    cmocka_unit_test(probe_hears_what_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
