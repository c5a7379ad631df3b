/* SPDX-License-Identifier: MIT */
/*
 * engine: how I/Os reach the target. Each worker has an engine of its own; all hooks but `check`
 * are called by that worker's thread alone, in the order open, (queue*, submit, reap)*, close.
 *
 * An I/O is known by its slot, 0..depth-1: the loop queues a slot again only after it was reaped.
 */
#ifndef IOLTP_RAW_ENGINE_H
#define IOLTP_RAW_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "raw/access.h"
#include "raw/guard.h"
#include "run/mix.h"

struct engine_config {
	const struct raw_target *target; /* the null engine does not look at it */
	const struct clock *clock;
	unsigned depth;       /* slots, >= 1 */
	uint8_t *buffers;     /* one after another, page aligned */
	uint64_t slot_bytes;  /* of each slot's buffer, a multiple of 4096 */
	bool iopoll, sqpoll;  /* asked for */
	bool flushes;         /* check alone: the run has flushes */
	struct delay latency; /* null: modelled time of each I/O */
	uint64_t seed, owner; /* null: of that model */
};

struct engine_done {
	uint32_t slot;
	int32_t result; /* bytes moved, 0 for a flush, ENGINE_ALL_BYTES, or -errno */
};

/* All that was asked for, from an engine that is not told how many. */
#define ENGINE_ALL_BYTES INT32_MAX

static inline bool engine_done_well(const struct engine_done *done, const struct io_request *io)
{
	return done->result == (int32_t)io->bytes || done->result == ENGINE_ALL_BYTES;
}

struct engine;

struct engine_ops {
	const char *name;
	const char *help; /* one line */
	/* Fills e->impl. 0; -EINVAL or -EIO with `err`. */
	int (*open)(struct engine *e, struct err *err);
	/* Nothing is in flight. Also after a failed open. */
	void (*close)(struct engine *e);
	/*
	 * Takes an I/O for the next submit; never fails, never blocks, no system call. The slot's
	 * buffer is config.buffers + slot * slot_bytes; io->bytes fit into it.
	 */
	void (*queue)(struct engine *e, unsigned slot, const struct io_request *io);
	/*
	 * Hands over what is queued, then waits until an I/O can be reaped, or the clock shows
	 * until_ns. 0: looks without waiting; UINT64_MAX: no limit, only while something is in
	 * flight. May return early. 0, or -errno when the engine as a whole is broken.
	 */
	int (*submit)(struct engine *e, uint64_t until_ns);
	/* Up to `max` I/Os that are done; 0: none now. No waiting. */
	unsigned (*reap)(struct engine *e, struct engine_done *done, unsigned max);
	/* What is in force, for the report: "registered buffers, SINGLE_ISSUER, ...". */
	void (*describe)(const struct engine *e, struct strbuf *text);
	/* Sees the target before any thread starts; NULL: takes any. -EINVAL with `err`. */
	int (*check)(const struct engine_config *c, struct err *err);
	bool no_target; /* runs without one */
};

struct engine {
	const struct engine_ops *ops;
	struct engine_config config;
	void *impl;
};

extern const struct engine_ops engine_null, engine_sync;
extern const struct engine_ops engine_uring, engine_uring_cmd; /* with liburing only */

/* All that were built in, ends with NULL. */
const struct engine_ops *const *engine_all(void);
/* By name, or NULL with `err` that lists what there is. */
const struct engine_ops *engine_find(const char *name, struct err *err);
/* True when every hook of the contract is there. */
bool engine_valid(const struct engine_ops *ops);

/* The next I/O's buffer. */
static inline uint8_t *engine_buffer(const struct engine *e, unsigned slot)
{
	return e->config.buffers + (uint64_t)slot * e->config.slot_bytes;
}

#endif
