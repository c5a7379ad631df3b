/* SPDX-License-Identifier: MIT */
/*
 * tally: what one client did, written by its thread alone and read by the ticker while it grows.
 *
 * All counters only grow and are stored with relaxed atomics: the ticker takes sums whenever it
 * likes, and an interval is the difference of two sums, so that intervals add up to the total by
 * construction. Nothing here is shared between clients, and each tally starts on its own cache
 * line.
 */
#ifndef IOLTP_RUN_TALLY_H
#define IOLTP_RUN_TALLY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hist.h"

#define TALLY_STMTS_MAX                                                                            \
	512u /* distinct statements per client; more are summed as "(other statements)" */
#define TALLY_ERRORS_MAX                                                                           \
	32u /* distinct error codes per client; more are summed as code 0, "(other errors)" */
#define TALLY_LABEL_MAX 256u

enum tally_class { TALLY_READ, TALLY_WRITE, TALLY_OTHER, TALLY_CLASSES };

/* Adds to a counter that only this thread writes. */
#define TALLY_ADD(counter, n) HIST_STORE(&(counter), HIST_LOAD(&(counter)) + (uint64_t)(n))

struct tally_type {
	uint64_t begun; /* events begun in the measured window */
	uint64_t ok;
	uint64_t failed;
	uint64_t cancelled;   /* begun, then called off by the script: not counted anywhere else */
	uint64_t retries;     /* runs of an event after an ignorable error */
	struct hist *latency; /* from the intended start, of ok events */
	struct hist *service; /* from the start, of ok events; NULL in the closed loop, where it
	                         would be equal */
};

struct tally_stmt {
	char label[TALLY_LABEL_MAX]; /* normalized text; fixed before the entry is published */
	enum tally_class class;
	uint64_t count; /* successful calls */
	uint64_t errors;
	uint64_t rows;        /* read or changed */
	uint64_t bytes;       /* moved, raw I/O only */
	struct hist *latency; /* of successful calls */
};

struct tally_error {
	int code;
	char state[8];
	char text[160]; /* the first one's words */
	uint64_t count;
};

struct tally {
	_Alignas(128) uint64_t classes[TALLY_CLASSES]; /* statements by class */
	uint64_t bytes[TALLY_CLASSES];                 /* moved by them, raw I/O only */
	uint64_t errors; /* ignorable errors, each led to a retry or gave up */
	uint64_t reconnects;
	uint64_t commit_unknown; /* connection lost during COMMIT */
	uint64_t lock_waits, lock_wait_ns,
	    lock_timeouts;              /* waits for other writers, where the driver knows */
	uint64_t inflight_since_ns;     /* intended start of the event in flight; 0: none */
	const uint64_t *slots_since_ns; /* the same of each of `nslots` events at a time, where one
	                                   client has many; set before the start, not owned */
	unsigned nslots;
	uint64_t last_end_ns;     /* end of the last counted event */
	struct tally_type *types; /* ntypes */
	unsigned ntypes;
	_Atomic unsigned nstmts; /* entries published */
	struct tally_stmt *stmts[TALLY_STMTS_MAX];
	_Atomic unsigned nerrors;
	struct tally_error error_list[TALLY_ERRORS_MAX];
	struct hist *lateness;     /* open loop: start - intended of arrivals that a waiting client
	                              took; NULL in the closed loop */
	_Alignas(128) char end[0]; /* the next tally is on another line */
};

/* Heap. NULL: out of memory. `open_loop` adds service and lateness histograms. */
struct tally *tally_new(unsigned ntypes, bool open_loop);
void tally_free(struct tally *t);

/* Index of the entry with this label, made if new (the class is then fixed). The owner only; never
 * fails: when full, or out of memory, the index of "(other statements)", which always is 0. */
unsigned tally_stmt_index(struct tally *t, const char *label, size_t len, enum tally_class class);
void tally_error_add(struct tally *t, int code, const char *state, const char *text);

static inline void tally_stmt_ok(struct tally *t, unsigned index, uint64_t latency_ns,
                                 uint64_t rows)
{
	struct tally_stmt *s = t->stmts[index];

	TALLY_ADD(t->classes[s->class], 1);
	TALLY_ADD(s->count, 1);
	TALLY_ADD(s->rows, rows);
	hist_record(s->latency, latency_ns);
}

/* ---- sums over clients: the ticker's and the reports' ---- */

struct tally_sum_type {
	uint64_t begun, ok, failed, cancelled, retries;
	struct hist *latency, *service; /* NULL unless asked for; service NULL in the closed loop */
};

struct tally_sum {
	uint64_t classes[TALLY_CLASSES], bytes[TALLY_CLASSES];
	uint64_t begun, ok, failed, cancelled, retries, errors, reconnects, commit_unknown;
	uint64_t lock_waits, lock_wait_ns, lock_timeouts;
	uint64_t last_end_ns;
	uint64_t
	    oldest_inflight_ns; /* smallest inflight_since_ns that is not 0; 0: none in flight */
	unsigned inflight;      /* events in flight */
	struct hist *latency;   /* all types */
	struct hist *service;   /* NULL in the closed loop */
	struct hist *lateness;
	unsigned ntypes;
	struct tally_sum_type *types;
	unsigned nstmts; /* merged by label, in order of first sight; only those that were called;
	                    when details */
	struct tally_stmt *stmts;
	unsigned nerrors; /* merged by code and state, when details */
	struct tally_error *error_list;
};

/* Sums n tallies. `details`: per type histograms, statements and errors too. NULL: out of memory.
 */
struct tally_sum *tally_sum_new(struct tally *const *tallies, unsigned n, bool details);
/* now - before, for two sums with the same `details` over the same tallies; gauges (inflight,
 * oldest) are now's. NULL `before`: a copy of now. */
struct tally_sum *tally_sum_diff(const struct tally_sum *now, const struct tally_sum *before);
void tally_sum_free(struct tally_sum *s);

#endif
