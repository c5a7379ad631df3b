/* SPDX-License-Identifier: MIT */
/* ticker: the main thread's part while workers run: intervals, checkpoints, signals, the end of the
 * drain; and the figures of a stretch of the run. */
#ifndef IOLTP_RUN_TICKER_H
#define IOLTP_RUN_TICKER_H

#include "run/run.h"

/* One client's share. */
struct ticker_client {
	double events, time_s;
};

struct ticker {
	struct run *run;
	struct sched replay;    /* the schedule again: what came due */
	uint64_t warm_arrivals; /* of the replay, before the measured window */
	struct tally_sum *last; /* at the last interval, without details; NULL: none */
	uint64_t last_ns;       /* its time */
	uint64_t last_arrivals; /* measured arrivals due by then */
	struct tally_sum *base; /* at the last checkpoint, with details; NULL: none */
	uint64_t base_ns;
	uint64_t base_arrivals;
	struct ticker_client *clients; /* at the last checkpoint; NULL: none */
	unsigned threads_running;      /* the last time that there were any */
	unsigned next_checkpoint;
	uint64_t next_interval_ns;
	enum { WINDOW_AHEAD, WINDOW_OPEN, WINDOW_CLOSED } window; /* as the probe was told */
	bool abandoned; /* workers did not come back in time */
};

/* After the run's times are set. */
void ticker_init(struct ticker *t, struct run *run);
void ticker_fini(struct ticker *t);
/* Until all workers are through with their clients, or the drain is over. */
void ticker_loop(struct ticker *t);
/* The last interval (if intervals are on), then fills total, last and their sums of the result. 0
 * or -ENOMEM. */
int ticker_final(struct ticker *t, struct run_result *res);

#endif
