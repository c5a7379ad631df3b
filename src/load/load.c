/* SPDX-License-Identifier: MIT */
#include "load/load.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "load/board.h"
#include "load/gen.h"

enum {
	CHUNK_ROWS =
	    10000, /* a transaction: long enough to forget its commit, short enough to watch */
	CHUNK_ROWS_MIN = 1000, /* of small tables, so that every thread gets a share */
	CHUNKS_PER_THREAD = 4,
	BLOCK_ROWS = 256, /* generated at a time: stays in the cache */
	TRIES_MAX = 20,   /* of one chunk: about 7 s of back-off */
	BACKOFF_FIRST_MS = 1,
	BACKOFF_MAX_MS = 500,
};

/* What one thread needs to load one table. */
struct loader {
	struct load_board *board;
	struct load_job *job;
	struct sql_conn *conn;
	struct gen gen;
	struct bulk_table table;
	bool one_writer;
	struct sql_error error; /* of the last try */
	struct rng backoff;
	/* The block: generated rows of the units block_first .. block_end - 1 */
	uint64_t block_first, block_end; /* equal: empty */
	uint64_t block_units;
	uint64_t block_rows;
	struct bulk_value *values;
	char *text;
};

static uint64_t table_seed(uint64_t seed, const char *table)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (const char *c = table; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return seed ^ hash;
}

/* Units that make about so many rows. */
static uint64_t units_of(const struct loader *l, uint64_t rows)
{
	return (rows + l->gen.unit_rows - 1) / l->gen.unit_rows;
}

static uint64_t chunk_units(const struct loader *l, uint64_t units)
{
	uint64_t share = units / (l->board->threads * CHUNKS_PER_THREAD) + 1;
	uint64_t most = units_of(l, CHUNK_ROWS);
	uint64_t least = units_of(l, CHUNK_ROWS_MIN);

	/* Smaller chunks would share the work better, but with one writer there is nothing to
	 * share. */
	if (l->one_writer || share > most)
		return most;
	return share > least ? share : least;
}

/* With one writer all of a chunk is generated before its turn, so that others write meanwhile. */
static int block_init(struct loader *l)
{
	l->block_units = units_of(l, l->one_writer ? CHUNK_ROWS : BLOCK_ROWS);
	l->values = calloc(l->block_units * l->gen.unit_rows * l->gen.ncolumns, sizeof(*l->values));
	l->text = malloc(l->block_units * l->gen.unit_bytes + 1);
	return l->values != NULL && l->text != NULL ? 0 : -ENOMEM;
}

/* Makes the block hold `first` and as many units up to `end` (excluded) as fit. */
static void block_fill(struct loader *l, uint64_t first, uint64_t end)
{
	struct bulk_value *values = l->values;
	char *text = l->text;

	if (l->block_first == first && l->block_end > first)
		return;
	l->block_first = first;
	l->block_end = end - first < l->block_units ? end : first + l->block_units;
	l->block_rows = 0;
	for (uint64_t number = first; number < l->block_end; number++) {
		unsigned rows = l->gen.ops->unit(&l->gen, number, values, &text);

		values += rows * l->gen.ncolumns;
		l->block_rows += rows;
	}
}

static bool send_block(struct loader *l)
{
	const struct bulk_value *values = l->values;

	for (uint64_t i = 0; i < l->block_rows; i++, values += l->gen.ncolumns) {
		if (board_stopped(l->board))
			return false;
		sql_bulk_row(l->conn, values);
		if (l->conn->error.outcome != SQL_OK)
			return false;
	}
	return true;
}

/* One try of the units first .. end - 1 in a transaction: true when they are committed; else
 * l->error tells, or the board was stopped. */
static bool send_chunk(struct loader *l, uint64_t first, uint64_t end)
{
	bool ok;

	sql_bulk_begin(l->conn, &l->table);
	l->error = l->conn->error;
	if (l->error.outcome != SQL_OK)
		return false;
	do {
		block_fill(l, first, end);
		ok = send_block(l);
		first = l->block_end;
	} while (ok && first < end);
	l->error = l->conn->error;
	sql_bulk_end(l->conn, ok);
	if (ok)
		l->error = l->conn->error;
	return ok && l->error.outcome == SQL_OK;
}

