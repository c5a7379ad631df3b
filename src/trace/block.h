/* SPDX-License-Identifier: MIT */
/*
 * block: I/Os of a block device as the kernel's tracepoints tell them, for root. In a tracing
 * instance of its own (ioltp-PID), so that others who trace are not disturbed; the kernel filters
 * by device, and a thread reads its raw pages.
 */
#ifndef IOLTP_TRACE_BLOCK_H
#define IOLTP_TRACE_BLOCK_H

#include "base/clock.h"
#include "base/drive.h"
#include "trace/recorder.h"

struct block; /* opaque */

/* Whether this process can trace at all. `why` gets "cause; next step" when not. */
bool block_possible(char *why, size_t room);
/* Whether the requests of this drive can be traced; sets its number. */
bool block_traceable(const struct drive_node *drive, unsigned *major, unsigned *minor, char *why,
                     size_t room);

struct block_config {
	const struct drive_node *drive;
	struct recorder *recorder;
	const struct clock *clock;
};

/* Enables the tracepoints and starts the thread. Recorder and clock must outlive it. 0, or -errno
 * with `err`: nothing is left enabled. */
int block_new(struct block **b, const struct block_config *config, struct err *err);
/* Waits for I/Os that are in flight (1 s at most), then disables all. Before recorder_finish. */
void block_finish(struct block *b);
void block_free(struct block *b);

/* Removes instances that processes left which are gone: they would trace for ever. */
void block_remove_stale(void);

#endif
