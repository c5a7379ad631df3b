/* SPDX-License-Identifier: MIT */
/*
 * load: filling tables with generated rows, all threads on one table at a time.
 *
 * A table's rows are dealt out in chunks; each chunk is one transaction of the driver's bulk path,
 * so a load that was stopped leaves whole chunks and nothing else. What a row holds depends on the
 * seed, the table's name and the row's number, never on the thread that made it or on the chunk
 * that it fell into.
 *
 * The board is what the threads of one load share. They call load_run for the same tables in the
 * same order; a thread that finds no chunk left goes on to the next table while others finish
 * theirs.
 */
#ifndef IOLTP_LOAD_LOAD_H
#define IOLTP_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/dist.h"
#include "base/err.h"
#include "base/kv.h"
#include "base/log.h"
#include "sql/driver.h"

struct load_board; /* opaque */

/* How far a load has come. Times and rates run from the first load_run for the table. */
struct load_figures {
	char table[128]; /* the oldest table that is not finished; else the last one; "" before the
	                    first */
	unsigned number; /* of that table in the load, from 1; 0 before the first */
	unsigned
	    tables; /* of the whole load where the generator's parameter "tables" tells, else 0 */
	unsigned finished;   /* tables */
	uint64_t rows_done;  /* of that table, committed */
	uint64_t rows;       /* of that table */
	double percent;      /* rows_done of rows; 100 for a table without rows */
	double rows_per_s;   /* of that table */
	double left_s;       /* for that table at that rate; negative: not known yet */
	uint64_t rows_total; /* committed, of all tables */
	uint64_t retries;    /* chunks that were begun again after the database asked for it */
	bool failed;         /* a thread failed, or the load was cancelled */
};

/*
 * A board for `threads` (at least 1) threads. `dist` is copied; `log` (may be NULL) must outlive
 * the board. NULL: out of memory.
 */
struct load_board *load_board_new(unsigned threads, uint64_t seed, const struct dist_params *dist,
                                  const struct log *log);
/* No thread is inside load_run any more. NULL is fine. */
void load_board_free(struct load_board *board);

/* Another clock than the system's; it must outlive the board. Before the first load_run. */
void load_board_clock(struct load_board *board, const struct clock *clock);

/*
 * Loads `rows` rows (0: none) into `table`, which exists and is empty, together with the other
 * threads, which call this with equal arguments and connections of their own. Returns when this
 * thread finds no more chunks: the others may still be busy with theirs. Names and parameters of
 * generators: gen.h. A call by more than `threads` threads starts on the rows again.
 *
 * 0; -EINVAL with `err`: no such generator, or a parameter that it refuses; -EIO with `err`: the
 * database refused (table, rows, its words); -ECANCELED with `err`: another thread failed, or
 * load_board_cancel. After a failure every call, now or later, gives up within one chunk's time.
 */
int load_run(struct load_board *board, struct sql_conn *conn, const char *generator,
             const char *table, uint64_t rows, const struct kv *params, struct err *err);

/* Makes all threads give up soon. Any thread; not from a signal handler. */
void load_board_cancel(struct load_board *board);

/* Any thread. */
void load_board_figures(struct load_board *board, struct load_figures *figures);

/*
 * Tells `out` how far the load is. Called by one thread, about five times a second and once after
 * the last load_run has returned. On a terminal: one line that writes over itself; else a line at
 * most every 5 s, and one per finished table.
 */
void load_board_progress(struct load_board *board, FILE *out, bool is_tty);

#endif