static void back_off(struct loader *l, unsigned tries)
{
	uint64_t mean_ms = tries < 10 ? (uint64_t)BACKOFF_FIRST_MS << tries : BACKOFF_MAX_MS;
	uint64_t wait_ns;

	if (mean_ms > BACKOFF_MAX_MS)
		mean_ms = BACKOFF_MAX_MS;
	/* Half to one and a half: threads that collided part. */
	wait_ns = mean_ms * 500000 + rng_below(&l->backoff, mean_ms * 1000000);
	nanosleep(&(struct timespec){.tv_sec = (time_t)(wait_ns / 1000000000),
	                             .tv_nsec = (long)(wait_ns % 1000000000)},
	          NULL);
}

static int stopped(const struct loader *l, struct err *err)
{
	err_run(err, "%s: the load was stopped: another thread failed, or a signal came",
	        l->job->table);
	return -ECANCELED;
}

static int refused(const struct loader *l, uint64_t first, uint64_t end, unsigned tries,
                   struct err *err)
{
	char tried[32] = "";

	if (tries > 1)
		snprintf(tried, sizeof(tried), " after %u tries", tries);
	return err_run(
	    err,
	    "%s: rows %llu..%llu were not loaded%s: %s (%d, %s); mend that, then prepare again",
	    l->job->table, (unsigned long long)first, (unsigned long long)end - 1, tried,
	    l->error.text, l->error.code, l->error.state);
}

/* The chunk's units, however many tries that takes. */
static int load_chunk(struct loader *l, uint64_t chunk, struct err *err)
{
	uint64_t first = 1 + chunk * l->job->chunk_units;
	uint64_t left = l->job->units - (first - 1);
	uint64_t end = first + (left < l->job->chunk_units ? left : l->job->chunk_units);
	bool done = false;

	block_fill(l, first, end);
	if (l->one_writer && !board_turn(l->board, l->job, chunk))
		return stopped(l, err);
	for (unsigned tries = 1; !done; tries++) {
		done = send_chunk(l, first, end);
		if (!done && board_stopped(l->board))
			return stopped(l, err);
		if (!done && (l->error.outcome != SQL_RETRY || tries == TRIES_MAX))
			return refused(l, first, end, tries, err);
		if (!done) {
			board_retried(l->board);
			log_debug(l->board->log, "%s: chunk %llu again: %s", l->job->table,
			          (unsigned long long)chunk, l->error.text);
			back_off(l, tries);
		}
	}
	if (l->one_writer)
		board_turn_over(l->board, l->job);
	board_done(l->board, l->job, end - first);
	return 0;
}

static int load_chunks(struct loader *l, struct err *err)
{
	uint64_t chunk;

	while ((chunk = atomic_fetch_add(&l->job->next_chunk, 1)) < l->job->chunks) {
		int rc = board_stopped(l->board) ? stopped(l, err) : load_chunk(l, chunk, err);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int loader_init(struct loader *l, const char *generator, const struct gen_config *config,
                       struct err *err)
{
	int64_t tables;
	int rc = gen_open(&l->gen, generator, config, err);

	if (rc == 0)
		rc = gen_param_int(&l->gen, "tables", 0, 0, UINT32_MAX, &tables, err);
	if (rc != 0)
		return rc;
	l->table = (struct bulk_table){.name = config->table,
	                               .columns = l->gen.columns,
	                               .ncolumns = l->gen.ncolumns,
	                               .fresh = true};
	rng_init(&l->backoff, l->board->seed, l->conn->owner, RNG_BACKOFF);
	l->job = board_join(l->board, config->table, config->units, chunk_units(l, config->units),
	                    (unsigned)tables);
	l->table.whole = l->job != NULL && l->job->chunks == 1;
	if (l->job == NULL || block_init(l) != 0) {
		err_run(err, "%s: out of memory for generated rows; use fewer threads",
		        config->table);
		return -ENOMEM;
	}
	return 0;
}

int load_run(struct load_board *board, struct sql_conn *conn, const char *generator,
             const char *table, uint64_t rows, const struct kv *params, struct err *err)
{
	const struct gen_config config = {
	    .table = table,
	    .units = rows,
	    .seed = table_seed(board->seed, table),
	    .dist = &board->dist,
	    .params = params,
	};
	struct loader loader = {
	    .board = board,
	    .conn = conn,
	    .one_writer = (conn->env->ops->caps & CAP_ONE_WRITER) != 0,
	};
	int rc = loader_init(&loader, generator, &config, err);

	if (rc == 0)
		rc = load_chunks(&loader, err);
	if (rc != 0)
		load_board_cancel(board);
	free(loader.values);
	free(loader.text);
	gen_close(&loader.gen);
	return rc;
}
