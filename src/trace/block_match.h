/* SPDX-License-Identifier: MIT */
/*
 * block_match: makes I/Os of what the kernel tells of requests: a request is issued to the drive
 * and completed, perhaps in pieces, or put back into its queue and issued again. One thread.
 */
#ifndef IOLTP_TRACE_BLOCK_MATCH_H
#define IOLTP_TRACE_BLOCK_MATCH_H

#include "trace/trace.h"

enum block_step { BLOCK_ISSUED, BLOCK_COMPLETED, BLOCK_REQUEUED };

/* What is told at one step. Fed in the order of time. */
struct block_record {
	uint64_t at_ns;
	uint64_t sector;     /* of 512 bytes */
	uint32_t size_bytes; /* COMPLETED: of this piece */
	uint32_t pid;        /* who issued it */
	bool failed;
	uint8_t step; /* enum block_step */
	uint8_t op;   /* enum trace_op */
	uint8_t flags;
};

/* From the kernel's letters ("WFS", "FF", "RAM"), `room` of them at most: op and flags. False: none
 * of ours (zone management, passthrough). */
bool block_match_letters(struct block_record *r, const char *letters, size_t room);

struct block_match; /* opaque */

/* `emit` gets each I/O at its end, with owner = pid and file = 0. NULL: out of memory. */
struct block_match *block_match_new(void (*emit)(void *ctx, const struct trace_event *e),
                                    void *ctx);
void block_match_free(struct block_match *m);
void block_match_feed(struct block_match *m, const struct block_record *r);
/* Records were lost: which requests are in flight is not known any more. Returns how many were. */
unsigned block_match_forget(struct block_match *m);
/* Requests in flight that were issued before a time. */
unsigned block_match_open(const struct block_match *m, uint64_t before_ns);

#endif
