/* SPDX-License-Identifier: MIT */
/*
 * The engine without a target: I/Os are done at once, or after a delay drawn for each. What is left
 * of a run on it is the generator's own cost; with a delay it is a target of known service time.
 */
#include <errno.h>
#include <stdlib.h>

#include "raw/engine.h"
#include "raw/timers.h"

struct null_engine {
	struct engine_done *done; /* a ring of depth entries, filled from tail, taken from head */
	unsigned head, ndone;
	int32_t *results; /* of those whose time has not come, by slot */
	struct timers timers;
	struct rng rng;
	unsigned nwaiting; /* queued since the last submit, delays not begun */
	uint32_t *waiting;
};

static void null_close(struct engine *e)
{
	struct null_engine *n = e->impl;

	if (n == NULL)
		return;
	timers_fini(&n->timers);
	free(n->done);
	free(n->results);
	free(n->waiting);
	free(n);
	e->impl = NULL;
}

static int null_open(struct engine *e, struct err *err)
{
	struct null_engine *n = calloc(1, sizeof(*n));
	unsigned depth = e->config.depth;

	e->impl = n;
	if (n == NULL)
		return err_run(err, "null engine: out of memory; use a smaller --oio");
	n->done = calloc(depth, sizeof(*n->done));
	n->results = calloc(depth, sizeof(*n->results));
	n->waiting = calloc(depth, sizeof(*n->waiting));
	rng_init(&n->rng, e->config.seed, e->config.owner, RNG_DRIVER);
	if (timers_init(&n->timers, depth) != 0 || n->done == NULL || n->results == NULL ||
	    n->waiting == NULL)
		return err_run(err, "null engine: out of memory; use a smaller --oio");
	return 0;
}

static void add_done(struct engine *e, uint32_t slot, int32_t result)
{
	struct null_engine *n = e->impl;
	unsigned at = n->head + n->ndone++;

	n->done[at < e->config.depth ? at : at - e->config.depth] =
	    (struct engine_done){slot, result};
}

static void null_queue(struct engine *e, unsigned slot, const struct io_request *io)
{
	struct null_engine *n = e->impl;

	if (e->config.latency.kind == DELAY_NONE) {
		add_done(e, slot, (int32_t)io->bytes);
		return;
	}
	n->results[slot] = (int32_t)io->bytes;
	n->waiting[n->nwaiting++] = slot;
}

static int null_submit(struct engine *e, uint64_t until_ns)
{
	struct null_engine *n = e->impl;
	uint64_t now, first;
	uint32_t slot;

	if (e->config.latency.kind == DELAY_NONE && (n->ndone != 0 || until_ns == 0))
		return 0;
	now = clock_now_ns(e->config.clock);
	for (unsigned i = 0; i < n->nwaiting; i++)
		timers_add(&n->timers, now + delay_draw_ns(&e->config.latency, &n->rng),
		           n->waiting[i]);
	n->nwaiting = 0;
	first = timers_next_ns(&n->timers);
	if (first > until_ns)
		first = until_ns;
	if (first > now && n->ndone == 0 && first != UINT64_MAX)
		now = clock_sleep_until(e->config.clock, first, NULL);
	while (timers_take(&n->timers, now, &slot))
		add_done(e, slot, n->results[slot]);
	return 0;
}

static unsigned null_reap(struct engine *e, struct engine_done *done, unsigned max)
{
	struct null_engine *n = e->impl;
	unsigned count = n->ndone < max ? n->ndone : max;

	for (unsigned i = 0; i < count; i++) {
		done[i] = n->done[n->head];
		n->head = n->head + 1 < e->config.depth ? n->head + 1 : 0;
	}
	n->ndone -= count;
	return count;
}

static void null_describe(const struct engine *e, struct strbuf *text)
{
	strbuf_adds(text, e->config.latency.kind == DELAY_NONE ? "no I/O is done"
	                                                       : "no I/O is done, delays are made");
}

const struct engine_ops engine_null = {
    .name = "null",
    .help = "no I/O: the generator's own cost, or a target of a known service time",
    .open = null_open,
    .close = null_close,
    .queue = null_queue,
    .submit = null_submit,
    .reap = null_reap,
    .describe = null_describe,
    .no_target = true,
};
