/* SPDX-License-Identifier: MIT */
#include "raw/io_source.h"

#include <errno.h>
#include <stdlib.h>

/* I/Os owed before transactions wait: a burst of a checkpoint, and no more. */
#define BEHIND_MAX 1024

static void name_statements(struct io_source *s, struct io_worker *w, const uint8_t *index,
                            unsigned n)
{
	const struct raw_profile *p = w->plan->profile;

	for (unsigned i = 0; i < n; i++) {
		const struct io_stream *stream = &p->streams[index[i]];
		const char *label = p->nstreams > 1 ? stream->name : "";

		if (stream->read_share > 0)
			s->stmts[index[i]][TALLY_READ] = io_statement(w, label, TALLY_READ);
		if (stream->read_share < 1)
			s->stmts[index[i]][TALLY_WRITE] = io_statement(w, label, TALLY_WRITE);
		if (stream->flush_every > 0)
			s->stmts[index[i]][TALLY_OTHER] = io_statement(w, label, TALLY_OTHER);
	}
}

int io_source_init(struct io_source *s, struct io_worker *w, const uint8_t *index, unsigned n,
                   unsigned first_slot, unsigned nslots, uint32_t owner)
{
	/* Streams with decks of their own must not deal alike. */
	uint64_t stream_owner = w->client->id + 65536ull * owner;

	*s = (struct io_source){.nslots = nslots, .nfree = nslots};
	s->free = calloc(nslots != 0 ? nslots : 1, sizeof(*s->free));
	s->access =
	    access_new(&w->plan->space, index, n, w->client->run->config.seed, stream_owner);
	if (s->free == NULL || s->access == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < nslots; i++) {
		s->free[i] = first_slot + nslots - 1 - i;
		w->slots[s->free[i]].owner = owner;
	}
	name_statements(s, w, index, n);
	s->over = nslots == 0;
	return 0;
}

void io_source_fini(struct io_source *s)
{
	access_free(s->access);
	free(s->free);
}

/* ---- beginning ---- */

/*
 * Begins an I/O that was meant to begin at `intended`; 0: when it is handed over. False when it was
 * a flush, which takes a slot and no arrival.
 */
static bool begin(struct io_source *s, struct io_worker *w, uint64_t intended_ns, uint64_t now_ns)
{
	uint32_t slot = s->free[--s->nfree];
	struct io_slot *io = &w->slots[slot];
	struct client *c = w->client;
	bool event;

	access_next(s->access, &io->request);
	event = io->request.op != IO_FLUSH && !s->background;
	io->stmt = s->stmts[io->request.stream][io_class(io->request.op)];
	io->recording = (intended_ns != 0 ? intended_ns : now_ns) >= c->run->measure_ns;
	io->stamps = intended_ns == 0 && event;
	if (event) {
		if (intended_ns != 0)
			HIST_STORE(&w->since_ns[slot], intended_ns);
		if (io->recording) {
			TALLY_ADD(w->tally->types[io->request.stream].begun, 1);
			if (c->events_left != UINT64_MAX)
				c->events_left--;
		}
	}
	io_queue(w, slot);
	return io->request.op != IO_FLUSH;
}

static void fill_closed(struct io_source *s, struct io_worker *w, uint64_t now_ns)
{
	while (s->nfree != 0) {
		if (w->client->events_left == 0) {
			s->over = true;
			return;
		}
		begin(s, w, 0, now_ns);
	}
}

static void fill_open(struct io_source *s, struct io_worker *w, uint64_t now_ns)
{
	const struct run *run = w->client->run;

	while (s->nfree != 0) {
		if (s->next_ns == 0) {
			s->next_ns = sched_next(s->arrivals);
			s->waited = s->next_ns > now_ns;
		}
		/* The limit of events is reached. */
		s->over = s->next_ns == UINT64_MAX;
		if (s->next_ns > now_ns)
			return;
		if (!begin(s, w, s->next_ns, now_ns))
			continue;
		if (s->waited && s->next_ns >= run->measure_ns && !s->background)
			hist_record(w->tally->lateness, now_ns - s->next_ns);
		s->next_ns = 0;
	}
}

/* What transactions that ended left to be done. */
static void fill_owed(struct io_source *s, struct io_worker *w, uint64_t now_ns)
{
	while (s->nfree != 0 && s->owed >= 1) {
		if (begin(s, w, 0, now_ns))
			s->owed--;
	}
}

