/* SPDX-License-Identifier: MIT */
/*
 * io_loop: keeps a number of I/Os in flight, or begins them when a schedule says so. An I/O is an
 * event of its stream: begun, ended and counted as a SQL transaction is. Flushes, and the I/Os of
 * streams in the background, are counted as statements alone.
 */
#ifndef IOLTP_RAW_IO_LOOP_H
#define IOLTP_RAW_IO_LOOP_H

#include "raw/io_source.h"

struct io_loop {
	struct io_worker w;
	struct io_source sources[PROFILE_STREAMS_MAX + 1];
	unsigned nsources;
	struct timers thinking; /* slots that rest */
};

/* For one worker. 0 or -errno with `err`; io_loop_fini in either case. */
int io_loop_init(struct io_loop *l, const struct io_plan *plan, struct worker *worker,
                 struct err *err);
void io_loop_fini(struct io_loop *l);
/* 0 at the end of the run and of its last I/O; -EIO with `err` when the run has failed. */
int io_loop_run(struct io_loop *l, struct err *err);

/* How many of `total` fall to a worker. */
static inline unsigned io_share(unsigned total, unsigned workers, unsigned worker)
{
	return total / workers + (worker < total % workers ? 1 : 0);
}

#endif
