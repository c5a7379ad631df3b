/* SPDX-License-Identifier: MIT */
/*
 * A database of one table in memory behind a driver's hooks, for the tests of load: it keeps what
 * was committed, counts, and can be told to fail or to wait.
 */
#ifndef IOLTP_TESTS_UNIT_LOAD_FIXTURE_H
#define IOLTP_TESTS_UNIT_LOAD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "load/load.h"

#define STORE_ROWS 60001u

struct stored {
	int64_t k;
	char c[120], pad[60];
	unsigned copies;
};

/* What all connections of a test share: env->impl. */
struct store {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct stored *rows; /* by id, STORE_ROWS */
	uint64_t nrows;
	int64_t last_id;          /* of the row committed last */
	bool in_order;            /* ids were committed in ascending order */
	unsigned open, open_most; /* transactions at the same time */
	unsigned aborted;
	int64_t fail_id;            /* a row with this id is refused for good; 0: none */
	atomic_uint row_retries;    /* so many times yet, rows whose id is a multiple of 777 end in
	                               SQL_RETRY */
	atomic_uint commit_retries; /* so many commits yet end in SQL_RETRY */
	atomic_uint begin_retries;
	int64_t wait_id; /* the row with this id waits until go; 0: none */
	bool waiting, go;
};

/* An open transaction: conn->impl. */
struct txn {
	struct stored *rows;
	int64_t *ids;
	uint64_t n, room;
};

static enum sql_call store_connect(struct sql_conn *conn)
{
	conn->impl = calloc(1, sizeof(struct txn));
	assert_non_null(conn->impl);
	return CALL_DONE;
}

static void store_disconnect(struct sql_conn *conn)
{
	struct txn *txn = conn->impl;

	free(txn->rows);
	free(txn->ids);
	free(txn);
}

/* True, and one less, while the counter is not zero. */
static bool use_up(atomic_uint *counter)
{
	unsigned left = atomic_load(counter);

	while (left > 0 && !atomic_compare_exchange_weak(counter, &left, left - 1))
		continue;
	return left > 0;
}

static enum sql_call store_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	struct store *store = conn->env->impl;
	struct txn *txn = conn->impl;

	assert_int_equal(table->ncolumns, 4);
	assert_string_equal(table->columns[3], "pad");
	if (use_up(&store->begin_retries)) {
		sql_error_set(conn, SQL_RETRY, 5, NULL, "busy at begin");
		return CALL_DONE;
	}
	txn->n = 0;
	pthread_mutex_lock(&store->lock);
	if (++store->open > store->open_most)
		store->open_most = store->open;
	pthread_mutex_unlock(&store->lock);
	return CALL_DONE;
}

static void wait_for_go(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	store->waiting = true;
	pthread_cond_broadcast(&store->changed);
	while (!store->go)
		pthread_cond_wait(&store->changed, &store->lock);
	pthread_mutex_unlock(&store->lock);
}

static void add_row(struct txn *txn, const struct bulk_value *values)
{
	struct stored *row;

	if (txn->n == txn->room) {
		txn->room = txn->room != 0 ? txn->room * 2 : 64;
		txn->rows = realloc(txn->rows, txn->room * sizeof(*txn->rows));
		txn->ids = realloc(txn->ids, txn->room * sizeof(*txn->ids));
		assert_non_null(txn->rows);
		assert_non_null(txn->ids);
	}
	row = &txn->rows[txn->n];
	memset(row, 0, sizeof(*row));
	txn->ids[txn->n++] = values[0].i;
	row->k = values[1].i;
	assert_true(values[2].len < sizeof(row->c) && values[3].len < sizeof(row->pad));
	memcpy(row->c, values[2].text, values[2].len);
	memcpy(row->pad, values[3].text, values[3].len);
}

static enum sql_call store_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	struct store *store = conn->env->impl;

	if (values[0].i == store->wait_id)
		wait_for_go(store);
	if (values[0].i == store->fail_id)
		sql_error_set(conn, SQL_FATAL, 13, "53100", "the disk is full");
	else if (values[0].i % 777 == 0 && use_up(&store->row_retries))
		sql_error_set(conn, SQL_RETRY, 1213, "40001", "deadlock");
	else
		add_row(conn->impl, values);
	return CALL_DONE;
}

static void commit(struct store *store, struct txn *txn)
{
	for (uint64_t i = 0; i < txn->n; i++) {
		struct stored *row = &store->rows[txn->ids[i]];
		unsigned copies = row->copies;

		*row = txn->rows[i];
		row->copies = copies + 1;
		store->in_order = store->in_order && txn->ids[i] > store->last_id;
		store->last_id = txn->ids[i];
	}
	store->nrows += txn->n;
}

static enum sql_call store_bulk_end(struct sql_conn *conn, bool done)
{
	struct store *store = conn->env->impl;

	pthread_mutex_lock(&store->lock);
	store->open--;
	if (done && use_up(&store->commit_retries))
		sql_error_set(conn, SQL_RETRY, 1213, "40001", "deadlock at commit");
	else if (done)
		commit(store, conn->impl);
	else
		store->aborted++;
	pthread_mutex_unlock(&store->lock);
	return CALL_DONE;
}

/* Many writers, and one. */
static const struct driver_ops store_ops = {
    .name = "store",
    .caps = CAP_BULK,
    .connect = store_connect,
    .disconnect = store_disconnect,
    .bulk_begin = store_bulk_begin,
    .bulk_row = store_bulk_row,
    .bulk_end = store_bulk_end,
};

static const struct driver_ops store_ops_one_writer = {
    .name = "store",
    .caps = CAP_BULK | CAP_ONE_WRITER,
    .connect = store_connect,
    .disconnect = store_disconnect,
    .bulk_begin = store_bulk_begin,
    .bulk_row = store_bulk_row,
    .bulk_end = store_bulk_end,
};

static void store_init(struct store *store)
{
	memset(store, 0, sizeof(*store));
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->changed, NULL);
	store->rows = calloc(STORE_ROWS, sizeof(*store->rows));
	assert_non_null(store->rows);
	store->in_order = true;
}

static void store_fini(struct store *store)
{
	free(store->rows);
	pthread_cond_destroy(&store->changed);
	pthread_mutex_destroy(&store->lock);
}

/* One thread's load_run. */
struct loading {
	pthread_t thread;
	struct load_board *board;
	struct sql_env *env;
	unsigned owner;
	const char *table;
	uint64_t rows;
	const struct kv *params;
	int rc;
	struct err err;
};

static void *loading_run(void *arg)
{
	struct loading *l = arg;
	struct sql_conn *conn = sql_conn_new(l->env, l->owner, false);

	assert_non_null(conn);
	sql_connect(conn);
	l->rc = load_run(l->board, conn, "oltp", l->table, l->rows, l->params, &l->err);
	sql_conn_free(conn);
	return NULL;
}

static void loading_start(struct loading *all, unsigned threads, struct load_board *board,
                          struct sql_env *env, const char *table, uint64_t rows,
                          const struct kv *params)
{
	for (unsigned i = 0; i < threads; i++) {
		all[i] = (struct loading){.board = board,
		                          .env = env,
		                          .owner = i,
		                          .table = table,
		                          .rows = rows,
		                          .params = params};
		assert_int_equal(pthread_create(&all[i].thread, NULL, loading_run, &all[i]), 0);
	}
}

static void loading_join(struct loading *all, unsigned threads)
{
	for (unsigned i = 0; i < threads; i++)
		pthread_join(all[i].thread, NULL);
}

static const struct dist_params uniform = {.type = DIST_UNIFORM, .iter = 12};

#endif
