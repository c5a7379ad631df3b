/* SPDX-License-Identifier: MIT */
/*
 * client: one simulated user: its number, random streams, tally, and the event that it is in. A
 * worker is an OS thread with the clients that it serves: one in thread mode.
 *
 * The life of an event:  client_next -> ... -> client_done(fate), with client_retry before each
 * further try.
 */
#ifndef IOLTP_RUN_CLIENT_H
#define IOLTP_RUN_CLIENT_H

#include "run/run.h"

/* EVENT_UNFINISHED: given up because the run ends; EVENT_CANCELLED: the script called it off, it
 * counts nowhere. */
enum event_fate { EVENT_OK, EVENT_FAILED, EVENT_CANCELLED, EVENT_UNFINISHED };

struct client {
	unsigned id; /* 0..threads-1; the script's tid */
	struct run *run;
	struct worker *worker;
	struct tally *tally;
	const struct clock *clock;
	uint64_t events_left; /* of this client's share; UINT64_MAX without a limit */
	uint64_t intended_ns; /* of the event in flight */
	uint64_t begun_ns;
	uint64_t
	    due_ns; /* closed loop: when the next event may begin (end of the last + think time) */
	unsigned type;  /* of the event in flight, or the one chosen to be next */
	bool recording; /* the event in flight counts: its intended start is in the measured window
	                 */
	bool in_event;
	bool over;      /* client_next said so: stays */
	unsigned tries; /* of the event in flight, from 1 */
	struct mix_deck deck;
	struct rng rng[RNG_USES];
	void *data; /* the workload's */
};

struct worker {
	unsigned id;
	struct run *run;
	struct client *clients; /* nclients, consecutive */
	unsigned nclients;
	pthread_t thread;
	uint64_t busy_ns; /* from its first event to the end of its last */
	uint64_t cpu_user_ns, cpu_system_ns;
	void *data; /* the workload's */
	_Alignas(128) char end[0];
};

/*
 * Waits for and begins the client's next event; false: the run is over for this client. Sleeps for
 * arrivals, keying and think times.
 */
bool client_next(struct client *c);
/* Ends the event in flight. Reads the clock once. */
void client_done(struct client *c, enum event_fate fate);
/* client_done(OK) and client_next in one, with a single clock reading when there is nothing to wait
 * for: the fast path. */
bool client_done_next(struct client *c);
/* Another try of the event in flight after an ignorable error; backs off when `tries` grows
 * (bounded, random). False: the run is ending: give up with client_done(UNFINISHED). */
bool client_retry(struct client *c);

/* For loops that start their own clock after client_next (a script's thread_run): the event in
 * flight begins now; its intended start moves too, unless a schedule set it. */
void client_begin_again(struct client *c);

#endif
