/* SPDX-License-Identifier: MIT */
/*
 * Streams: the I/Os of one file, direction and durability; those at random are one stream, and
 * those in sequence one for each stretch of addresses that sequences went over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/gcd.h"
#include "trace/distil_priv.h"

#define PAGE_BYTES    4096u
#define STRETCHES_MAX 6u /* of one file and direction; with more all are one */
#define GROUPS        (TRACE_FILES_MAX * 4)
#define IOS_PER_CHUNK 32u /* on average, for heat to mean anything */
#define WHOLE_SHARE   0.9 /* of a file: taken for all of it */
#define NO_DRAFT      UINT32_MAX

/* A stream before it is known whether there is room for it. */
struct draft {
	unsigned group;
	bool sequential;
	uint64_t from, to;
	uint64_t ios;
	unsigned stream;
};

struct drafts {
	struct draft *items;
	uint32_t n, room;
	uint32_t random[GROUPS]; /* index by group */
	uint32_t *by_run;
};

static unsigned group_of(const struct load_io *io)
{
	return io->file * 4u + (io->op == TRACE_WRITE ? 2u : 0u) +
	       ((io->flags & TRACE_FUA) != 0 && io->op == TRACE_WRITE ? 1u : 0u);
}

static uint32_t new_draft(struct drafts *d, unsigned group, bool sequential)
{
	if (d->n == d->room) {
		uint32_t room = d->room != 0 ? 2 * d->room : 64;
		struct draft *items = realloc(d->items, room * sizeof(*items));

		if (items == NULL)
			return NO_DRAFT;
		d->items = items;
		d->room = room;
	}
	d->items[d->n] =
	    (struct draft){.group = group, .sequential = sequential, .from = UINT64_MAX};
	return d->n++;
}

static void widen(struct draft *d, uint64_t from, uint64_t to)
{
	d->from = from < d->from ? from : d->from;
	d->to = to > d->to ? to : d->to;
}

/* One draft for each run of I/Os, and one for the rest of each group. */
static int draft_runs(struct drafts *d, struct load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct load_io *io = &l->ios[i];
		unsigned group;
		uint32_t *at;

		if (io->op == TRACE_FLUSH)
			continue;
		group = group_of(io);
		at = io->sequential ? &d->by_run[io->run] : &d->random[group];
		if (*at == NO_DRAFT)
			*at = new_draft(d, group, io->sequential);
		if (*at == NO_DRAFT)
			return -ENOMEM;
		d->items[*at].ios++;
		widen(&d->items[*at], io->offset_bytes, io->offset_bytes + io->size_bytes);
	}
	return 0;
}

struct place {
	uint64_t from;
	uint32_t draft;
};

static int by_place(const void *a, const void *b)
{
	uint64_t x = ((const struct place *)a)->from, y = ((const struct place *)b)->from;

	return (x > y) - (x < y);
}

/* Joins the runs of one group that lie over one another; `into` says for each draft which one it
 * went into. Returns how many stretches are left. */
static unsigned join_stretches(struct drafts *d, struct place *places, uint32_t n, uint32_t *into,
                               bool all)
{
	struct draft *last = NULL;
	uint32_t last_index = 0;
	unsigned count = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct draft *draft = &d->items[places[i].draft];

		if (last != NULL && (all || draft->from < last->to)) {
			widen(last, draft->from, draft->to);
			last->ios += draft->ios;
			draft->ios = 0;
			into[places[i].draft] = last_index;
			continue;
		}
		last = draft;
		last_index = places[i].draft;
		count++;
	}
	return count;
}

static int join_runs(struct drafts *d, uint32_t *into)
{
	struct place *places = calloc(d->n, sizeof(*places));

	if (places == NULL)
		return -ENOMEM;
	for (unsigned group = 0; group < GROUPS; group++) {
		uint32_t n = 0, left = 0;

		for (uint32_t i = 0; i < d->n; i++) {
			if (d->items[i].group == group && d->items[i].sequential)
				places[n++] = (struct place){d->items[i].from, i};
		}
		if (n == 0)
			continue;
		qsort(places, n, sizeof(*places), by_place);
		if (join_stretches(d, places, n, into, false) <= STRETCHES_MAX)
			continue;
		for (uint32_t i = 0; i < n; i++) {
			if (d->items[places[i].draft].ios != 0)
				places[left++] = places[i];
		}
		join_stretches(d, places, left, into, true);
	}
	free(places);
	return 0;
}

