/* SPDX-License-Identifier: MIT */
#include "run/ticker.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longest time between looks at the signal flag. */
#define SLICE_NS 50000000u

/* Tells the probe, if there is one, what the time says of the measured window. */
static void watch_window(struct ticker *t, uint64_t now, bool over)
{
	const struct run *run = t->run;

	if (run->probe == NULL)
		return;
	if (t->window == WINDOW_AHEAD && now >= run->measure_ns) {
		t->window = WINDOW_OPEN;
		run->probe->window(run->probe->ctx, true);
	}
	if (t->window == WINDOW_OPEN && (over || now >= atomic_load(&run->end_ns))) {
		t->window = WINDOW_CLOSED;
		run->probe->window(run->probe->ctx, false);
	}
}

void ticker_init(struct ticker *t, struct run *run)
{
	*t = (struct ticker){.run = run, .last_ns = run->measure_ns, .base_ns = run->measure_ns};
	memcpy(&t->replay, &run->arrivals, sizeof(t->replay));
	t->next_interval_ns =
	    run->config.interval_ns != 0 ? run->measure_ns + run->config.interval_ns : RUN_NEVER;
	if (t->replay.process != SCHED_CLOSED) {
		t->warm_arrivals = sched_count_until(&t->replay, run->measure_ns);
		if (run->config.events != 0)
			t->replay.limit = run->arrivals.limit =
			    t->warm_arrivals + run->config.events;
	}
	if (run->probe != NULL)
		run->probe->planned(run->probe->ctx, run->measure_ns, atomic_load(&run->end_ns));
	/* Without a warm-up, before the first event. */
	if (run->config.warmup_ns == 0)
		watch_window(t, run->measure_ns, false);
}

void ticker_fini(struct ticker *t)
{
	tally_sum_free(t->last);
	tally_sum_free(t->base);
	free(t->clients);
	t->clients = NULL;
	t->last = t->base = NULL;
}

/* Arrivals of the measured window that were due by `now`, never beyond its end. */
static uint64_t arrivals_due(struct ticker *t, uint64_t now)
{
	uint64_t end = atomic_load(&t->run->end_ns);
	uint64_t n;

	if (t->replay.process == SCHED_CLOSED)
		return 0;
	n = sched_count_until(&t->replay, now < end ? now : end);
	return n > t->warm_arrivals ? n - t->warm_arrivals : 0;
}

static double seconds(const struct ticker *t, uint64_t at_ns)
{
	return at_ns > t->run->measure_ns ? (double)(at_ns - t->run->measure_ns) / 1e9 : 0;
}

/*
 * Figures of [from, to) from the sum of that stretch. `all` is the sum since the start: what is
 * begun and not ended is counted from it, as a stretch cannot know about events that began before
 * it.
 */
static struct run_figures figures(struct ticker *t, const struct tally_sum *stretch,
                                  const struct tally_sum *all, uint64_t from_ns, uint64_t to_ns,
                                  uint64_t due, uint64_t due_before)
{
	uint64_t begun = all->begun - all->cancelled;
	struct run_figures f = {
	    .begin_s = seconds(t, from_ns), .end_s = seconds(t, to_ns), .sum = stretch};

	f.elapsed_s = f.end_s - f.begin_s;
	f.threads_running = t->threads_running;
	f.ok = stretch->ok;
	f.failed = stretch->failed;
	f.offered = stretch->begun - stretch->cancelled;
	if (t->replay.process != SCHED_CLOSED) {
		f.offered = due - due_before;
		f.queue_length = due > begun ? due - begun : 0;
	}
	if (all->oldest_inflight_ns != 0 && to_ns > all->oldest_inflight_ns)
		f.oldest_ns = to_ns - all->oldest_inflight_ns;
	return f;
}

/* Events and seconds in events of each client so far; NULL: out of memory. */
static struct ticker_client *take_clients(const struct run *run)
{
	struct ticker_client *list = calloc(run->config.threads, sizeof(*list));

	for (unsigned i = 0; list != NULL && i < run->config.threads; i++) {
		for (unsigned k = 0; k < run->tallies[i]->ntypes; k++) {
			const struct tally_type *type = &run->tallies[i]->types[k];
			const struct hist *h =
			    type->service != NULL ? type->service : type->latency;

			list[i].events += (double)HIST_LOAD(&type->ok);
			list[i].time_s += (double)HIST_LOAD(&h->sum_ns) / 1e9;
		}
	}
	return list;
}

/* Mean and standard deviation over clients, of what came since `base` (NULL: the start). */
static struct run_fairness fairness_since(const struct ticker *t, const struct ticker_client *base)
{
	struct ticker_client *now = take_clients(t->run);
	unsigned n = t->run->config.threads;
	double se = 0, sse = 0, st = 0, sst = 0;
	struct run_fairness f = {0};

