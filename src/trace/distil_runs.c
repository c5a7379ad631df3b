/* SPDX-License-Identifier: MIT */
/*
 * Sequences. Each I/O goes on with one of the last runs of its file and direction, or begins a new
 * one: it goes on where it begins at the run's end, or within the run's last I/O and reaches beyond
 * it (the last block of a log is written again and again). I/Os that were in flight together may
 * have begun in another order than that of their addresses: a young run is joined with the one that
 * reaches its beginning. Runs that went on often enough are sequences.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/distil_priv.h"

#define RUNS_LIVE   64u /* sequences side by side, of one file and direction */
#define RUN_STEPS   8u  /* that a sequence has at least */
#define REORDER_IOS 64u /* of one direction in flight */
#define SLOTS       (TRACE_FILES_MAX * 2)

struct live_run {
	uint64_t from, last, next; /* begin of the first I/O and of the last, and the last's end */
	uint64_t begun, used;      /* number of the I/O that began it, that came last */
	uint32_t run;
};

struct live_runs {
	struct live_run runs[RUNS_LIVE];
	unsigned n;
	uint64_t ios;
};

struct run {
	uint32_t joined; /* the run that it became a part of; itself: none */
	uint32_t steps;
};

struct finder {
	struct live_runs *live; /* by file and direction */
	struct run *runs;
	uint32_t nruns;
};

static uint32_t root_of(struct finder *f, uint32_t run)
{
	while (f->runs[run].joined != run) {
		f->runs[run].joined = f->runs[f->runs[run].joined].joined;
		run = f->runs[run].joined;
	}
	return run;
}

/* The run that this I/O goes on with, or NULL. */
static struct live_run *going_on(struct live_runs *live, const struct load_io *io)
{
	uint64_t from = io->offset_bytes, end = from + io->size_bytes;
	struct live_run *again = NULL;

	for (unsigned i = 0; i < live->n; i++) {
		struct live_run *r = &live->runs[i];

		if (from == r->next)
			return r;
		if (io->op == TRACE_WRITE && from >= r->last && from < r->next && end >= r->next)
			again = r;
	}
	return again;
}

/* A young run that begins where this one ends, or ends where it begins; its index, or live->n. */
static unsigned neighbour(const struct finder *f, const struct live_runs *live, unsigned at,
                          bool begun)
{
	const struct live_run *r = &live->runs[at];
	unsigned i;

	for (i = 0; i < live->n; i++) {
		const struct live_run *young = &live->runs[i];

		if (i == at || live->ios - young->begun > REORDER_IOS)
			continue;
		/* One that did not go forward yet may be a part of a scan downwards, which is no
		 * sequence. */
		if (begun && f->runs[young->run].steps == 0)
			continue;
		if (young->from == r->next || young->next == r->from)
			break;
	}
	return i;
}

/* Joins runs that began a moment ago with the one that has come to them. */
static void join_young(struct finder *f, struct live_runs *live, unsigned at, bool begun)
{
	unsigned i;

	while ((i = neighbour(f, live, at, begun)) < live->n) {
		struct live_run *r = &live->runs[at], *young = &live->runs[i];

		if (young->from == r->next) {
			r->last = young->last;
			r->next = young->next;
		} else {
			r->from = young->from;
		}
		f->runs[r->run].steps += f->runs[young->run].steps + 1;
		f->runs[young->run].joined = r->run;
		live->n--;
		if (at == live->n)
			at = i;
		*young = live->runs[live->n];
	}
}

static struct live_run *begin_run(struct finder *f, struct live_runs *live)
{
	struct live_run *r = &live->runs[0];

	if (live->n < RUNS_LIVE) {
		r = &live->runs[live->n++];
	} else {
		for (unsigned i = 1; i < RUNS_LIVE; i++)
			r = live->runs[i].used < r->used ? &live->runs[i] : r;
	}
	f->runs[f->nruns].joined = f->nruns;
	f->runs[f->nruns].steps = 0;
	*r = (struct live_run){.run = f->nruns++, .begun = live->ios};
	return r;
}

static void place(struct finder *f, struct live_runs *live, struct load_io *io)
{
	struct live_run *r = going_on(live, io);
	bool begun = r == NULL;

	live->ios++;
	if (begun) {
		r = begin_run(f, live);
		r->from = io->offset_bytes;
	} else if (io->offset_bytes + io->size_bytes > r->next) {
		f->runs[r->run].steps++;
	}
	io->run = r->run;
	r->last = io->offset_bytes;
	r->next = io->offset_bytes + io->size_bytes;
	r->used = live->ios;
	join_young(f, live, (unsigned)(r - live->runs), begun);
}

int distil_runs(struct load *l, uint32_t *nruns)
{
	struct finder f = {.live = calloc(SLOTS, sizeof(*f.live)),
	                   .runs = calloc(l->n != 0 ? l->n : 1, sizeof(*f.runs))};

	*nruns = 0;
	if (f.live == NULL || f.runs == NULL) {
		free(f.live);
		free(f.runs);
		return -ENOMEM;
	}
	for (size_t i = 0; i < l->n; i++) {
		struct load_io *io = &l->ios[i];

		if (io->op != TRACE_FLUSH)
			place(&f, &f.live[io->file * 2 + (io->op == TRACE_WRITE)], io);
	}
	for (size_t i = 0; i < l->n; i++) {
		struct load_io *io = &l->ios[i];

		if (io->op == TRACE_FLUSH)
			continue;
		io->run = root_of(&f, io->run);
		io->sequential = io->sequential || f.runs[io->run].steps >= RUN_STEPS;
	}
	*nruns = f.nruns;
	free(f.live);
	free(f.runs);
	return 0;
}
