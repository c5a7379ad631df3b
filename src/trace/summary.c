/* SPDX-License-Identifier: MIT */
#include "trace/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the last I/Os of one kind in one file ended. */
struct ends {
	uint64_t at[SUMMARY_STREAMS];
	unsigned next;
};

struct work {
	const struct trace *t;
	struct captured_io *io;
	struct ends *ends; /* [file * 2 + write] */
	uint64_t *depths;  /* [UINT16_MAX + 1]: how many I/Os found each */
	double latency_sum_ns;
	struct captured_cell *cells; /* a hash table, twice as large as what it may hold */
};

#define TABLE           (CAPTURED_CELLS_MAX * 2u)
#define LOG_BLOCK_BYTES 4096u /* what page caches and databases write whole */

/* ---- one I/O ---- */

/*
 * True when an I/O goes on where one of the last streams ended. A log whose records do not fill
 * their last block writes that block again with the next ones: to begin anywhere in the last block
 * is to go on, too.
 */
static bool continues(struct ends *s, const struct trace_event *e, uint32_t block_bytes)
{
	uint64_t begin = e->offset_bytes, end = begin + e->size_bytes;

	for (unsigned i = 0; i < SUMMARY_STREAMS; i++) {
		if (s->at[i] != 0 && begin <= s->at[i] && s->at[i] - begin <= block_bytes &&
		    end > s->at[i]) {
			s->at[i] = end;
			return true;
		}
	}
	s->at[s->next] = end;
	s->next = (s->next + 1) % SUMMARY_STREAMS;
	return false;
}

static uint32_t round_up(uint32_t v)
{
	return v > 1 && v <= 1u << 31 ? 1u << (32 - __builtin_clz(v - 1)) : v;
}

/* False: there are more kinds of I/O than room for them. */
static bool add_cell(struct work *w, uint8_t op, uint32_t size_bytes, bool sequential,
                     uint64_t bytes)
{
	uint32_t h = (size_bytes * 2654435761u ^ op * 40503u ^ (sequential ? 7919u : 0)) % TABLE;

	for (;; h = (h + 1) % TABLE) {
		struct captured_cell *c = &w->cells[h];

		if (c->count == 0) {
			if (w->io->ncells == CAPTURED_CELLS_MAX)
				return false;
			*c = (struct captured_cell){
			    .op = op, .sequential = sequential, .size_bytes = size_bytes};
			w->io->ncells++;
		}
		if (c->op != op || c->size_bytes != size_bytes || c->sequential != sequential)
			continue;
		c->count++;
		c->bytes += bytes;
		return true;
	}
}

static enum captured_op op_of(const struct trace_event *e)
{
	static const enum captured_op ops[TRACE_OPS] = {[TRACE_READ] = CAPTURED_READ,
	                                                [TRACE_WRITE] = CAPTURED_WRITE,
	                                                [TRACE_FLUSH] = CAPTURED_FLUSH,
	                                                [TRACE_DISCARD] = CAPTURED_DISCARD};

	return ops[e->op];
}

/* Sizes of cells as they are, and when these are too many, all rounded up. */
static bool fill_cells(struct work *w, bool rounded)
{
	memset(w->cells, 0, TABLE * sizeof(*w->cells));
	memset(w->ends, 0, TRACE_FILES_MAX * 2 * sizeof(*w->ends));
	w->io->ncells = 0;
	for (size_t i = 0; i < w->t->nevents; i++) {
		const struct trace_event *e = &w->t->events[i];
		uint32_t size = rounded ? round_up(e->size_bytes) : e->size_bytes;
		bool sequential = false;

		if (e->op == TRACE_TXN || (e->flags & TRACE_CACHED) != 0)
			continue;
		if (e->op == TRACE_READ || e->op == TRACE_WRITE)
			sequential = continues(&w->ends[e->file * 2 + (e->op == TRACE_WRITE)], e,
			                       e->op == TRACE_WRITE ? LOG_BLOCK_BYTES : 0);
		if (!add_cell(w, (uint8_t)op_of(e), size, sequential, e->size_bytes))
			return false;
	}
	return true;
}

static int by_kind(const void *a, const void *b)
{
	const struct captured_cell *x = a, *y = b;

	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return (int)x->sequential - (int)y->sequential;
}

static int make_cells(struct work *w)
{
	unsigned n = 0;

	if (!fill_cells(w, false)) {
		w->io->rounded = true;
		fill_cells(w, true);
	}
	w->io->cells = calloc(w->io->ncells != 0 ? w->io->ncells : 1, sizeof(*w->io->cells));
	if (w->io->cells == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < TABLE; i++) {
		if (w->cells[i].count != 0)
			w->io->cells[n++] = w->cells[i];
	}
	qsort(w->io->cells, n, sizeof(*w->io->cells), by_kind);
	return 0;
}