	for (unsigned i = 0; now != NULL && i < n; i++) {
		double events = now[i].events - (base != NULL ? base[i].events : 0);
		double time_s = now[i].time_s - (base != NULL ? base[i].time_s : 0);

		se += events;
		sse += events * events;
		st += time_s;
		sst += time_s * time_s;
	}
	f.events_avg = se / n;
	f.time_avg_s = st / n;
	f.events_stddev = sqrt(fmax(0, sse / n - f.events_avg * f.events_avg));
	f.time_stddev_s = sqrt(fmax(0, sst / n - f.time_avg_s * f.time_avg_s));
	free(now);
	return f;
}

static void emit_interval(struct ticker *t, uint64_t now, bool tail)
{
	struct run *run = t->run;
	struct tally_sum *sum = tally_sum_new(run->tallies, run->config.threads, false);
	struct tally_sum *stretch = sum != NULL ? tally_sum_diff(sum, t->last) : NULL;
	uint64_t due = arrivals_due(t, now);
	struct run_figures f;

	if (stretch == NULL) {
		/* Out of memory for a moment: the next interval covers this one too. */
		tally_sum_free(sum);
		return;
	}
	f = figures(t, stretch, sum, t->last_ns, now, due, t->last_arrivals);
	f.tail = tail;
	/* The last interval ends with the run, which may be a moment before its time. */
	f.whole = !tail || now + run->config.interval_ns / 20 >= t->next_interval_ns;
	if (tail) {
		f.skipped = f.queue_length;
		f.unfinished = sum->begun - sum->cancelled - sum->ok - sum->failed;
		f.queue_length = 0;
	}
	if (run->sink != NULL && run->sink->interval != NULL)
		run->sink->interval(run->sink->ctx, &f);
	tally_sum_free(stretch);
	tally_sum_free(t->last);
	t->last = sum;
	t->last_ns = now;
	t->last_arrivals = due;
}

static void emit_checkpoint(struct ticker *t, uint64_t now)
{
	struct run *run = t->run;
	struct tally_sum *sum = tally_sum_new(run->tallies, run->config.threads, true);
	struct tally_sum *stretch = sum != NULL ? tally_sum_diff(sum, t->base) : NULL;
	uint64_t due = arrivals_due(t, now);
	struct run_figures f;

	if (stretch == NULL) {
		tally_sum_free(sum);
		return;
	}
	f = figures(t, stretch, sum, t->base_ns, now, due, t->base_arrivals);
	/* What is queued or in flight belongs to the stretch in which it ends: offered counts what
	 * came to an end here. */
	f.offered = f.ok + f.failed;
	f.fairness = fairness_since(t, t->clients);
	if (run->sink != NULL && run->sink->checkpoint != NULL)
		run->sink->checkpoint(run->sink->ctx, &f);
	tally_sum_free(stretch);
	tally_sum_free(t->base);
	free(t->clients);
	t->clients = take_clients(run);
	t->base = sum;
	t->base_ns = now;
	t->base_arrivals = due;
}

/* Does what is due at `now`. */
static void tick(struct ticker *t, uint64_t now)
{
	struct run *run = t->run;
	const struct run_config *c = &run->config;

	watch_window(t, now, false);
	if (run->signal != NULL && *run->signal != 0)
		run_stop(run, RUN_END_SIGNAL, NULL);
	if (t->next_checkpoint < c->ncheckpoints &&
	    now >= run->measure_ns + c->checkpoints_ns[t->next_checkpoint]) {
		emit_checkpoint(t, now);
		t->next_checkpoint++;
	}
	if (now >= t->next_interval_ns) {
		emit_interval(t, now, false);
		/* A stall of the ticker itself makes one long interval, not a burst of empty ones.
		 */
		while (t->next_interval_ns <= now)
			t->next_interval_ns += c->interval_ns;
	}
	if (now >= atomic_load(&run->end_ns))
		run_stop(run, RUN_END_TIME, NULL);
}

static uint64_t next_wake(struct ticker *t, uint64_t now)
{
	const struct run_config *c = &t->run->config;
	uint64_t wake = now + SLICE_NS;
	uint64_t end = atomic_load(&t->run->end_ns);

	if (t->next_interval_ns < wake)
		wake = t->next_interval_ns;
	if (t->next_checkpoint < c->ncheckpoints &&
	    t->run->measure_ns + c->checkpoints_ns[t->next_checkpoint] < wake)
		wake = t->run->measure_ns + c->checkpoints_ns[t->next_checkpoint];
	if (t->run->measure_ns > now && t->run->measure_ns < wake)
		wake = t->run->measure_ns;
	if (end > now && end < wake)
		wake = end;
	return wake > now ? wake : now;
}

