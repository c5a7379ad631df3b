/* SPDX-License-Identifier: MIT */
/* blockstat: what the kernel counts of a block device. */
#ifndef IOLTP_BASE_BLOCKSTAT_H
#define IOLTP_BASE_BLOCKSTAT_H

#include <stdbool.h>
#include <stdint.h>

/* /sys/.../stat of a block device, in its own units. */
struct blockstat {
	uint64_t reads, read_merges, read_sectors, read_ms;
	uint64_t writes, write_merges, write_sectors, write_ms;
	uint64_t in_flight, busy_ms, queue_ms;
	uint64_t discards, discard_merges, discard_sectors, discard_ms;
	uint64_t flushes, flush_ms;
	bool has_flushes; /* kernels before 5.5 do not count them */
};

/* The text of such a file, of 11 (old kernels), 15 or 17 numbers. False: not that. */
bool blockstat_parse(struct blockstat *b, const char *text);
/* Of the device with this directory in sysfs. False: cannot be read. */
bool blockstat_read(struct blockstat *b, const char *dir);

#endif
