/* SPDX-License-Identifier: MIT */
#include "trace/distil.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

const double distil_percentiles[DISTIL_PERCENTILES_MAX] = {1, 10, 25, 50, 75, 90, 99};

static void count_ios(struct distilled *d, const struct load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct load_io *io = &l->ios[i];

		switch (io->op) {
		case TRACE_READ:
			d->reads++;
			d->read_bytes += io->size_bytes;
			break;
		case TRACE_WRITE:
			d->writes++;
			d->written_bytes += io->size_bytes;
			d->fuas += (io->flags & TRACE_FUA) != 0;
			break;
		default:
			d->flushes++;
		}
	}
}

/* ---- arrivals ---- */

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int measure_arrivals(struct distilled *d, const struct load *l)
{
	uint64_t *gaps = malloc((l->n + 1) * sizeof(*gaps));
	double sum = 0, squares = 0;
	size_t n = 0;

	if (gaps == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < l->n; i++) {
		gaps[n] = l->ios[i].begin_ns - l->ios[i - 1].begin_ns;
		sum += (double)gaps[n];
		squares += (double)gaps[n] * (double)gaps[n];
		n++;
	}
	if (n != 0 && sum > 0) {
		double mean = sum / (double)n;

		d->arrival_cv = sqrt(fmax(0, squares / (double)n - mean * mean)) / mean;
		qsort(gaps, n, sizeof(*gaps), by_number);
		for (unsigned i = 0; i < DISTIL_PERCENTILES_MAX; i++)
			d->arrival_ns[i] =
			    gaps[(size_t)((double)(n - 1) * distil_percentiles[i] / 100)];
	}
	free(gaps);
	return 0;
}

/* ---- outstanding ---- */

/* A heap of ends, the earliest first: what is in flight when the next I/O begins. */
static void push(uint64_t *heap, size_t *n, uint64_t end_ns)
{
	size_t at = (*n)++;

	while (at != 0 && heap[(at - 1) / 2] > end_ns) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = end_ns;
}

static void pop(uint64_t *heap, size_t *n)
{
	uint64_t last = heap[--*n];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= *n)
			break;
		if (child + 1 < *n && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= last)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
}

/*
 * The shares are by I/O, when each began; a device's tracepoints count that themselves, and saw
 * I/Os that began before the window. The mean is over the time in which anything was outstanding:
 * by I/O a checkpoint's short burst would have more weight than all the time beside it, and a
 * replay with so many outstanding would be another load.
 */
static int measure_depths(struct distilled *d, const struct load *l)
{
	uint64_t *heap = malloc((l->n + 1) * sizeof(*heap));
	uint64_t depths[DISTIL_DEPTHS_MAX] = {0}, count = 0, below = 0;
	double spent_ns = 0, busy_ns = 0;
	uint64_t busy_until_ns = 0;
	size_t inflight = 0;

	if (heap == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++) {
		const struct load_io *io = &l->ios[i];
		uint64_t depth;

		while (inflight != 0 && heap[0] <= io->begin_ns)
			pop(heap, &inflight);
		push(heap, &inflight, io->end_ns);
		/* A flush waits for nothing but itself; the kernel's own writing is nobody's. */
		if (io->op == TRACE_FLUSH || io->no_client)
			continue;
		depth = io->depth != 0 ? io->depth : inflight;
		spent_ns += (double)(io->end_ns - io->begin_ns);
		if (io->end_ns > busy_until_ns) {
			busy_ns +=
			    (double)(io->end_ns -
			             (io->begin_ns > busy_until_ns ? io->begin_ns : busy_until_ns));
			busy_until_ns = io->end_ns;
		}
		depths[depth < DISTIL_DEPTHS_MAX ? depth : DISTIL_DEPTHS_MAX - 1]++;
		count++;
	}
	free(heap);
	if (count == 0)
		return 0;
	d->outstanding_mean = busy_ns > 0 ? spent_ns / busy_ns : 1;
	for (unsigned i = 0; i < DISTIL_DEPTHS_MAX; i++) {
		d->depth_share[i] = (double)depths[i] / (double)count;
		if ((double)below < 0.99 * (double)count)
			d->outstanding_p99 = i;
		below += depths[i];
	}
	return 0;
}

