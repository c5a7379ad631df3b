/* SPDX-License-Identifier: MIT */
#include "raw/io_replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS_MAX_BYTES (256u << 20)
#define SLOTS_MIN         16u

/* Types of the run. */
enum { READS, WRITES };

void io_replay_profile(struct raw_profile *p, const struct io_schedule *s, const char *name,
                       unsigned oio)
{
	static const char *const names[] = {"read", "write"};
	double weights[2] = {0, 0};

	for (size_t i = 0; i < s->n; i++) {
		if (s->ios[i].op != IO_FLUSH)
			weights[s->ios[i].op == IO_READ ? READS : WRITES]++;
	}
	*p =
	    (struct raw_profile){.oio = oio, .compress_ratio = 1, .dedupe_ratio = 1, .nstreams = 2};
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->title, sizeof(p->title), "I/Os of a trace, each at its own time");
	for (unsigned i = 0; i < 2; i++) {
		struct io_stream *stream = &p->streams[i];

		snprintf(stream->name, sizeof(stream->name), "%s", names[i]);
		stream->weight = weights[i];
		stream->read_share = i == READS ? 1 : 0;
		stream->read_sizes = stream->write_sizes =
		    (struct io_sizes){.n = 1,
		                      .bytes = {s->largest_bytes != 0 ? s->largest_bytes : 4096},
		                      .share = {1}};
	}
	/* One of a kind: without a write the target needs no leave to be written. */
	if (weights[READS] == 0)
		p->streams[0] = p->streams[1];
	if (weights[READS] == 0 || weights[WRITES] == 0)
		p->nstreams = 1;
}

int io_replay_init(struct io_replay *r, const struct io_plan *plan, struct worker *worker,
                   struct err *err)
{
	static const enum tally_class classes[] = {TALLY_READ, TALLY_WRITE, TALLY_OTHER};
	const struct io_schedule *s = plan->schedule;
	uint32_t largest = s->largest_bytes != 0 ? s->largest_bytes : 4096;
	unsigned depth = BUFFERS_MAX_BYTES / largest;
	int rc;

	memset(r, 0, sizeof(*r));
	if (depth < SLOTS_MIN)
		depth = SLOTS_MIN;
	if (depth > plan->profile->oio)
		depth = plan->profile->oio;
	rc = io_worker_init(&r->w, plan, worker, depth, largest, err);
	if (rc != 0)
		return rc;
	r->free = calloc(depth, sizeof(*r->free));
	if (r->free == NULL)
		return err_run(err, "raw: out of memory");
	for (; r->nfree < depth; r->nfree++)
		r->free[r->nfree] = depth - 1 - r->nfree;
	for (unsigned i = 0; i < TALLY_CLASSES; i++)
		r->stmts[i] = io_statement(&r->w, "", classes[i]);
	r->w.tally->slots_since_ns = r->w.since_ns;
	r->w.tally->nslots = depth;
	return 0;
}

void io_replay_fini(struct io_replay *r)
{
	io_worker_fini(&r->w);
	free(r->free);
}

/* A flush is no event of the run: only a statement. */
static bool is_event(const struct io_slot *io)
{
	return io->request.op != IO_FLUSH;
}

static void begin(struct io_replay *r, const struct io_timed *timed, uint64_t intended_ns,
                  uint64_t now_ns)
{
	struct io_schedule *s = r->w.plan->schedule;
	uint32_t slot = r->free[--r->nfree];
	struct io_slot *io = &r->w.slots[slot];
	uint64_t late_ns = io_elapsed_ns(now_ns, intended_ns);

	io->request = (struct io_request){.offset_bytes = timed->offset_bytes,
	                                  .bytes = timed->bytes,
	                                  .op = timed->op,
	                                  .stream = timed->op == IO_READ ? READS : WRITES};
	if (r->w.plan->profile->nstreams == 1)
		io->request.stream = 0;
	io->stmt = r->stmts[io_class(timed->op)];
	io->recording = true;
	io->stamps = false;
	s->report.begun++;
	s->report.late += late_ns > IO_REPLAY_LATE_NS;
	if (late_ns > s->report.late_max_ns)
		s->report.late_max_ns = late_ns;
	s->report.last_begun_ns = now_ns - r->w.client->run->start_ns;
	HIST_STORE(&r->w.since_ns[slot], intended_ns);
	if (is_event(io))
		TALLY_ADD(r->w.tally->types[io->request.stream].begun, 1);
	io_queue(&r->w, slot);
}

static void done(struct io_replay *r, const struct engine_done *d, uint64_t now_ns)
{
	struct io_slot *io = &r->w.slots[d->slot];
	struct tally_type *type = &r->w.tally->types[io->request.stream];
	bool good = engine_done_well(d, &io->request);

	r->w.inflight--;
	r->free[r->nfree++] = d->slot;
	if (!good)
		io_failed(&r->w, io, d->result);
	else
		io_count(r->w.tally, io->stmt, io_elapsed_ns(now_ns, io->begun_ns),
		         io->request.bytes);
	if (is_event(io) && good) {
		TALLY_ADD(type->ok, 1);
		hist_record(type->latency, io_elapsed_ns(now_ns, r->w.since_ns[d->slot]));
	} else if (is_event(io)) {
		TALLY_ADD(type->failed, 1);
	}
	HIST_STORE(&r->w.tally->last_end_ns, now_ns);
	HIST_STORE(&r->w.since_ns[d->slot], 0);
}

/* Begins all that is due. When the next falls due; 0: all have begun. */
static uint64_t fill(struct io_replay *r, uint64_t now_ns)
{
	const struct io_schedule *s = r->w.plan->schedule;
	uint64_t start_ns = r->w.client->run->start_ns;

	if (io_over(&r->w, now_ns))
		r->next = s->n;
	while (r->next < s->n && r->nfree != 0) {
		uint64_t due_ns = start_ns + s->ios[r->next].at_ns;

		if (due_ns > now_ns)
			return due_ns;
		begin(r, &s->ios[r->next++], due_ns, now_ns);
	}
	if (r->next < s->n)
		return UINT64_MAX;
	return 0;
}

int io_replay_run(struct io_replay *r, struct err *err)
{
	struct io_worker *w = &r->w;
	uint64_t now_ns = clock_now_ns(w->clock);

	for (;;) {
		uint64_t due_ns = fill(r, now_ns);
		unsigned n;

		if (due_ns == 0 && w->inflight == 0)
			break;
		if (io_submit(w, now_ns, due_ns, err) != 0)
			return -EIO;
		now_ns = clock_now_ns(w->clock);
		while ((n = w->engine.ops->reap(&w->engine, w->done, w->depth)) != 0) {
			for (unsigned i = 0; i < n; i++)
				done(r, &w->done[i], now_ns);
		}
	}
	return io_outcome(w, err);
}
