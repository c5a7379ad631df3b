/* SPDX-License-Identifier: MIT */
/*
 * io_txn: I/O transactions. Clients each run one transaction after another: steps in sequence, or
 * together where a step says so, each step one or more I/Os. A transaction is an event of its type;
 * a step is a statement, and so is each kind of I/O. One thread runs its clients, as states that
 * completions move on.
 */
#ifndef IOLTP_RAW_IO_TXN_H
#define IOLTP_RAW_IO_TXN_H

#include "raw/io_source.h"

struct txn_step {
	uint64_t begun_ns;
	uint64_t bytes;
	uint32_t want;     /* I/Os that wait for a slot */
	uint32_t later;    /* I/Os that follow one after another */
	uint32_t inflight; /* I/Os */
};

struct txn_client {
	uint64_t intended_ns, begun_ns;
	unsigned type;
	unsigned stage_end;  /* steps before it have begun */
	unsigned steps_open; /* of this stage */
	bool recording, failed;
	struct txn_step *steps; /* of the transaction */
};

/* A client's step; `client` TXN_GROUP: the flush that serves a group. */
struct txn_place {
	uint32_t client;
	uint16_t step;
};

#define TXN_GROUP      UINT32_MAX
#define TXN_BACKGROUND 0x80000000u /* owners from here on are sources */

/* Clients that wait for a flush, and those that the flush in flight serves. */
struct txn_group {
	enum { GROUP_IDLE, GROUP_WANTED, GROUP_INFLIGHT } state;
	struct txn_place *waiting, *served; /* room for all clients' steps; owned */
	unsigned nwaiting, nserved;
};

struct io_txn_loop {
	struct io_worker w;
	struct access *access;
	struct access_sizes *sizes; /* [type * PROFILE_STEPS_MAX + step] */
	struct deck *counts;        /* alike: of steps whose count has shares */
	uint16_t *stmts;            /* alike */
	uint16_t each[TALLY_CLASSES];
	struct txn_client *clients;
	unsigned nclients;
	struct txn_step *steps;
	uint64_t *since_ns; /* by client: intended start of its transaction; 0: none */
	struct deck types;
	uint32_t *idle; /* clients */
	unsigned nidle;
	uint32_t *free; /* slots */
	unsigned nfree;
	struct txn_place *ready; /* a ring of what wants slots */
	unsigned ready_room, ready_head, nready;
	struct timers resting; /* clients in their keying or think time */
	struct txn_group group;
	struct io_source background[PROFILE_STREAMS_MAX];
	unsigned nbackground;
	struct sched *arrivals; /* NULL: closed loop */
	uint64_t next_ns;       /* arrival drawn and not begun; 0: none */
	bool waited;            /* a client stood ready before it */
	bool over;
};

/* For one worker. 0 or -errno with `err`; io_txn_fini in either case. */
int io_txn_init(struct io_txn_loop *l, const struct io_plan *plan, struct worker *worker,
                struct err *err);
void io_txn_fini(struct io_txn_loop *l);
/* 0 at the end of the run and of its last transaction; -EIO with `err` when the run has failed. */
int io_txn_run(struct io_txn_loop *l, struct err *err);

/* ---- io_txn_step.c: what happens within a transaction ---- */

/* Begins the transaction's next stage, or the one after when that has nothing to do. False: there
 * is none, the transaction is at its end. */
bool io_txn_stage(struct io_txn_loop *l, uint32_t client, uint64_t now_ns);
/* Begins I/Os for which there are slots. */
void io_txn_issue(struct io_txn_loop *l, uint64_t now_ns);
/* Ends an I/O that is not the background's. Calls `ended` for each client whose transaction it
 * ends. */
void io_txn_done(struct io_txn_loop *l, const struct engine_done *done, uint64_t now_ns,
                 void (*ended)(struct io_txn_loop *l, uint32_t client, uint64_t now_ns));

#endif
