/* SPDX-License-Identifier: MIT */
/*
 * pts: the tests of the SNIA's performance test specification: the same cells (mixes x sizes) round
 * after round, until one of them that is tracked is steady; or one cell for as long as it takes to
 * see where a drive ends up (write saturation). How a cell is run is the caller's: this module
 * decides what comes next, and when it is over.
 */
#ifndef IOLTP_RAW_PTS_H
#define IOLTP_RAW_PTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "raw/profile.h"
#include "raw/steady.h"
#include "run/cells.h"

#define PTS_MIXES_MAX  16u
#define PTS_SIZES_MAX  16u
#define PTS_CELLS_MAX  (PTS_MIXES_MAX * PTS_SIZES_MAX)
#define PTS_ROUNDS_MAX 1000u

enum pts_metric { PTS_IOPS, PTS_BYTES_PER_S, PTS_LATENCY_NS };

struct pts_test {
	char name[64];
	char title[256];
	bool series;            /* one cell against time and bytes; nothing is judged */
	enum pts_metric metric; /* of the tracked cell, and of the tables */
	bool sequential;
	unsigned oio;
	unsigned nmixes; /* in the order of the runs, as are the sizes of each mix */
	double read_shares[PTS_MIXES_MAX];
	unsigned nsizes;
	uint32_t size_bytes[PTS_SIZES_MAX];
	unsigned track_mix, track_size; /* indexes */
	uint64_t cell_ns;               /* how long each cell runs in each round */
	struct steady_rules rules;
	double limit_capacities; /* series: ends when so many times the target was written, */
	uint64_t limit_ns;       /* or after so long */
};

/* One round of a series holds one cell. */
struct pts_result {
	unsigned ncells; /* nmixes * nsizes; a round's cells by mix, then by size */
	unsigned nrounds;
	struct cell_figures *cells; /* nrounds * ncells; owned */
	double *tracked;            /* nrounds, of the metric; owned */
	double *end_s;              /* nrounds: since the test's start; owned */
	double *written_bytes;      /* nrounds: since the test's start; owned */
	struct steady_verdict verdict;
	bool partial; /* stopped before its end */
};

struct pts_ops {
	void *ctx;
	/* Runs a cell. 0; -EINTR: stopped by the user, what it did does not count; -errno with
	 * `err`. */
	int (*run)(void *ctx, const struct raw_profile *p, uint64_t time_ns, struct cell_figures *f,
	           struct err *err);
	/* A round has ended; NULL: nobody wants to know. */
	void (*round)(void *ctx, const struct pts_test *t, const struct pts_result *r);
};

/* Index of a cell in a round. */
static inline unsigned pts_cell(const struct pts_test *t, unsigned mix, unsigned size)
{
	return mix * t->nsizes + size;
}

double pts_metric(const struct cell_figures *f, enum pts_metric metric);
/* "IOPS", "MB/s", "mean latency". */
const char *pts_metric_name(enum pts_metric metric);

/* A cell as a profile. */
void pts_profile(struct raw_profile *p, const struct pts_test *t, unsigned mix, unsigned size);

/*
 * Runs the test on a target of that size. 0, also when it was stopped (r->partial: the rounds that
 * were complete) or never became steady (r->verdict); -errno with `err`. pts_result_fini in either
 * case.
 */
int pts_run(const struct pts_test *t, uint64_t target_bytes, const struct pts_ops *ops,
            struct pts_result *r, struct err *err);
void pts_result_fini(struct pts_result *r);

/* Mean of a cell over the rounds of the window (a series: over all rounds). */
void pts_window(const struct pts_test *t, const struct pts_result *r, unsigned cell,
                struct cell_figures *mean);

#endif