/* ---- room for all ---- */

/* The best of those that are left to count I/Os to: of the same direction, with the most. */
static uint32_t host_of(const struct drafts *d, uint32_t guest)
{
	uint32_t best = NO_DRAFT;

	for (uint32_t i = 0; i < d->n; i++) {
		bool same = (d->items[i].group & 2) == (d->items[guest].group & 2);

		if (i != guest && d->items[i].ios != 0 && same &&
		    (best == NO_DRAFT || d->items[i].ios > d->items[best].ios))
			best = i;
	}
	return best;
}

static uint64_t fold_small(struct drafts *d, uint32_t *into)
{
	uint64_t folded = 0;

	for (;;) {
		uint32_t n = 0, least = NO_DRAFT, host;

		for (uint32_t i = 0; i < d->n; i++) {
			n += d->items[i].ios != 0;
			if (d->items[i].ios != 0 &&
			    (least == NO_DRAFT || d->items[i].ios < d->items[least].ios))
				least = i;
		}
		if (n <= DISTIL_STREAMS_MAX)
			return folded;
		host = host_of(d, least);
		if (host == NO_DRAFT)
			return folded;
		folded += d->items[least].ios;
		d->items[host].ios += d->items[least].ios;
		d->items[least].ios = 0;
		into[least] = host;
	}
}

/* ---- streams ---- */

static void name_stream(struct distilled *d, struct distil_stream *s, const struct load_file *file)
{
	const char *what =
	    !s->write ? (s->sequential ? "scan" : "read") : (s->sequential ? "append" : "write");
	unsigned same = 0;

	for (;;) {
		bool taken = false;

		snprintf(s->name, sizeof(s->name), "%s%s%s%s", file->name,
		         file->name[0] != '\0' ? " " : "", what, s->fua ? " fua" : "");
		if (same != 0)
			snprintf(s->name + strlen(s->name), sizeof(s->name) - strlen(s->name),
			         " %u", same + 1);
		for (unsigned i = 0; i < d->nstreams && !taken; i++)
			taken = strcmp(d->streams[i].name, s->name) == 0;
		if (!taken)
			return;
		same++;
	}
}

static void add_stream(struct distilled *d, const struct load *l, struct draft *draft)
{
	const struct load_file *file = &l->files[draft->group / 4];
	struct distil_stream *s = &d->streams[d->nstreams];
	uint64_t file_end = file->base_bytes + file->span_bytes;

	*s = (struct distil_stream){.write = (draft->group & 2) != 0,
	                            .fua = (draft->group & 1) != 0,
	                            .sequential = draft->sequential,
	                            .ios = draft->ios};
	s->offset_bytes = draft->from - draft->from % PAGE_BYTES;
	draft->to += (PAGE_BYTES - draft->to % PAGE_BYTES) % PAGE_BYTES;
	if (draft->to > file_end)
		draft->to = file_end;
	s->span_bytes = draft->to - s->offset_bytes;
	if (!draft->sequential && (double)s->span_bytes >= WHOLE_SHARE * (double)file->span_bytes) {
		s->offset_bytes = file->base_bytes;
		s->span_bytes = file->span_bytes;
	}
	name_stream(d, s, file);
	draft->stream = d->nstreams++;
}

static void assign(const struct drafts *d, const uint32_t *into, struct load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct load_io *io = &l->ios[i];
		uint32_t at;

		io->stream = LOAD_NO_STREAM;
		if (io->op == TRACE_FLUSH)
			continue;
		at = io->sequential ? d->by_run[io->run] : d->random[group_of(io)];
		while (into[at] != at)
			at = into[at];
		io->stream = (uint8_t)d->items[at].stream;
	}
}

