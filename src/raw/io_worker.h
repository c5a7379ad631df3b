/* SPDX-License-Identifier: MIT */
/*
 * io_worker: what the loops over streams (io_loop) and over transactions (io_txn) share: one
 * thread's engine, its slots, its buffers, and how an I/O is begun, handed over and counted.
 */
#ifndef IOLTP_RAW_IO_WORKER_H
#define IOLTP_RAW_IO_WORKER_H

#include "raw/access.h"
#include "raw/data.h"
#include "raw/engine.h"
#include "raw/timers.h"
#include "run/client.h"

/* One raw run: made by raw_run, read-only while it goes on. */
struct io_plan {
	const struct raw_profile *profile;
	const struct raw_target *target; /* NULL: the engine needs none */
	const struct engine_ops *engine;
	bool iopoll, sqpoll;
	struct delay null_latency;
	unsigned workers;
	struct access_space space;
	struct io_schedule *schedule; /* io_replay.h: what is done in place of the profile; NULL */
	char in_force[512];           /* what worker 0's engine says about itself */
};

struct io_slot {
	uint64_t begun_ns; /* when it was handed over */
	struct io_request request;
	uint32_t owner; /* the loop's: source or client */
	uint16_t part;  /* the loop's: step of the client */
	uint16_t stmt;  /* index in the tally */
	bool recording; /* it counts */
	bool stamps;    /* closed loop: it is meant to begin when it is handed over */
};

struct io_worker {
	const struct io_plan *plan;
	struct client *client;
	struct tally *tally;
	const struct clock *clock;
	struct engine engine;
	struct data data;
	unsigned depth;
	struct io_slot *slots;
	uint64_t *since_ns; /* by slot: intended start of the event; 0: none */
	struct engine_done *done;
	uint32_t *queued; /* of this batch */
	unsigned nqueued;
	unsigned inflight; /* queued or handed over, not reaped */
	uint8_t *buffers;
	size_t buffers_bytes;
	struct err broken; /* set: nothing new is begun, the run has failed */
};

/*
 * In the worker's thread. `depth` slots whose buffers hold `largest_bytes`. 0, or -errno with
 * `err`; io_worker_fini in either case.
 */
int io_worker_init(struct io_worker *w, const struct io_plan *plan, struct worker *worker,
                   unsigned depth, uint32_t largest_bytes, struct err *err);
void io_worker_fini(struct io_worker *w);

/* The class that an I/O counts in. */
enum tally_class io_class(uint8_t op);
/* Index of a statement "LABEL read" etc. in the worker's tally. */
uint16_t io_statement(struct io_worker *w, const char *label, enum tally_class class);

/* Queues the I/O that slots[slot].request holds; its content is made here. */
static inline void io_queue(struct io_worker *w, uint32_t slot)
{
	const struct io_request *request = &w->slots[slot].request;

	if (request->op != IO_READ && request->op != IO_FLUSH)
		data_next(&w->data, engine_buffer(&w->engine, slot), request->bytes);
	w->engine.ops->queue(&w->engine, slot, request);
	w->queued[w->nqueued++] = slot;
	w->inflight++;
}

/*
 * Hands over what is queued and waits until an I/O is done, or until due_ns, when more falls due
 * (UINT64_MAX: when an I/O is done, 0: never). The time is taken here, right before: what the loop
 * itself needed counts for no I/O. 0, or -EIO with `err`: the engine failed.
 */
int io_submit(struct io_worker *w, uint64_t now_ns, uint64_t due_ns, struct err *err);
/* What a loop returns at its end: 0, or -EIO with `err` when the target went away. */
int io_outcome(const struct io_worker *w, struct err *err);

/* Counts a statement and its bytes. */
static inline void io_count(struct tally *t, unsigned stmt, uint64_t latency_ns, uint64_t bytes)
{
	struct tally_stmt *s = t->stmts[stmt];

	TALLY_ADD(t->classes[s->class], 1);
	TALLY_ADD(t->bytes[s->class], bytes);
	TALLY_ADD(s->count, 1);
	TALLY_ADD(s->bytes, bytes);
	hist_record(s->latency, latency_ns);
}

/* later - earlier, and 0 where two CPUs' clocks disagree by some ns. */
static inline uint64_t io_elapsed_ns(uint64_t later_ns, uint64_t earlier_ns)
{
	return later_ns > earlier_ns ? later_ns - earlier_ns : 0;
}

/* Counts what went wrong with an I/O; a target that went away sets w->broken. */
void io_failed(struct io_worker *w, const struct io_slot *io, int32_t result);

/* True when nothing new may begin any more. */
static inline bool io_over(const struct io_worker *w, uint64_t now_ns)
{
	const struct run *run = w->client->run;

	return now_ns >= atomic_load_explicit(&run->end_ns, memory_order_relaxed) ||
	       __atomic_load_n(&run->stop, __ATOMIC_RELAXED) != 0 || err_is_set(&w->broken);
}

#endif
