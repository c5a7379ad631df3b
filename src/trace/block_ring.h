/* SPDX-License-Identifier: MIT */
/* block_ring: a tracing instance with the block tracepoints of one device, and what comes out of
 * its buffers, CPU by CPU. For block.c. One thread. */
#ifndef IOLTP_TRACE_BLOCK_RING_H
#define IOLTP_TRACE_BLOCK_RING_H

#include "trace/block_match.h"

struct block_cpu {
	int fd;                       /* its raw pages */
	struct block_record *records; /* read and not yet taken */
	size_t at, n, room;
	bool lost; /* before records[at..] something is missing */
};

struct block_ring {
	struct block_cpu *cpus;
	unsigned ncpus;
	void *impl; /* of block_ring.c */
};

/* 0, or -errno with `err`; then nothing is left behind. */
int block_ring_open(struct block_ring *r, unsigned major, unsigned minor, struct err *err);
/* Disables and removes the instance. Returns how many of its events the kernel had no room for. */
uint64_t block_ring_close(struct block_ring *r);
/* Reads all that is there of one CPU behind its records. True: all of it; false: more has come. */
bool block_ring_read(struct block_ring *r, struct block_cpu *cpu);

#endif