/* Sleeps for up to `ns`, less when a worker is through. Returns the number of workers still
 * running. */
static unsigned wait_workers(struct run *run, uint64_t ns)
{
	struct timespec until;
	unsigned running;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(ns % 1000000000u);
	until.tv_sec += (time_t)(ns / 1000000000u) + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&run->lock);
	if (run->running != 0)
		pthread_cond_timedwait(&run->changed, &run->lock, &until);
	running = run->running;
	pthread_mutex_unlock(&run->lock);
	return running;
}

void ticker_loop(struct ticker *t)
{
	struct run *run = t->run;
	uint64_t drain = run->config.drain_ns;
	unsigned running = run->config.threads;

	for (;;) {
		uint64_t now = clock_now_ns(run->clock);
		uint64_t end;

		t->threads_running = running;
		tick(t, now);
		end = atomic_load(&run->end_ns);
		if (drain != RUN_NEVER && now >= end && now - end >= drain) {
			t->abandoned = true;
			watch_window(t, now, true);
			return;
		}
		running = wait_workers(run, next_wake(t, now) - now);
		if (running == 0)
			break;
	}
	watch_window(t, clock_now_ns(run->clock), true);
	/* The workers may have seen the end of the time before this thread did. */
	if (clock_now_ns(run->clock) >= atomic_load(&run->end_ns))
		run_stop(run, RUN_END_TIME, NULL);
}

/* When the measurement ended: the time limit when it was reached, else the last event's end; late
 * ends count. */
static uint64_t measured_until(const struct run *run, const struct tally_sum *sum)
{
	uint64_t end = atomic_load(&run->end_ns);
	uint64_t now = clock_now_ns(run->clock);

	if (run->end == RUN_END_EVENTS || run->end == RUN_END_SCRIPT)
		end = sum->last_end_ns;
	else if (end > now)
		end = now;
	if (sum->last_end_ns > end)
		end = sum->last_end_ns;
	return end > run->measure_ns ? end : run->measure_ns;
}

/* The fates that only the end knows. */
static void settle(struct run_figures *f, const struct tally_sum *all)
{
	f->unfinished = all->begun - all->cancelled - all->ok - all->failed;
	f->skipped = f->queue_length;
	f->queue_length = 0;
}

/* The tallies of each target's clients, added up. */
static int sum_targets(const struct run *run, struct run_result *res)
{
	const unsigned clients = run->config.threads;
	unsigned n = run->ops->targets != NULL ? run->ops->targets(run->ops_ctx) : 1;
	struct tally **own;
	int rc = 0;

	if (n < 2)
		return 0;
	own = calloc(clients, sizeof(*own));
	res->targets = calloc(n, sizeof(*res->targets));
	if (own == NULL || res->targets == NULL)
		rc = -ENOMEM;
	for (unsigned i = 0; rc == 0 && i < n; i++) {
		unsigned count = 0;

		for (unsigned c = i; c < clients; c += n)
			own[count++] = run->tallies[c];
		/* One that no client works on has a sum of nothing, with the types of all. */
		res->targets[i] = count != 0 ? tally_sum_new(own, count, false)
		                             : tally_sum_diff(res->sum, res->sum);
		rc = res->targets[i] == NULL ? -ENOMEM : 0;
		res->ntargets += rc == 0;
	}
	free(own);
	return rc;
}

int ticker_final(struct ticker *t, struct run_result *res)
{
	struct run *run = t->run;
	struct tally_sum *all = tally_sum_new(run->tallies, run->config.threads, true);
	uint64_t due, until;

	if (all == NULL)
		return -ENOMEM;
	until = measured_until(run, all);
	due = arrivals_due(t, until);
	if (run->config.interval_ns != 0)
		emit_interval(t, until > t->last_ns ? until : t->last_ns, true);
	res->sum = all;
	res->total = figures(t, all, all, run->measure_ns, until, due, 0);
	settle(&res->total, all);
	res->total.fairness = fairness_since(t, NULL);
	res->last = res->total;
	if (sum_targets(run, res) != 0)
		return -ENOMEM;
	if (t->base == NULL)
		return 0;
	res->last_sum = tally_sum_diff(all, t->base);
	if (res->last_sum == NULL)
		return -ENOMEM;
	res->last = figures(t, res->last_sum, all, t->base_ns, until, due, t->base_arrivals);
	settle(&res->last, all);
	res->last.fairness = fairness_since(t, t->clients);
	/* What was in flight or queued at the checkpoint is offered again here, where it ends. */
	res->last.offered =
	    res->last.ok + res->last.failed + res->last.skipped + res->last.unfinished;
	return 0;
}
