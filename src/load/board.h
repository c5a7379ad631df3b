/* SPDX-License-Identifier: MIT */
/* board: what the threads of a load share. Private to load/. */
#ifndef IOLTP_LOAD_BOARD_H
#define IOLTP_LOAD_BOARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"

/* One table. Lives as long as the board. */
struct load_job {
	char *table;
	unsigned number; /* in the load, from 1 */
	unsigned joined; /* threads that have come; under the board's lock */
	uint64_t units, chunk_units, chunks;
	_Atomic uint64_t next_chunk; /* not given out yet */
	_Atomic uint64_t units_done; /* committed */
	uint64_t turn; /* the chunk that is written next, where order matters; under the lock */
	uint64_t begun_ns;
	_Atomic uint64_t ended_ns; /* 0: not finished */
	bool told;                 /* progress has said that it is finished; the teller's */
	struct load_job *next;
};

struct load_board {
	unsigned threads;
	uint64_t seed;
	struct dist_params dist;
	const struct log *log;
	const struct clock *clock;
	struct clock own_clock;
	_Atomic bool stop;
	_Atomic uint64_t retries;
	pthread_mutex_t lock;
	pthread_cond_t changed;        /* a turn, stop */
	struct load_job *first, *last; /* under lock */
	unsigned tables;               /* of the whole load, 0: not known; under lock */
	uint64_t said_ns;              /* last line of progress; the teller's */
	bool line_open; /* the terminal's line waits to be overwritten; the teller's */
	bool summed;    /* the terminal has its last line; the teller's */
};

/* The job for the table, made by the first thread that comes and joined by the others; NULL: out of
 * memory. */
struct load_job *board_join(struct load_board *board, const char *table, uint64_t units,
                            uint64_t chunk_units, unsigned tables);

static inline bool board_stopped(const struct load_board *board)
{
	return atomic_load_explicit(&board->stop, memory_order_relaxed);
}

/*
 * Engines with one writer: waits until every earlier chunk of the table is committed. Nothing is
 * lost, as only one can write, and keys come in order: trees are dense, and the file is the same
 * for any number of threads. False: the load was stopped.
 */
bool board_turn(struct load_board *board, struct load_job *job, uint64_t chunk);
/* That chunk is committed. */
void board_turn_over(struct load_board *board, struct load_job *job);

/* So many units more are committed. */
void board_done(struct load_board *board, struct load_job *job, uint64_t units);
void board_retried(struct load_board *board);

#endif
