/* SPDX-License-Identifier: MIT */
/* The I/Os of the drive: those of a block trace, with the holes between the parts that were used
 * cut out of the addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

#define CHUNK_BYTES    (1u << 20) /* in which use is looked at */
#define HOLE_MIN_BYTES (16ull << 20)
#define SPARSE_GAPS    32  /* where few places were seen, a hole is so many usual gaps */
#define SEEN_SHARE     0.9 /* of the next I/Os that would come to places that were seen */
#define SEGMENTS_MAX   128u
#define DENSE_SHARE    0.875 /* a device of which so much is left is taken as it is */

int load_add(struct load *l, const struct load_io *io)
{
	if (l->n == l->room) {
		size_t room = l->room != 0 ? 2 * l->room : 4096;
		struct load_io *ios = realloc(l->ios, room * sizeof(*ios));

		if (ios == NULL)
			return -ENOMEM;
		l->ios = ios;
		l->room = room;
	}
	l->ios[l->n++] = *io;
	return 0;
}

void load_fini(struct load *l)
{
	free(l->ios);
	l->ios = NULL;
}

/* ---- holes ---- */

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A part of the device that is used, and where it goes. */
struct segment {
	uint64_t from, to, at; /* in chunks */
};

static size_t find_segments(struct segment *segments, size_t max, const uint64_t *chunks, size_t n,
                            uint64_t hole)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (count != 0 && chunks[i] < segments[count - 1].to + hole) {
			segments[count - 1].to = chunks[i] + 1;
			continue;
		}
		if (count == max)
			return max + 1;
		segments[count] = (struct segment){.from = chunks[i], .to = chunks[i] + 1};
		if (count != 0)
			segments[count].at = segments[count - 1].at + segments[count - 1].to -
			                     segments[count - 1].from;
		count++;
	}
	return count;
}

static void move_ios(struct load *l, const struct segment *segments, size_t n)
{
	for (size_t i = 0; i < l->n; i++) {
		struct load_io *io = &l->ios[i];
		uint64_t chunk = io->offset_bytes / CHUNK_BYTES;
		size_t lo = 0, hi = n - 1;

		if (io->op == TRACE_FLUSH)
			continue;
		while (lo < hi) {
			size_t mid = (lo + hi + 1) / 2;

			if (segments[mid].from <= chunk)
				lo = mid;
			else
				hi = mid - 1;
		}
		io->offset_bytes -= (segments[lo].from - segments[lo].at) * CHUNK_BYTES;
	}
}

/* The usual gap between places that were used: the median. Makes `chunks` (sorted) distinct. */
static uint64_t usual_gap(uint64_t *chunks, size_t *n)
{
	uint64_t *gaps, gap;
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		if (kept == 0 || chunks[kept - 1] != chunks[i])
			chunks[kept++] = chunks[i];
	}
	*n = kept;
	gaps = kept > 1 ? malloc((kept - 1) * sizeof(*gaps)) : NULL;
	if (gaps == NULL)
		return 1;
	for (size_t i = 1; i < kept; i++)
		gaps[i - 1] = chunks[i] - chunks[i - 1];
	qsort(gaps, kept - 1, sizeof(*gaps), by_number);
	gap = gaps[(kept - 1) / 2];
	free(gaps);
	return gap;
}

/* The share of I/Os to come that fall into chunks that were seen: 1 - those seen once / all (Good
 * and Turing's estimate). `chunks` is sorted. */
static double seen_share(const uint64_t *chunks, size_t n)
{
	size_t once = 0;

	for (size_t i = 0; i < n; i++) {
		if ((i == 0 || chunks[i - 1] != chunks[i]) &&
		    (i + 1 == n || chunks[i + 1] != chunks[i]))
			once++;
	}
	return n != 0 ? 1 - (double)once / (double)n : 0;
}

/*
 * A database of 1 GB on a drive of 1 TB would be a stream on a thousandth of any other drive, or on
 * pieces all over it: what lies between the parts that were used is left out. Where I/Os keep
 * coming to places that were not seen before, the gaps between them are chance, and only far larger
 * ones are holes.
 */
static int cut_holes(struct load *l, uint64_t device_bytes)
{
	struct segment segments[SEGMENTS_MAX];
	uint64_t *chunks = calloc(l->n != 0 ? l->n : 1, sizeof(*chunks));
	uint64_t hole = HOLE_MIN_BYTES / CHUNK_BYTES, end = 0, gap, used;
	size_t n = 0, count;
	double seen;

	if (chunks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++) {
		const struct load_io *io = &l->ios[i];

		if (io->op == TRACE_FLUSH)
			continue;
		chunks[n++] = io->offset_bytes / CHUNK_BYTES;
		if (io->offset_bytes + io->size_bytes > end)
			end = io->offset_bytes + io->size_bytes;
	}
	l->span_bytes = end > device_bytes ? end : device_bytes; /* 0: of unknown size */
	qsort(chunks, n, sizeof(*chunks), by_number);
	seen = seen_share(chunks, n);
	gap = usual_gap(chunks, &n);
	if (seen < SEEN_SHARE && SPARSE_GAPS * gap > hole)
		hole = SPARSE_GAPS * gap;
	while ((count = find_segments(segments, SEGMENTS_MAX, chunks, n, hole)) > SEGMENTS_MAX)
		hole *= 2;
	free(chunks);
	if (count == 0)
		return 0;
	/* An I/O may reach beyond the chunk in which it begins. */
	used = segments[count - 1].at + segments[count - 1].to - segments[count - 1].from;
	if ((double)used * CHUNK_BYTES >= DENSE_SHARE * (double)l->span_bytes)
		return 0;
	move_ios(l, segments, count);
	l->span_bytes = used * CHUNK_BYTES;
	for (size_t i = 0; i < l->n; i++) {
		if (l->ios[i].offset_bytes + l->ios[i].size_bytes > l->span_bytes)
			l->span_bytes = l->ios[i].offset_bytes + l->ios[i].size_bytes;
	}
	return 0;
}

static int from_device(struct load *l, const struct trace *t)
{
	uint64_t device_bytes = 0;
	int rc = 0;

	l->nfiles = 1;
	for (unsigned i = 0; i < t->head.nfiles; i++) {
		if (t->files[i].size_bytes > device_bytes)
			device_bytes = t->files[i].size_bytes;
	}
	for (size_t i = 0; rc == 0 && i < t->nevents; i++) {
		const struct trace_event *e = &t->events[i];
		struct load_io io = {.begin_ns = e->begin_ns,
		                     .end_ns = e->begin_ns + e->latency_ns,
		                     .offset_bytes = e->offset_bytes,
		                     .size_bytes = e->size_bytes,
		                     .owner = e->owner,
		                     .depth = e->depth,
		                     .op = e->op,
		                     .flags = e->flags};

		if (e->op != TRACE_READ && e->op != TRACE_WRITE && e->op != TRACE_FLUSH)
			continue;
		if (e->op != TRACE_FLUSH && e->size_bytes == 0)
			continue;
		l->failed += (e->flags & TRACE_FAILED) != 0;
		rc = load_add(l, &io);
	}
	if (rc == 0)
		rc = cut_holes(l, device_bytes);
	l->files[0].span_bytes = l->span_bytes;
	return rc;
}

int load_make(struct load *l, const struct trace *t)
{
	*l = (struct load){0};
	return t->head.source == TRACE_SOURCE_VFS ? load_from_files(l, t) : from_device(l, t);
}
