/* SPDX-License-Identifier: MIT */
/* plan: the stages of a scenario file, checked, in order. What runs a stage is the command line's
 * business. */
#ifndef IOLTP_SCENARIO_PLAN_H
#define IOLTP_SCENARIO_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/tree.h"

#define PLAN_STAGES_MAX 32u
#define PLAN_MIXES_MAX  16u
#define PLAN_SIZES_MAX  16u

enum plan_kind {
	PLAN_PURGE,        /* the drive's flash is freed */
	PLAN_PRECONDITION, /* written over, whatever comes */
	PLAN_ROUNDS,       /* cells (mixes x sizes) round after round until one is steady */
	PLAN_SERIES,       /* one cell against time and bytes */
};

enum plan_metric { PLAN_IOPS, PLAN_BYTES_PER_S, PLAN_LATENCY };

/* PLAN_ROUNDS and PLAN_SERIES. */
struct plan_rounds {
	enum plan_metric metric;
	bool sequential;
	unsigned oio;
	unsigned nmixes;
	double read_shares[PLAN_MIXES_MAX]; /* 0..1, in the order of the runs */
	unsigned nsizes;
	uint64_t size_bytes[PLAN_SIZES_MAX];
	unsigned track_mix, track_size; /* indexes */
	uint64_t cell_ns;
	unsigned window, max_rounds;
	double range, excursion; /* shares of the mean */
	double limit_capacities; /* PLAN_SERIES: 0: no limit */
	uint64_t limit_ns;       /* likewise */
};

struct plan_stage {
	enum plan_kind kind;
	char name[64]; /* for reports; unique among measuring stages */
	char title[256];
	char amount[64]; /* PLAN_PRECONDITION: "2x", "2x,4k,rand", "10g" */
	struct plan_rounds rounds;
};

struct plan {
	char name[64]; /* the file's, without folder and ".lua" */
	char title[256];
	unsigned nstages;
	struct plan_stage stages[PLAN_STAGES_MAX];
};

/* Every key is known and in range, or -EINVAL with `err` naming file, place and what is allowed. */
int plan_from_tree(struct plan *p, const struct tree *tree, const char *file, struct err *err);

#endif
