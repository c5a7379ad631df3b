/* SPDX-License-Identifier: MIT */
/* captured: figures of a capture, as what makes them and what reports them both know them. */
#ifndef IOLTP_RUN_CAPTURED_H
#define IOLTP_RUN_CAPTURED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hist.h"

#define CAPTURED_CELLS_MAX 256u

/* I/Os alike. */
struct captured_cell {
	uint8_t op; /* enum captured_op */
	bool sequential;
	uint32_t size_bytes;
	uint64_t count, bytes;
};

enum captured_op { CAPTURED_READ, CAPTURED_WRITE, CAPTURED_FLUSH, CAPTURED_DISCARD, CAPTURED_OPS };

/* I/Os of the measured window. Reads that the page cache served are apart: all else is about those
 * that it did not. */
struct captured_io {
	uint64_t counts[CAPTURED_OPS], bytes[CAPTURED_OPS];
	uint64_t cached_reads, fua_writes, failed;
	uint64_t transactions;              /* that ended well; 0: none were told of */
	struct hist *latency[CAPTURED_OPS]; /* owned; NULL: DISCARD */
	double outstanding_mean;            /* over time: latencies over the window's length */
	unsigned outstanding_p99;    /* of what I/Os found when they began, themselves included */
	struct captured_cell *cells; /* by op, size, sequential; owned */
	unsigned ncells;
	bool rounded;       /* there were too many sizes: cells have the next power of two */
	bool has_commit;    /* I/Os are known by transaction */
	double flush_share; /* of the transactions' time */
	double device_share;
};

/* What the kernel counted of the device between two moments. */
struct captured_device {
	double elapsed_s;
	uint64_t reads, writes, flushes, discards, read_bytes, written_bytes, discard_bytes;
	double busy_share, queue_mean;
	uint64_t flush_ms;
	bool has_flushes;
};

/* Of a process, or of all of a server's. */
struct captured_process {
	unsigned processes;
	double cpu_s;
	uint64_t read_bytes, written_bytes; /* to and from drives */
	uint64_t rchar, wchar;              /* by system calls */
	bool has_io;
};

struct captured_system {
	unsigned cpus;
	double busy_share, iowait_share;
};

#endif
