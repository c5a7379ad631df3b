/* SPDX-License-Identifier: MIT */
/*
 * raw_run: a raw run as run/run.h sees it: its types are the streams of the profile, or its
 * transaction types, and its statements are the kinds of I/O, or the steps.
 */
#ifndef IOLTP_RAW_RAW_RUN_H
#define IOLTP_RAW_RAW_RUN_H

#include "raw/io_worker.h"

/* ops_ctx is the struct io_plan. */
extern const struct run_ops raw_run_ops;

struct raw_setup {
	const struct raw_profile *profile; /* must outlive the plan */
	const struct raw_target *target;   /* NULL: none */
	const struct engine_ops *engine;
	uint64_t size_bytes; /* of the target */
	uint32_t lba_bytes;
	bool iopoll, sqpoll;
	struct delay null_latency;
	unsigned workers; /* 0: chosen */
	double rate_per_s;
	struct io_schedule *schedule; /* NULL: the profile says what is done */
	unsigned cpus;
};

/* Lays the run out. 0, or -errno with `err`; raw_plan_fini in either case. */
int raw_plan_init(struct io_plan *plan, const struct raw_setup *setup, struct err *err);
void raw_plan_fini(struct io_plan *plan);
/* The streams' places in sequence anew, for another run on the same plan. */
void raw_plan_restart(struct io_plan *plan);
/* The types of the run: streams that are events, or transactions. -EINVAL with `err`. */
int raw_plan_mix(const struct io_plan *plan, struct mix *mix, struct err *err);

/* Threads that are enough for so many outstanding I/Os or that rate, at most `cpus`. */
unsigned raw_workers(unsigned oio, double rate_per_s, unsigned cpus);

#endif
