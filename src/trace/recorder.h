/* SPDX-License-Identifier: MIT */
/*
 * recorder: takes events from the threads that see them and writes a trace (trace.h).
 *
 * Each thread has a lane of its own, a ring that it alone fills; a thread of the recorder empties
 * all lanes into the file. A lane that is full, a file that cannot grow, or a limit that is reached
 * costs events, which are counted, and never time: nobody waits.
 */
#ifndef IOLTP_TRACE_RECORDER_H
#define IOLTP_TRACE_RECORDER_H

#include "base/hist.h"
#include "trace/trace.h"

/* Events of a lane, powers of two. At 100,000 a second from one client, and at 1,000,000 from all
 * together, the recorder may be away for 160 ms. */
#define RECORDER_LANE_EVENTS 16384u
#define RECORDER_ALL_EVENTS  262144u

struct recorder; /* opaque */

struct recorder_lane {
	_Alignas(128) uint64_t taken; /* by the recorder */
	_Alignas(128) uint64_t put;   /* by the owner */
	uint64_t taken_seen;          /* the owner's last look at `taken` */
	uint64_t dropped;
	uint64_t room; /* events */
	struct recorder *recorder;
	uint32_t owner; /* client whose events these are; the lane's owner may change it */
	struct trace_event *ring;
	struct recorder_lane *next;
};

struct recorder_config {
	const char *path; /* made anew */
	enum trace_source source;
	uint64_t limit_bytes; /* of the events; 0: none */
	uint64_t hold_bytes;  /* kept in memory before anything is written, so that a trace on the
	                         drive under test does not disturb it; 0: written as it comes */
};

/* How it went. */
struct recorder_report {
	uint64_t events; /* in the file, those outside of the window included */
	uint64_t dropped;
	bool limited;    /* the limit was reached */
	int write_errno; /* the file could not be written to its end; 0: it was */
};

/* Makes the file and starts the thread. 0; -EINVAL with `err` when the file cannot be made;
 * -ENOMEM, -EAGAIN with `err`. */
int recorder_new(struct recorder **r, const struct recorder_config *config, struct err *err);
/* A lane for events of one thread, until recorder_finish: RECORDER_LANE_EVENTS where they are one
 * client's, RECORDER_ALL_EVENTS where they are everybody's. Any thread. NULL: out of memory. */
struct recorder_lane *recorder_lane(struct recorder *r, uint64_t events);

/*
 * The calling thread's lane, for those who see events and are not told by whom (a library's
 * callback). Attaching makes one for client `owner`; a thread has one at a time. 0 or -ENOMEM.
 */
int recorder_attach(struct recorder *r, uint32_t owner);
/* NULL: the thread has none. */
struct recorder_lane *recorder_attached(void);

/*
 * Index of a file in the trace's table, new or known (same path and kind). When the table is full,
 * that of "(others)". Any thread; takes a lock.
 */
unsigned recorder_file(struct recorder *r, const char *path, enum trace_kind kind,
                       uint32_t block_bytes);
void recorder_file_size(struct recorder *r, unsigned file, uint64_t size_bytes);
/* Names of transaction types, in order; more than TRACE_TYPES_MAX are left out. */
void recorder_type(struct recorder *r, const char *name);

/* Until told where the window begins, events stay in the lanes; those that began before it are then
 * let go. Times of the monotonic clock. */
void recorder_window(struct recorder *r, uint64_t begin_ns);
/* Counts events that were lost before they came to a lane. Any thread. */
void recorder_lost(struct recorder *r, uint64_t n);

/* Empties the lanes a last time, ends the file and the thread. Lanes must not be used afterwards.
 * `end_ns`: of the window. */
void recorder_finish(struct recorder *r, uint64_t end_ns, struct recorder_report *report);
void recorder_free(struct recorder *r);

/* Takes an event. The lane's thread only. */
static inline void recorder_put(struct recorder_lane *l, const struct trace_event *e)
{
	uint64_t at = l->put;

	if (__builtin_expect(at - l->taken_seen >= l->room, 0)) {
		l->taken_seen = __atomic_load_n(&l->taken, __ATOMIC_ACQUIRE);
		if (at - l->taken_seen >= l->room) {
			HIST_STORE(&l->dropped, HIST_LOAD(&l->dropped) + 1);
			return;
		}
	}
	l->ring[at & (l->room - 1)] = *e;
	__atomic_store_n(&l->put, at + 1, __ATOMIC_RELEASE);
}

#endif
