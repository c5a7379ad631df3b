/* SPDX-License-Identifier: MIT */
#include "raw/io_loop.h"

#include <errno.h>
#include <string.h>

/* ---- set-up ---- */

static bool is_open_loop(const struct io_worker *w)
{
	return w->client->run->config.rate_per_s > 0;
}

/* Outstanding I/Os of its own; in the open loop they only add to what may be in flight. */
static bool stands_alone(const struct io_worker *w, const struct io_stream *s)
{
	return s->oio != 0 && s->rate_per_s <= 0 && !is_open_loop(w);
}

static int add_source(struct io_loop *l, const uint8_t *index, unsigned n, unsigned *slot,
                      unsigned oio)
{
	unsigned slots = io_share(oio, l->w.plan->workers, l->w.client->id);
	uint32_t owner = l->nsources++;
	struct io_source *s = &l->sources[owner];

	if (io_source_init(s, &l->w, index, n, *slot, slots, owner) != 0)
		return -ENOMEM;
	if (is_open_loop(&l->w))
		s->arrivals = &l->w.client->run->arrivals;
	*slot += slots;
	return 0;
}

static int make_sources(struct io_loop *l)
{
	const struct raw_profile *p = l->w.plan->profile;
	uint8_t together[PROFILE_STREAMS_MAX];
	unsigned n = 0, slot = 0, extra = 0;
	int rc = 0, background;

	for (unsigned i = 0; rc == 0 && i < p->nstreams; i++) {
		uint8_t index[1] = {(uint8_t)i};

		if (p->streams[i].rate_per_s > 0)
			continue;
		if (stands_alone(&l->w, &p->streams[i])) {
			rc = add_source(l, index, 1, &slot, p->streams[i].oio);
			continue;
		}
		extra += p->streams[i].oio;
		together[n++] = (uint8_t)i;
	}
	if (rc == 0 && n != 0)
		rc = add_source(l, together, n, &slot, p->oio + extra);
	if (rc != 0)
		return rc;
	background = io_background_init(&l->sources[l->nsources], &l->w, slot, l->nsources);
	if (background < 0)
		return background;
	l->nsources += (unsigned)background;
	return 0;
}

/* Slots that this worker needs at most. */
static unsigned slots_needed(const struct io_plan *plan, unsigned worker)
{
	const struct raw_profile *p = plan->profile;
	unsigned n = io_background_slots(plan, worker);
	unsigned extra = 0;

	for (unsigned i = 0; i < p->nstreams; i++) {
		if (p->streams[i].rate_per_s > 0)
			continue;
		n += io_share(p->streams[i].oio, plan->workers, worker);
		extra += p->streams[i].oio;
	}
	return n + io_share(p->oio + extra, plan->workers, worker);
}

static uint32_t largest_bytes(const struct raw_profile *p)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < p->nstreams; i++) {
		const struct io_sizes *sizes[2] = {&p->streams[i].read_sizes,
		                                   &p->streams[i].write_sizes};

		for (unsigned d = 0; d < 2; d++) {
			for (unsigned k = 0; k < sizes[d]->n; k++)
				most = sizes[d]->bytes[k] > most ? sizes[d]->bytes[k] : most;
		}
	}
	return most;
}

int io_loop_init(struct io_loop *l, const struct io_plan *plan, struct worker *worker,
                 struct err *err)
{
	unsigned depth = slots_needed(plan, worker->id);
	int rc;

	memset(l, 0, sizeof(*l));
	rc = io_worker_init(&l->w, plan, worker, depth != 0 ? depth : 1,
	                    largest_bytes(plan->profile), err);
	if (rc != 0)
		return rc;
	if (timers_init(&l->thinking, l->w.depth) != 0 || make_sources(l) != 0)
		return err_run(err, "raw: out of memory for %u I/Os; use a smaller --oio", depth);
	l->w.tally->slots_since_ns = l->w.since_ns;
	l->w.tally->nslots = l->w.depth;
	return 0;
}

void io_loop_fini(struct io_loop *l)
{
	for (unsigned i = 0; i < l->nsources; i++)
		io_source_fini(&l->sources[i]);
	timers_fini(&l->thinking);
	io_worker_fini(&l->w);
}

/* ---- the loop ---- */

static void done(struct io_loop *l, const struct engine_done *d, uint64_t now_ns)
{
	struct io_slot *io = &l->w.slots[d->slot];
	struct io_source *s = &l->sources[io->owner];
	const struct delay *think = &s->access->streams[io->request.stream].profile->think;

	io_source_done(s, &l->w, d, now_ns);
	if (think->kind == DELAY_NONE || s->arrivals != NULL)
		return;
	/* The slot rests; it was freed last. */
	s->nfree--;
	timers_add(&l->thinking, now_ns + delay_draw_ns(think, &l->w.client->rng[RNG_THINK]),
	           d->slot);
}

static void wake_thinkers(struct io_loop *l, uint64_t now_ns)
{
	uint32_t slot;

	while (timers_take(&l->thinking, now_ns, &slot)) {
		struct io_source *s = &l->sources[l->w.slots[slot].owner];

		s->free[s->nfree++] = slot;
	}
}

/* Begins all that is due. Returns when something falls due next; 0: all is over. */
static uint64_t fill(struct io_loop *l, uint64_t now_ns)
{
	uint64_t due_ns = timers_next_ns(&l->thinking);
	bool over = true;

	for (unsigned i = 0; i < l->nsources; i++) {
		struct io_source *s = &l->sources[i];
		uint64_t next_ns;

		/* The background ends with what it is the background of; it comes last. */
		s->over = s->over || (s->background && over && i != 0);
		io_source_fill(s, &l->w, now_ns);
		next_ns = io_source_due_ns(s, &l->w);
		due_ns = next_ns < due_ns ? next_ns : due_ns;
		over = over && s->over;
	}
	return over ? 0 : due_ns;
}

int io_loop_run(struct io_loop *l, struct err *err)
{
	struct io_worker *w = &l->w;
	uint64_t now_ns = clock_now_ns(w->clock);

	io_background_start(l->sources, l->nsources, w);
	for (;;) {
		uint64_t due_ns = fill(l, now_ns);
		unsigned n;

		if (due_ns == 0 && w->inflight == 0)
			break;
		if (io_submit(w, now_ns, due_ns, err) != 0)
			return -EIO;
		now_ns = clock_now_ns(w->clock);
		while ((n = w->engine.ops->reap(&w->engine, w->done, w->depth)) != 0) {
			for (unsigned i = 0; i < n; i++)
				done(l, &w->done[i], now_ns);
		}
		wake_thinkers(l, now_ns);
	}
	return io_outcome(w, err);
}