/* ---- flushes ---- */

/*
 * In the plain mix a flush comes after so many writes of one stream: of the file's stream with the
 * most writes, one that transactions wait for where there is such.
 */
static void share_flushes(struct distilled *d, const struct load *l)
{
	uint64_t flushes[TRACE_FILES_MAX] = {0};
	uint8_t file_of[DISTIL_STREAMS_MAX] = {0};

	for (size_t i = 0; i < l->n; i++) {
		if (l->ios[i].op == TRACE_FLUSH)
			flushes[l->ios[i].file]++;
		else
			file_of[l->ios[i].stream] = l->ios[i].file;
	}
	for (unsigned file = 0; file < l->nfiles; file++) {
		struct distil_stream *best = NULL;

		for (unsigned pass = 0; pass < 2 && best == NULL; pass++) {
			for (unsigned i = 0; i < d->nstreams; i++) {
				struct distil_stream *s = &d->streams[i];
				bool fits = s->write && (s->per_transaction <= 0) &&
				            (pass == 1 || file_of[i] == file);

				if (fits && (best == NULL || s->ios > best->ios))
					best = s;
			}
		}
		if (best != NULL)
			best->flushes += flushes[file];
		else
			d->loose_flushes += flushes[file];
	}
}

static int measure(struct distilled *d, struct load *l, const struct trace *t)
{
	uint32_t nruns;
	int rc = distil_runs(l, &nruns);

	count_ios(d, l);
	if (rc == 0)
		rc = distil_streams(d, l, nruns);
	if (rc == 0)
		rc = distil_txns(d, l, t);
	if (rc == 0)
		rc = measure_arrivals(d, l);
	if (rc == 0)
		rc = measure_depths(d, l);
	if (rc == 0)
		share_flushes(d, l);
	return rc;
}

static const char *name_of(const struct trace *t)
{
	return t->path != NULL ? t->path : "trace";
}

int distil(struct distilled *d, const struct trace *t, struct err *err)
{
	struct load l;
	int rc = load_make(&l, t);

	*d = (struct distilled){.source = (enum trace_source)t->head.source,
	                        .events = t->nevents,
	                        .dropped = t->head.dropped};
	if (t->head.end_ns > t->head.begin_ns)
		d->elapsed_s = (double)(t->head.end_ns - t->head.begin_ns) / 1e9;
	if (rc == 0) {
		d->span_bytes = l.span_bytes;
		d->cached_reads = l.cached_reads;
		d->failed = l.failed;
		rc = measure(d, &l, t);
	}
	load_fini(&l);
	if (rc != 0) {
		err_run(err, "%s: out of memory for %zu events", name_of(t), t->nevents);
		return rc;
	}
	if (d->nstreams == 0)
		return err_usage(err,
		                 "%s: no read or write reached the drive in the window (%llu "
		                 "reads came from memory); there is nothing to imitate: use a "
		                 "database larger than memory, or one that writes",
		                 name_of(t), (unsigned long long)d->cached_reads);
	return 0;
}

int distil_ios(struct distil_io **ios, size_t *n, uint64_t *span_bytes, const struct trace *t,
               struct err *err)
{
	struct load l;
	int rc = load_make(&l, t);

	*n = 0;
	*ios = rc == 0 ? calloc(l.n + 1, sizeof(**ios)) : NULL;
	for (size_t i = 0; *ios != NULL && i < l.n; i++)
		(*ios)[(*n)++] = (struct distil_io){
		    .at_ns = l.ios[i].begin_ns - l.ios[0].begin_ns,
		    .offset_bytes = l.ios[i].op == TRACE_FLUSH ? 0 : l.ios[i].offset_bytes,
		    .bytes = l.ios[i].op == TRACE_FLUSH ? 0 : l.ios[i].size_bytes,
		    .op = l.ios[i].op,
		    .fua = (l.ios[i].flags & TRACE_FUA) != 0};
	*span_bytes = l.span_bytes;
	load_fini(&l);
	if (*ios != NULL)
		return 0;
	err_run(err, "%s: out of memory for %zu events", name_of(t), t->nevents);
	return -ENOMEM;
}
