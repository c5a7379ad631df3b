/* SPDX-License-Identifier: MIT */
/*
 * sched: when work is meant to start. In the open loop, arrivals come from the schedule alone: one
 * schedule for all clients, from which whoever is free takes the next arrival (a single queue,
 * first come first served). A second schedule with the same seed gives the same arrivals, which is
 * how the ticker knows, without asking the clients, what was offered.
 */
#ifndef IOLTP_RUN_SCHED_H
#define IOLTP_RUN_SCHED_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/rng.h"

enum sched_process { SCHED_CLOSED, SCHED_FIXED, SCHED_POISSON };

struct sched {
	enum sched_process process;
	double gap_ns;      /* mean time between arrivals */
	uint64_t origin_ns; /* the schedule starts here */
	double offset_ns;   /* of the last arrival drawn, from the origin */
	uint64_t drawn;     /* arrivals drawn so far */
	uint64_t limit;     /* no arrivals after this many; UINT64_MAX: no limit */
	struct rng rng;
	atomic_flag busy; /* held for the few ns of a draw */
};

/* rate_per_s > 0 unless CLOSED. The first arrival of FIXED is at the origin. */
void sched_init(struct sched *s, enum sched_process process, double rate_per_s, uint64_t seed,
                uint64_t origin_ns);
/* Intended time of the next arrival; UINT64_MAX when the limit is reached. Any thread. */
uint64_t sched_next(struct sched *s);
/* Draws arrivals up to `until_ns` (excluded) and returns how many were drawn since init; for a copy
 * that only one thread uses. A drawn arrival that lies beyond is kept for the next call. */
uint64_t sched_count_until(struct sched *s, uint64_t until_ns);

#endif
