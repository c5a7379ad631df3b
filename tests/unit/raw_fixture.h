/* SPDX-License-Identifier: MIT */
/*
 * raw_fixture: raw runs for tests, on the null engine or on one that the test watches: it does I/Os
 * in the order and with the results that the test wants.
 */
#ifndef IOLTP_TESTS_RAW_FIXTURE_H
#define IOLTP_TESTS_RAW_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "raw/raw_run.h"

#define WATCHED_MAX (1u << 20)

struct watched_io {
	struct io_request request;
	uint32_t slot;
	unsigned began, ended; /* numbers of the submit and of the reap; 0: not yet */
};

/* What one worker did, in order of beginning. */
struct watch {
	struct watched_io *ios;
	unsigned n, first_open, inflight, most_inflight;
	unsigned step;                                              /* counts submits and reaps */
	int32_t (*result)(const struct watched_io *io, unsigned n); /* NULL: all is well */
	bool lifo;                                                  /* the youngest is done first */
};

/* Tests have one worker at a time. */
static struct watch watch;
/* What is done in place of the profile; NULL: nothing is. */
static struct io_schedule *watch_schedule;

static int watch_open(struct engine *e, struct err *err)
{
	(void)e;
	(void)err;
	return 0;
}

static void watch_close(struct engine *e)
{
	(void)e;
}

static void watch_queue(struct engine *e, unsigned slot, const struct io_request *io)
{
	(void)e;
	if (watch.n == WATCHED_MAX)
		abort();
	watch.ios[watch.n++] = (struct watched_io){*io, slot, watch.step, 0};
	if (++watch.inflight > watch.most_inflight)
		watch.most_inflight = watch.inflight;
}

static int watch_submit(struct engine *e, uint64_t until_ns)
{
	watch.step++;
	if (watch.inflight == 0 && until_ns != 0 && until_ns != UINT64_MAX)
		clock_sleep_until(e->config.clock, until_ns, NULL);
	return 0;
}

/* One I/O at a time, so that each step of a chain is seen by itself. */
static unsigned watch_reap(struct engine *e, struct engine_done *done, unsigned max)
{
	static unsigned turn;
	unsigned i;

	(void)e;
	if (watch.inflight == 0 || max == 0 || ++turn % 2 == 0)
		return 0;
	while (watch.ios[watch.first_open].ended != 0)
		watch.first_open++;
	i = watch.first_open;
	for (unsigned k = watch.n; watch.lifo && k-- > i;) {
		if (watch.ios[k].ended == 0) {
			i = k;
			break;
		}
	}
	watch.ios[i].ended = ++watch.step;
	watch.inflight--;
	done->slot = watch.ios[i].slot;
	done->result = watch.result != NULL ? watch.result(&watch.ios[i], i)
	                                    : (int32_t)watch.ios[i].request.bytes;
	return 1;
}

static void watch_describe(const struct engine *e, struct strbuf *text)
{
	(void)e;
	strbuf_adds(text, "watched");
}

static const struct engine_ops engine_watch = {
    .name = "watch",
    .help = "a test's",
    .open = watch_open,
    .close = watch_close,
    .queue = watch_queue,
    .submit = watch_submit,
    .reap = watch_reap,
    .describe = watch_describe,
    .no_target = true,
};

struct raw_run {
	struct io_plan plan;
	struct mix mix;
	struct run run;
	struct run_result result;
	struct clock clock;
	struct err err;
	int rc;
};

/* Runs a profile on 1 GiB of nothing; `config` NULL: `events` events in the closed loop. */
static inline void raw_run(struct raw_run *r, const struct raw_profile *p,
                           const struct engine_ops *engine, const struct run_config *config,
                           uint64_t events, struct delay latency)
{
	struct raw_setup setup = {.profile = p,
	                          .engine = engine,
	                          .size_bytes = 1ull << 30,
	                          .lba_bytes = 512,
	                          .workers =
	                              config != NULL && config->threads != 0 ? config->threads : 1,
	                          .null_latency = latency,
	                          .schedule = watch_schedule,
	                          .cpus = 1};

	memset(r, 0, sizeof(*r));
	watch = (struct watch){.ios = watch.ios, .result = watch.result, .lifo = watch.lifo};
	if (watch.ios == NULL)
		watch.ios = calloc(WATCHED_MAX, sizeof(*watch.ios));
	clock_init(&r->clock, CLOCK_KIND_SYSTEM);
	if (raw_plan_init(&r->plan, &setup, &r->err) != 0 ||
	    raw_plan_mix(&r->plan, &r->mix, &r->err) != 0)
		abort();
	r->run = (struct run){
	    .clock = &r->clock, .ops = &raw_run_ops, .ops_ctx = &r->plan, .mix = &r->mix};
	if (config != NULL)
		r->run.config = *config;
	r->run.config.threads = setup.workers;
	r->run.config.seed = 5;
	r->run.config.init_timeout_ns = 10000000000u;
	r->run.config.drain_ns = 60000000000u;
	if (r->run.config.time_ns == 0)
		r->run.config.time_ns = RUN_NEVER;
	r->run.config.events = events;
	r->rc = run_execute(&r->run, &r->result);
}

static inline void raw_run_end(struct raw_run *r)
{
	run_result_fini(&r->result);
	raw_plan_fini(&r->plan);
}

static inline const struct tally_stmt *raw_statement(const struct raw_run *r, const char *label)
{
	const struct tally_sum *s = r->result.sum;

	for (unsigned i = 0; s != NULL && i < s->nstmts; i++) {
		if (strcmp(s->stmts[i].label, label) == 0)
			return &s->stmts[i];
	}
	return NULL;
}

#endif