static void count(struct work *w, const struct trace_event *e)
{
	struct captured_io *io = w->io;
	enum captured_op op = op_of(e);

	if ((e->flags & TRACE_CACHED) != 0) {
		io->cached_reads++;
		return;
	}
	io->counts[op]++;
	io->bytes[op] += e->size_bytes;
	io->failed += (e->flags & TRACE_FAILED) != 0;
	io->fua_writes += op == CAPTURED_WRITE && (e->flags & TRACE_FUA) != 0;
	if (io->latency[op] != NULL)
		hist_record(io->latency[op], e->latency_ns);
	w->latency_sum_ns += (double)e->latency_ns;
	w->depths[e->depth]++;
}

static void make_outstanding(struct work *w)
{
	double elapsed_ns = (double)(w->t->head.end_ns - w->t->head.begin_ns);
	uint64_t n = 0, below = 0;

	for (unsigned i = 0; i <= UINT16_MAX; i++)
		n += w->depths[i];
	for (unsigned i = 0; i <= UINT16_MAX && n != 0; i++) {
		below += w->depths[i];
		if (below * 100 >= n * 99) {
			w->io->outstanding_p99 = i;
			break;
		}
	}
	if (elapsed_ns > 0)
		w->io->outstanding_mean = w->latency_sum_ns / elapsed_ns;
}

/* ---- transactions ---- */

/* The open transaction of each client while events pass by. */
struct txn {
	uint64_t begin_ns, end_ns;
};

static uint64_t overlap_ns(const struct txn *x, const struct trace_event *e)
{
	uint64_t from = e->begin_ns > x->begin_ns ? e->begin_ns : x->begin_ns;
	uint64_t to = e->begin_ns + e->latency_ns;

	to = to < x->end_ns ? to : x->end_ns;
	return to > from ? to - from : 0;
}

static unsigned owners(const struct trace *t)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->nevents; i++) {
		if (t->events[i].op == TRACE_TXN && t->events[i].owner >= n)
			n = t->events[i].owner + 1;
	}
	return n;
}

/*
 * A thread's I/Os between begin and end of its transaction are its own. Writes into the page cache
 * are no wait for the device; only the VFS's are seen, and only there I/Os have clients.
 */
static int make_commit(struct work *w)
{
	const struct trace *t = w->t;
	unsigned n = owners(t);
	double txn_ns = 0, flush_ns = 0, device_ns = 0;
	struct txn *open;

	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];

		if (e->op != TRACE_TXN)
			continue;
		w->io->transactions += (e->flags & TRACE_FAILED) == 0;
		txn_ns += (double)e->latency_ns;
	}
	if (t->head.source != TRACE_SOURCE_VFS || txn_ns <= 0)
		return 0;
	open = calloc(n, sizeof(*open));
	if (open == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];
		double in_ns;

		if (e->owner >= n)
			continue;
		if (e->op == TRACE_TXN) {
			open[e->owner] = (struct txn){e->begin_ns, e->begin_ns + e->latency_ns};
			continue;
		}
		if (e->op == TRACE_WRITE || (e->flags & TRACE_CACHED) != 0)
			continue;
		in_ns = (double)overlap_ns(&open[e->owner], e);
		device_ns += in_ns;
		flush_ns += e->op == TRACE_FLUSH ? in_ns : 0;
	}
	free(open);
	w->io->has_commit = true;
	w->io->flush_share = flush_ns / txn_ns;
	w->io->device_share = device_ns / txn_ns;
	return 0;
}

/* ---- for its users ---- */

static int prepare(struct work *w)
{
	w->ends = calloc(TRACE_FILES_MAX * 2, sizeof(*w->ends));
	w->depths = calloc(UINT16_MAX + 1u, sizeof(*w->depths));
	w->cells = calloc(TABLE, sizeof(*w->cells));
	if (w->ends == NULL || w->depths == NULL || w->cells == NULL)
		return -ENOMEM;
	for (unsigned i = CAPTURED_READ; i <= CAPTURED_FLUSH; i++) {
		w->io->latency[i] = hist_new();
		if (w->io->latency[i] == NULL)
			return -ENOMEM;
	}
	return 0;
}

int summary_make(struct captured_io *io, const struct trace *t)
{
	struct work w = {.t = t, .io = io};
	int rc;

	*io = (struct captured_io){0};
	rc = prepare(&w);
	for (size_t i = 0; rc == 0 && i < t->nevents; i++) {
		if (t->events[i].op != TRACE_TXN)
			count(&w, &t->events[i]);
	}
	if (rc == 0)
		make_outstanding(&w);
	if (rc == 0)
		rc = make_cells(&w);
	if (rc == 0)
		rc = make_commit(&w);
	free(w.ends);
	free(w.depths);
	free(w.cells);
	return rc;
}

void summary_fini(struct captured_io *io)
{
	for (unsigned i = 0; i < CAPTURED_OPS; i++)
		hist_free(io->latency[i]);
	free(io->cells);
	*io = (struct captured_io){0};
}
