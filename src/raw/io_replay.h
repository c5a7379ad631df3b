/* SPDX-License-Identifier: MIT */
/*
 * io_replay: every I/O of a schedule at its own time. An I/O is meant to begin so long after the
 * run's start as the schedule says, whatever the ones before it do; when no slot is free it begins
 * late, and its latency counts from when it was meant to. One worker.
 */
#ifndef IOLTP_RAW_IO_REPLAY_H
#define IOLTP_RAW_IO_REPLAY_H

#include "raw/io_worker.h"

struct io_timed {
	uint64_t at_ns; /* from the start; not falling */
	uint64_t offset_bytes;
	uint32_t bytes;
	uint8_t op; /* enum io_op */
};

/* Read-only while the run goes on, but for the report. */
struct io_schedule {
	const struct io_timed *ios;
	size_t n;
	uint32_t largest_bytes;
	uint64_t length_ns;           /* at_ns of the last */
	struct {                      /* of the replay, when it has ended */
		uint64_t begun, late; /* late: by more than IO_REPLAY_LATE_NS */
		uint64_t late_max_ns;
		uint64_t last_begun_ns; /* when the last began, from the start */
	} report;
};

#define IO_REPLAY_LATE_NS 1000000u

struct io_replay {
	struct io_worker w;
	size_t next;    /* I/O of the schedule */
	uint32_t *free; /* slots; owned */
	unsigned nfree;
	uint16_t stmts[TALLY_CLASSES];
};

/* The profile that stands for a schedule in the run's figures: its reads and its writes. */
void io_replay_profile(struct raw_profile *p, const struct io_schedule *s, const char *name,
                       unsigned oio);
/* For the one worker. 0 or -errno with `err`; io_replay_fini in either case. */
int io_replay_init(struct io_replay *r, const struct io_plan *plan, struct worker *worker,
                   struct err *err);
void io_replay_fini(struct io_replay *r);
/* 0 at the end of the schedule or of the run; -EIO with `err` when the run has failed. */
int io_replay_run(struct io_replay *r, struct err *err);

#endif
