/* SPDX-License-Identifier: MIT */
/* The I/Os of the drive: those of a block trace, with the holes between the parts that were used
 * cut out of the addresses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

#define CHUNK_BYTES    (1u << 20) /* in which use is looked at */
#define HOLE_MIN_BYTES (64ull << 20)
#define HOLES_SHARE    128 /* a hole is at least so small a part of the used addresses */
#define DENSE_SHARE    8   /* a device of which so large a part is used is taken as it is */

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
			return 0;
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

/*
 * A database of 1 GB on a drive of 1 TB would be a stream on a thousandth of any other drive: what
 * lies between the parts that were used is left out. A device that is used all over stays as it is.
 */
static int cut_holes(struct load *l, uint64_t device_bytes)
{
	struct segment segments[HOLES_SHARE + 1];
	uint64_t *chunks = calloc(l->n != 0 ? 2 * l->n : 1, sizeof(*chunks));
	uint64_t span, hole, used;
	size_t n = 0, count;

	if (chunks == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < l->n; i++) {
		const struct load_io *io = &l->ios[i];

		if (io->op == TRACE_FLUSH || io->size_bytes == 0)
			continue;
		chunks[n++] = io->offset_bytes / CHUNK_BYTES;
		chunks[n++] = (io->offset_bytes + io->size_bytes - 1) / CHUNK_BYTES;
	}
	qsort(chunks, n, sizeof(*chunks), by_number);
	l->span_bytes = device_bytes;
	span = n != 0 ? (chunks[n - 1] + 1 - chunks[0]) * CHUNK_BYTES : 0;
	if (n != 0 && chunks[n - 1] * CHUNK_BYTES >= device_bytes)
		l->span_bytes =
		    (chunks[n - 1] + 1) * CHUNK_BYTES; /* the device's size is unknown */
	hole = span / HOLES_SHARE > HOLE_MIN_BYTES ? span / HOLES_SHARE : HOLE_MIN_BYTES;
	count = find_segments(segments, HOLES_SHARE + 1, chunks, n, hole / CHUNK_BYTES);
	free(chunks);
	if (count == 0)
		return 0;
	used = (segments[count - 1].at + segments[count - 1].to - segments[count - 1].from) *
	       CHUNK_BYTES;
	if (used >= l->span_bytes / DENSE_SHARE)
		return 0;
	move_ios(l, segments, count);
	l->span_bytes = used;
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