void io_source_fill(struct io_source *s, struct io_worker *w, uint64_t now_ns)
{
	/* What arrived and could not begin before the end is not begun: it is skipped. */
	s->over = s->over || io_over(w, now_ns);
	if (s->over)
		return;
	if (s->arrivals != NULL)
		fill_open(s, w, now_ns);
	else if (s->background)
		fill_owed(s, w, now_ns);
	else
		fill_closed(s, w, now_ns);
}

uint64_t io_source_due_ns(const struct io_source *s, const struct io_worker *w)
{
	uint64_t end_ns = atomic_load_explicit(&w->client->run->end_ns, memory_order_relaxed);

	if (s->over || s->arrivals == NULL || s->nfree == 0)
		return UINT64_MAX;
	/* When nothing more comes before the end, the window is measured to its end all the same.
	 */
	return s->next_ns < end_ns ? s->next_ns : end_ns;
}

/* ---- ending ---- */

void io_source_done(struct io_source *s, struct io_worker *w, const struct engine_done *done,
                    uint64_t now_ns)
{
	struct io_slot *io = &w->slots[done->slot];
	struct tally_type *type = &w->tally->types[io->request.stream];
	bool event = io->request.op != IO_FLUSH && !s->background;
	bool good = engine_done_well(done, &io->request);
	uint64_t service_ns = io_elapsed_ns(now_ns, io->begun_ns);

	w->inflight--;
	s->free[s->nfree++] = done->slot;
	if (__builtin_expect(!good, 0))
		io_failed(w, io, done->result);
	if (io->recording && good)
		io_count(w->tally, io->stmt, service_ns, io->request.bytes);
	if (!event)
		return;
	if (io->recording && good) {
		TALLY_ADD(type->ok, 1);
		hist_record(type->latency, io_elapsed_ns(now_ns, w->since_ns[done->slot]));
		if (type->service != NULL)
			hist_record(type->service, service_ns);
	} else if (io->recording) {
		TALLY_ADD(type->failed, 1);
	}
	if (io->recording)
		HIST_STORE(&w->tally->last_end_ns, now_ns);
	HIST_STORE(&w->since_ns[done->slot], 0);
}

/* ---- streams in the background ---- */

static bool falls_to(const struct io_plan *plan, unsigned stream, unsigned worker)
{
	const struct io_stream *s = &plan->profile->streams[stream];

	/* Each worker's transactions have their own I/Os in the background. */
	if (s->rate_per_s <= 0)
		return profile_in_background(plan->profile, s);
	return stream % plan->workers == worker;
}

static unsigned background_oio(const struct io_plan *plan, unsigned stream)
{
	unsigned oio = plan->profile->streams[stream].oio;

	return oio != 0 ? oio : plan->profile->oio;
}

unsigned io_background_slots(const struct io_plan *plan, unsigned worker)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan->profile->nstreams; i++)
		n += falls_to(plan, i, worker) ? background_oio(plan, i) : 0;
	return n;
}

int io_background_init(struct io_source *sources, struct io_worker *w, unsigned first_slot,
                       uint32_t first_owner)
{
	const struct io_plan *plan = w->plan;
	int n = 0;

	for (unsigned i = 0; i < plan->profile->nstreams; i++) {
		struct io_source *s = &sources[n];
		uint8_t index[1] = {(uint8_t)i};

		if (!falls_to(plan, i, w->client->id))
			continue;
		n++;
		if (io_source_init(s, w, index, 1, first_slot, background_oio(plan, i),
		                   first_owner + (uint32_t)n - 1) != 0)
			return -ENOMEM;
		if (plan->profile->streams[i].rate_per_s > 0)
			s->arrivals = &s->own;
		s->background = true;
		first_slot += background_oio(plan, i);
	}
	return n;
}

void io_background_start(struct io_source *sources, unsigned n, const struct io_worker *w)
{
	const struct run *run = w->client->run;

	for (unsigned i = 0; i < n; i++) {
		struct io_source *s = &sources[i];
		unsigned stream = s->access->index[0];

		/* The stream's number in the seed: two must not arrive together. */
		if (s->arrivals == &s->own)
			sched_init(&s->own, SCHED_POISSON,
			           w->plan->profile->streams[stream].rate_per_s,
			           run->config.seed ^ ((stream + 1ull) << 40), run->start_ns);
	}
}

void io_background_owe(struct io_source *sources, unsigned n, const struct io_worker *w)
{
	for (unsigned i = 0; i < n; i++)
		sources[i].owed +=
		    w->plan->profile->streams[sources[i].access->index[0]].per_transaction;
}

bool io_background_behind(const struct io_source *sources, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (sources[i].owed > BEHIND_MAX + 4.0 * sources[i].nslots)
			return true;
	}
	return false;
}