/* ---- what its I/Os are like ---- */

static unsigned choose_chunks(const struct distil_stream *s)
{
	uint32_t largest = PAGE_BYTES;
	unsigned n = 1;

	for (unsigned i = 0; i < s->sizes.n; i++)
		largest = s->sizes.bytes[i] > largest ? s->sizes.bytes[i] : largest;
	while (n < DISTIL_CHUNKS_MAX && s->ios / (2 * n) >= IOS_PER_CHUNK &&
	       s->span_bytes / (2 * n) >= largest)
		n *= 2;
	return n;
}

static void measure_places(struct distil_stream *s, const struct load *l, uint8_t index)
{
	uint32_t heat[DISTIL_CHUNKS_MAX] = {0};
	unsigned nchunks = choose_chunks(s);
	uint64_t divisor = 0, inside = 0;
	uint32_t most = 0;
	bool own_size = true;

	for (size_t i = 0; i < l->n; i++) {
		const struct load_io *io = &l->ios[i];
		uint64_t at = io->offset_bytes - s->offset_bytes;

		if (io->stream != index || io->offset_bytes < s->offset_bytes ||
		    at >= s->span_bytes)
			continue;
		inside++;
		heat[(unsigned __int128)at * nchunks / s->span_bytes]++;
		divisor = gcd(at, divisor);
		own_size = own_size && at % io->size_bytes == 0;
		most = io->size_bytes > most ? io->size_bytes : most;
	}
	if (!own_size) {
		while (divisor % 2 == 0 && divisor > PAGE_BYTES && divisor > most)
			divisor /= 2;
		s->align_bytes =
		    divisor % 512 == 0 && divisor <= 1u << 30 ? (uint32_t)divisor : 512;
	}
	if (inside != 0)
		distil_bands(s, heat, nchunks);
}

static int measure_sizes(struct distil_stream *s, const struct load *l, uint8_t index)
{
	struct size_counts sizes = {0};
	int rc = 0;

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		if (l->ios[i].stream != index)
			continue;
		s->synced += (l->ios[i].flags & TRACE_SYNC) != 0;
		rc = size_counts_add(&sizes, l->ios[i].size_bytes);
	}
	size_counts_settle(&sizes, &s->sizes);
	free(sizes.items);
	return rc;
}

static int fill(struct distilled *d, struct load *l, struct drafts *drafts, uint32_t *into)
{
	int rc = draft_runs(drafts, l);

	for (uint32_t i = 0; i < drafts->n; i++)
		into[i] = i;
	if (rc == 0 && drafts->n != 0)
		rc = join_runs(drafts, into);
	if (rc != 0)
		return rc;
	d->folded = fold_small(drafts, into);
	for (uint32_t i = 0; i < drafts->n; i++) {
		if (drafts->items[i].ios != 0)
			add_stream(d, l, &drafts->items[i]);
	}
	assign(drafts, into, l);
	for (unsigned i = 0; i < d->nstreams && rc == 0; i++) {
		rc = measure_sizes(&d->streams[i], l, (uint8_t)i);
		if (rc == 0 && !d->streams[i].sequential)
			measure_places(&d->streams[i], l, (uint8_t)i);
	}
	return rc;
}

int distil_streams(struct distilled *d, struct load *l, uint32_t nruns)
{
	struct drafts drafts = {.by_run = malloc((nruns + 1ull) * sizeof(*drafts.by_run))};
	uint32_t *into = malloc((nruns + GROUPS + 1ull) * sizeof(*into));
	int rc = -ENOMEM;

	if (drafts.by_run != NULL && into != NULL) {
		memset(drafts.by_run, 0xff, (nruns + 1ull) * sizeof(*drafts.by_run));
		memset(drafts.random, 0xff, sizeof(drafts.random));
		rc = fill(d, l, &drafts, into);
	}
	free(drafts.items);
	free(drafts.by_run);
	free(into);
	return rc;
}
