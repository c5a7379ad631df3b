/* SPDX-License-Identifier: MIT */
#include "raw/raw_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "raw/io_loop.h"
#include "raw/io_replay.h"
#include "raw/io_txn.h"

/* One thread serves these on a modern CPU with room to spare. */
#define OIO_PER_WORKER  64u
#define RATE_PER_WORKER 150000.0

/* What one worker runs. */
union io_any {
	struct io_loop loop;
	struct io_txn_loop txn;
	struct io_replay replay;
};

/* ---- the hooks of a run ---- */

static int worker_init(void *ctx, struct worker *worker, struct err *err)
{
	struct io_plan *plan = ctx;
	const struct io_worker *w;
	union io_any *any = calloc(1, sizeof(*any));
	int rc;

	worker->data = any;
	if (any == NULL)
		return err_run(err, "raw: out of memory");
	if (plan->schedule != NULL) {
		rc = io_replay_init(&any->replay, plan, worker, err);
		w = &any->replay.w;
	} else if (plan->profile->ntxns != 0) {
		rc = io_txn_init(&any->txn, plan, worker, err);
		w = &any->txn.w;
	} else {
		rc = io_loop_init(&any->loop, plan, worker, err);
		w = &any->loop.w;
	}
	if (rc == 0 && worker->id == 0) {
		struct strbuf text = STRBUF_INIT;

		w->engine.ops->describe(&w->engine, &text);
		snprintf(plan->in_force, sizeof(plan->in_force), "%s", strbuf_str(&text));
		strbuf_fini(&text);
	}
	return rc;
}

static int worker_run(void *ctx, struct worker *worker, struct err *err)
{
	const struct io_plan *plan = ctx;
	union io_any *any = worker->data;

	if (plan->schedule != NULL)
		return io_replay_run(&any->replay, err);
	if (plan->profile->ntxns != 0)
		return io_txn_run(&any->txn, err);
	return io_loop_run(&any->loop, err);
}

static void worker_done(void *ctx, struct worker *worker)
{
	const struct io_plan *plan = ctx;
	union io_any *any = worker->data;

	if (any == NULL)
		return;
	if (plan->schedule != NULL)
		io_replay_fini(&any->replay);
	else if (plan->profile->ntxns != 0)
		io_txn_fini(&any->txn);
	else
		io_loop_fini(&any->loop);
	free(any);
	worker->data = NULL;
}

const struct run_ops raw_run_ops = {worker_init, worker_run, worker_done, NULL};

/* ---- the plan ---- */

unsigned raw_workers(unsigned oio, double rate_per_s, unsigned cpus)
{
	double n = (double)oio / OIO_PER_WORKER;

	if (rate_per_s > 0)
		n = rate_per_s / RATE_PER_WORKER;
	if (n > (double)cpus)
		n = (double)cpus;
	if (n > (double)oio)
		n = (double)oio;
	return n > 1 ? (unsigned)n : 1;
}

void raw_plan_restart(struct io_plan *plan)
{
	const struct raw_profile *p = plan->profile;

	for (unsigned i = 0; i < p->nstreams; i++) {
		for (unsigned d = 0; d < 2; d++) {
			atomic_store(&plan->space.regions[i].next[d], 0);
			atomic_store(&plan->space.regions[i].lap[d], 0);
		}
	}
}

/* With a thread for each outstanding I/O there is no pool to hand it to. */
static unsigned choose_workers(const struct raw_setup *s)
{
	unsigned oio = s->profile->oio != 0 ? s->profile->oio : 1;

	if (s->schedule != NULL)
		return 1;
	if (s->workers != 0)
		return s->workers;
	if (s->profile->ntxns != 0)
		return 1;
	if (s->engine == &engine_sync && oio <= 1024)
		return oio;
	return raw_workers(oio, s->rate_per_s, s->cpus);
}

static bool has_flushes(const struct raw_profile *p)
{
	for (unsigned i = 0; i < p->nstreams; i++) {
		if (p->streams[i].flush_every != 0)
			return true;
	}
	for (unsigned i = 0; i < p->ntxns; i++) {
		for (unsigned k = 0; k < p->txns[i].nsteps; k++) {
			if (p->txns[i].steps[k].op == IO_FLUSH)
				return true;
		}
	}
	return false;
}

static int check_engine(const struct io_plan *plan, struct err *err)
{
	struct engine_config c = {.target = plan->target,
	                          .iopoll = plan->iopoll,
	                          .sqpoll = plan->sqpoll,
	                          .flushes = has_flushes(plan->profile)};

	if (plan->engine->check == NULL)
		return 0;
	return plan->engine->check(&c, err);
}

int raw_plan_init(struct io_plan *plan, const struct raw_setup *s, struct err *err)
{
	int rc;

	*plan = (struct io_plan){.profile = s->profile,
	                         .target = s->target,
	                         .engine = s->engine,
	                         .iopoll = s->iopoll,
	                         .sqpoll = s->sqpoll,
	                         .null_latency = s->null_latency,
	                         .schedule = s->schedule,
	                         .workers = choose_workers(s)};
	rc = access_space_init(&plan->space, s->profile, s->size_bytes, s->lba_bytes, err);
	if (rc != 0)
		return rc;
	if (plan->workers > s->profile->oio && s->profile->oio != 0)
		return err_usage(err,
		                 "--workers=%u: more than the %u outstanding I/Os; raise --oio or "
		                 "lower --workers",
		                 plan->workers, s->profile->oio);
	return check_engine(plan, err);
}

void raw_plan_fini(struct io_plan *plan)
{
	access_space_fini(&plan->space);
}

int raw_plan_mix(const struct io_plan *plan, struct mix *mix, struct err *err)
{
	const struct raw_profile *p = plan->profile;
	int rc = 0;

	*mix = (struct mix){0};
	for (unsigned i = 0; rc == 0 && p->ntxns == 0 && i < p->nstreams; i++) {
		struct mix_type type = {.weight = p->streams[i].weight};

		snprintf(type.name, sizeof(type.name), "%s", p->streams[i].name);
		rc = mix_add(mix, &type, err);
	}
	for (unsigned i = 0; rc == 0 && i < p->ntxns; i++) {
		struct mix_type type = {.weight = p->txns[i].weight,
		                        .keying = p->txns[i].keying,
		                        .think = p->txns[i].think};

		snprintf(type.name, sizeof(type.name), "%s", p->txns[i].name);
		rc = mix_add(mix, &type, err);
	}
	return rc == 0 ? mix_seal(mix, err) : rc;
}
