/* SPDX-License-Identifier: MIT */
#include "run/worker.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

static int client_init(struct run *run, struct client *c, unsigned id)
{
	unsigned n = run->config.threads;

	*c = (struct client){.id = id, .run = run, .clock = run->clock, .events_left = UINT64_MAX};
	/* Even shares, and not one shared counter: the same seed must give each client the same
	 * events. */
	if (run->config.events != 0 && run->config.rate_per_s == 0)
		c->events_left = run->config.events / n + (id < run->config.events % n);
	for (int use = 0; use < RNG_USES; use++)
		rng_init(&c->rng[use], run->config.seed, id, (enum rng_use)use);
	c->tally = tally_new(run->mix->ntypes, run->config.rate_per_s > 0);
	run->tallies[id] = c->tally;
	if (c->tally == NULL)
		return -ENOMEM;
	return mix_deck_init(&c->deck, run->mix);
}

int workers_new(struct run *run)
{
	unsigned n = run->config.threads;

	run->workers = aligned_alloc(_Alignof(struct worker), n * sizeof(*run->workers));
	run->clients = calloc(n, sizeof(*run->clients));
	run->tallies = calloc(n, sizeof(struct tally *));
	if (run->workers == NULL || run->clients == NULL || run->tallies == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		struct worker *w = &run->workers[i];

		memset(w, 0, sizeof(*w));
		w->id = i;
		w->run = run;
		w->clients = &run->clients[i];
		w->nclients = 1;
		if (client_init(run, &run->clients[i], i) != 0)
			return -ENOMEM;
		run->clients[i].worker = w;
	}
	return 0;
}

void workers_free(struct run *run)
{
	for (unsigned i = 0; run->clients != NULL && i < run->config.threads; i++)
		mix_deck_fini(&run->clients[i].deck);
	for (unsigned i = 0; run->tallies != NULL && i < run->config.threads; i++)
		tally_free(run->tallies[i]);
	free(run->workers);
	free(run->clients);
	free(run->tallies);
	run->workers = NULL;
	run->clients = NULL;
	run->tallies = NULL;
}

/* Tells the main thread that this worker is ready, and waits for the gate. True: run. */
static bool wait_for_go(struct run *run, bool good, const struct err *err)
{
	bool go;

	pthread_mutex_lock(&run->lock);
	if (good) {
		run->ready++;
	} else {
		run->init_failed = true;
		if (!err_is_set(&run->err))
			run->err = *err;
	}
	pthread_cond_broadcast(&run->changed);
	while (!run->go && !run->init_failed)
		pthread_cond_wait(&run->changed, &run->lock);
	go = run->go && !run->init_failed;
	pthread_mutex_unlock(&run->lock);
	return go;
}

static void work(struct worker *w)
{
	struct run *run = w->run;
	struct cpu_usage before, after;
	struct err err = ERR_INIT;
	uint64_t begun = clock_now_ns(run->clock);

	cpu_usage_thread(&before);
	if (run->ops->worker_run(run->ops_ctx, w, &err) != 0)
		run_stop(run, RUN_END_ERROR, &err);
	cpu_usage_thread(&after);
	w->busy_ns = clock_now_ns(run->clock) - begun;
	w->cpu_user_ns = after.user_ns - before.user_ns;
	w->cpu_system_ns = after.system_ns - before.system_ns;
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct run *run = w->run;
	struct err err = ERR_INIT;
	bool good;

	if (run->config.pin)
		cpu_pin_self(w->id);
	good = (run->probe == NULL || run->probe->worker(run->probe->ctx, w->id, &err) == 0) &&
	       run->ops->worker_init(run->ops_ctx, w, &err) == 0;
	if (wait_for_go(run, good, &err)) {
		work(w);
		pthread_mutex_lock(&run->lock);
		run->running--;
		pthread_cond_broadcast(&run->changed);
		pthread_mutex_unlock(&run->lock);
	}
	run->ops->worker_done(run->ops_ctx, w);
	return NULL;
}

static int create_threads(struct run *run, pthread_attr_t *attr)
{
	for (unsigned i = 0; i < run->config.threads; i++) {
		int rc =
		    pthread_create(&run->workers[i].thread, attr, worker_main, &run->workers[i]);

		if (rc == 0)
			continue;
		pthread_mutex_lock(&run->lock);
		run->init_failed = true;
		err_run(
		    &run->err,
		    "thread %u: could not be started: %s; use fewer --threads or raise ulimit -u",
		    i, strerror(rc));
		pthread_cond_broadcast(&run->changed);
		pthread_mutex_unlock(&run->lock);
		for (unsigned k = 0; k < i; k++)
			pthread_join(run->workers[k].thread, NULL);
		return -rc;
	}
	return 0;
}

/* Waits for all workers; true when all are ready, false when one failed (init_failed) or the time
 * ran out. */
static bool await_ready(struct run *run)
{
	struct timespec until;
	bool in_time = true, ready;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(run->config.init_timeout_ns / 1000000000u);
	until.tv_nsec += (long)(run->config.init_timeout_ns % 1000000000u);
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&run->lock);
	while (in_time && !run->init_failed && run->ready < run->config.threads)
		in_time = pthread_cond_timedwait(&run->changed, &run->lock, &until) != ETIMEDOUT;
	ready = !run->init_failed && run->ready == run->config.threads;
	if (!ready && !run->init_failed) {
		err_run(&run->err,
		        "threads: only %u of %u were ready after %.0f s; raise "
		        "--thread-init-timeout or look at "
		        "what thread_init waits for",
		        run->ready, run->config.threads, (double)run->config.init_timeout_ns / 1e9);
		run->init_failed = true;
		pthread_cond_broadcast(&run->changed);
	}
	pthread_mutex_unlock(&run->lock);
	return ready;
}

int workers_start(struct run *run)
{
	pthread_attr_t attr;
	const size_t least = (size_t)PTHREAD_STACK_MIN + 262144;
	size_t stack = run->config.stack_bytes;
	int rc;

	pthread_attr_init(&attr);
	/* Less than this and LuaJIT, or a database library, overruns it. */
	if (stack < least)
		stack = least;
	pthread_attr_setstacksize(&attr, stack);
	rc = create_threads(run, &attr);
	pthread_attr_destroy(&attr);
	if (rc != 0)
		return rc;
	if (await_ready(run))
		return 0;
	/* A worker that hangs in its set-up is joined for as long as it takes: a signal ends the
	 * process. */
	workers_join(run);
	return -EIO;
}

void workers_go(struct run *run)
{
	pthread_mutex_lock(&run->lock);
	run->running = run->config.threads;
	run->go = true;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

void workers_join(struct run *run)
{
	for (unsigned i = 0; i < run->config.threads; i++)
		pthread_join(run->workers[i].thread, NULL);
}
