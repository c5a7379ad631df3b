/* SPDX-License-Identifier: MIT */
/*
 * data: what is written. Incompressible and never the same twice by default; with a compression
 * ratio each 512 bytes shrink by it, and with a dedupe ratio one block of 4 KiB in so many is new
 * (a smaller I/O is one block). One worker's; buffers keep their content between writes and are
 * changed in place, which costs a fraction of making new data.
 */
#ifndef IOLTP_RAW_DATA_H
#define IOLTP_RAW_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

#define DATA_BLOCK_BYTES  4096u
#define DATA_UNIT_BYTES   512u
#define DATA_COPIES_COUNT 16u /* contents that copies are copies of */

struct data {
	struct rng rng;
	uint32_t random_bytes; /* of each unit; the rest is zeros */
	double copy_share;     /* of the blocks */
	double owed;           /* copies owed */
	unsigned next_copy;
	uint8_t *copies; /* DATA_COPIES_COUNT blocks, alike for all workers of a seed; owned;
	                    NULL: no copies */
};

/* Ratios >= 1. 0 or -ENOMEM. */
int data_init(struct data *d, double compress_ratio, double dedupe_ratio, uint64_t seed,
              uint64_t owner);
void data_fini(struct data *d);

/* Gives a buffer its first content. A whole number of units; aligned to 8 bytes. */
void data_first(struct data *d, void *buf, size_t bytes);
/* The content of the next write; `buf` had data_first. A whole number of units. */
void data_next(struct data *d, void *buf, size_t bytes);

#endif
