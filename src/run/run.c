/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/cpu.h"
#include "run/client.h"
#include "run/ticker.h"
#include "run/worker.h"

void run_stop(struct run *run, enum run_end why, const struct err *err)
{
	uint64_t now = clock_now_ns(run->clock);
	uint64_t end;

	pthread_mutex_lock(&run->lock);
	/* Reaching the end of the time is no early end, and an error found in the drain still is an
	 * error. */
	if (!run->stop || (why == RUN_END_ERROR && run->end != RUN_END_ERROR)) {
		run->end = why;
		if (err != NULL && !err_is_set(&run->err))
			run->err = *err;
	}
	end = atomic_load(&run->end_ns);
	if (now < end)
		atomic_store(&run->end_ns, now);
	__atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

static int prepare(struct run *run)
{
	pthread_condattr_t attr;

	run->stop = 0;
	run->ready = run->running = 0;
	run->go = run->init_failed = false;
	run->err = ERR_INIT;
	run->end = RUN_END_EVENTS;
	atomic_store(&run->end_ns, RUN_NEVER);
	pthread_mutex_init(&run->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&run->changed, &attr);
	pthread_condattr_destroy(&attr);
	return workers_new(run);
}

static void set_times(struct run *run)
{
	const struct run_config *c = &run->config;

	/* A moment ahead, so that the first arrivals are not late by the time that it takes to wake
	 * the workers. */
	run->start_ns = clock_now_ns(run->clock) + (c->rate_per_s > 0 ? 1000000u : 0u);
	run->measure_ns = run->start_ns + c->warmup_ns;
	atomic_store(&run->end_ns,
	             c->time_ns == RUN_NEVER ? RUN_NEVER : run->measure_ns + c->time_ns);
	sched_init(&run->arrivals, c->rate_per_s > 0 ? c->process : SCHED_CLOSED, c->rate_per_s,
	           c->seed, run->start_ns);
	for (unsigned i = 0; i < c->threads; i++)
		run->clients[i].due_ns = run->start_ns;
}

static void own_cost(struct run *run, struct run_result *res)
{
	double span_s = (double)(clock_now_ns(run->clock) - run->start_ns) / 1e9;
	unsigned cpus = cpu_available();
	struct cpu_usage u;

	for (unsigned i = 0; i < run->config.threads && !res->abandoned; i++) {
		res->cpu_user_s += (double)run->workers[i].cpu_user_ns / 1e9;
		res->cpu_system_s += (double)run->workers[i].cpu_system_ns / 1e9;
	}
	if (span_s > 0)
		res->cpu_share = (res->cpu_user_s + res->cpu_system_s) / (span_s * cpus);
	cpu_usage_process(&u);
	res->ctx_switches = u.ctx_voluntary + u.ctx_involuntary;
	res->max_rss_bytes = u.max_rss_bytes;
	res->clock_kind = clock_kind_name(run->clock);
	res->clock_cost_ns = clock_read_cost_ns(run->clock);
	res->clock_drift_ppm = clock_drift_ppm(run->clock);
}

static void conclude(struct run *run, struct run_result *res, bool abandoned)
{
	const struct run_config *c = &run->config;

	res->abandoned = abandoned;
	res->end = run->end;
	res->err = run->err;
	res->signal = run->end == RUN_END_SIGNAL && run->signal != NULL ? (int)*run->signal : 0;
	res->partial = run->end == RUN_END_SIGNAL || run->end == RUN_END_ERROR;
	if (abandoned && !c->drain_forced && !err_is_set(&res->err)) {
		struct tally_sum *sum = tally_sum_new(run->tallies, c->threads, false);
		uint64_t since = sum != NULL ? sum->oldest_inflight_ns : 0;

		res->end = RUN_END_ERROR;
		err_run(&res->err,
		        "run: %u threads did not come back within %.0f s after the end (oldest "
		        "event: %.1f s); the script "
		        "loops or the database hangs; raise --drain-time or set --forced-shutdown",
		        sum != NULL ? sum->inflight : 0, (double)c->drain_ns / 1e9,
		        since != 0 ? (double)(clock_now_ns(run->clock) - since) / 1e9 : 0);
		tally_sum_free(sum);
	}
	own_cost(run, res);
}

static void phases(struct run *run, struct run_result *res, uint64_t began_ns, uint64_t drained_ns)
{
	uint64_t end = atomic_load(&run->end_ns);

	if (end > drained_ns)
		end = drained_ns;
	res->phases.setup_ns = run->start_ns - began_ns;
	res->phases.warmup_ns = end < run->measure_ns ? end - run->start_ns : run->config.warmup_ns;
	res->phases.measure_ns = end > run->measure_ns ? end - run->measure_ns : 0;
	res->phases.drain_ns = drained_ns - end;
}

int run_execute(struct run *run, struct run_result *res)
{
	uint64_t began = clock_now_ns(run->clock);
	struct ticker ticker;
	int rc;

	*res = (struct run_result){
	    .end = RUN_END_ERROR, .partial = true, .clock_kind = clock_kind_name(run->clock)};
	rc = prepare(run);
	if (rc != 0) {
		err_run(&res->err, "threads: out of memory for %u; use fewer --threads",
		        run->config.threads);
		goto free_workers;
	}
	rc = workers_start(run);
	if (rc != 0) {
		res->err = run->err;
		goto free_workers;
	}
	if (run->sink != NULL && run->sink->started != NULL)
		run->sink->started(run->sink->ctx);
	set_times(run);
	res->phases.wall_start_s =
	    (int64_t)time(NULL) + (int64_t)(run->config.warmup_ns / 1000000000u);
	ticker_init(&ticker, run);
	workers_go(run);
	ticker_loop(&ticker);
	phases(run, res, began, clock_now_ns(run->clock));
	if (!ticker.abandoned)
		workers_join(run);
	rc = ticker_final(&ticker, res);
	if (rc != 0)
		err_run(&res->err,
		        "report: out of memory; use fewer --threads or transaction types");
	else
		conclude(run, res, ticker.abandoned);
	ticker_fini(&ticker);
	if (ticker.abandoned)
		return err_is_set(&res->err) ? -EIO : rc;
free_workers:
	workers_free(run);
	pthread_cond_destroy(&run->changed);
	pthread_mutex_destroy(&run->lock);
	if (rc == 0 && err_is_set(&res->err))
		rc = -EIO;
	return rc;
}

void run_result_fini(struct run_result *res)
{
	for (unsigned i = 0; i < res->ntargets; i++)
		tally_sum_free(res->targets[i]);
	free(res->targets);
	res->targets = NULL;
	res->ntargets = 0;
	tally_sum_free(res->sum);
	tally_sum_free(res->last_sum);
	res->sum = res->last_sum = NULL;
	res->total.sum = res->last.sum = NULL;
}
