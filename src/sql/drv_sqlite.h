/* SPDX-License-Identifier: MIT */
/* drv_sqlite: what the files of the SQLite driver share. For drv_sqlite*.c only. */
#ifndef IOLTP_SQL_DRV_SQLITE_H
#define IOLTP_SQL_DRV_SQLITE_H

#include <pthread.h>

#include "base/rng.h"
#include "sql/driver.h"
#include "sql/sqlite_rewrite.h"

struct sqlite3;
struct sqlite3_stmt;

enum begin_mode { BEGIN_AUTO, BEGIN_DEFERRED, BEGIN_IMMEDIATE, BEGIN_EXCLUSIVE, BEGIN_MODES };

/*
 * The turn to write. SQLite lets one connection write at a time and leaves the others to poll;
 * connections of this process queue here instead, first come first served.
 */
struct sqlite_turn {
	pthread_mutex_t mutex;
	bool taken;
	uint64_t handovers; /* times that it was taken */
	struct sqlite_waiter *first, *last;
};

struct sqlite_waiter {
	struct sqlite_waiter *next;
	pthread_cond_t cond; /* CLOCK_MONOTONIC */
	bool granted;
};

struct sqlite_env {
	char *path; /* starts with '/' or '.', so that it is never read as a URI */
	const char *journal_mode, *synchronous;
	enum begin_mode begin;
	enum sqlite_pretend pretend;
	uint64_t busy_timeout_ns;
	pthread_mutex_t connecting; /* one at a time: entering WAL needs the database alone */
	struct sqlite_turn turn;
};

struct sqlite_conn {
	struct sqlite3 *db;
	struct sqlite3_stmt *begin[BEGIN_MODES]; /* none for BEGIN_AUTO */
	struct sqlite3_stmt *commit, *rollback;
	bool has_turn;
	bool txn_touched;   /* a statement ran in the open transaction: it may hold a snapshot */
	bool txn_wrote;     /* a writing one did */
	uint8_t quiet[64];  /* per transaction type: commits in a row that wrote nothing */
	uint64_t waited_ns; /* for locks, in the running statement */
	struct sqlite_waiter waiter;
	struct rng rng;
	struct strbuf rewritten;
	struct sqlite3_stmt *bulk;
	unsigned bulk_columns;
	bool bulk_own_txn;
};

static inline struct sqlite_env *sqlite_env_of(const struct sql_conn *conn)
{
	return conn->env->impl;
}

/* ---- drv_sqlite_open.c ---- */
extern const struct opt_desc sqlite_options[];
int sqlite_open(struct sql_env *env, struct err *err);
void sqlite_close(struct sql_env *env);
const char *sqlite_script_name(struct sql_env *env);

/* ---- drv_sqlite_conn.c ---- */
enum sql_call sqlite_connect(struct sql_conn *conn);
void sqlite_disconnect(struct sql_conn *conn);
/* First column of the first row of `sql` into buf ("" when there is none). An SQLite result code.
 */
int sqlite_ask(struct sqlite3 *db, const char *sql, char *buf, size_t room);

/* ---- drv_sqlite_error.c ---- */
/* Sets conn->error from SQLite's result code and the connection's last message. */
void sqlite_fail(struct sql_conn *conn, int rc);
/* The turn did not come within the time limit. */
void sqlite_fail_turn(struct sql_conn *conn);
/* The transaction read before it wanted to write, and another writes. */
void sqlite_fail_snapshot(struct sql_conn *conn);

/* ---- drv_sqlite_lock.c ---- */
int sqlite_turn_init(struct sqlite_turn *turn);
void sqlite_turn_fini(struct sqlite_turn *turn);
int sqlite_waiter_init(struct sqlite_waiter *waiter);
void sqlite_waiter_fini(struct sqlite_waiter *waiter);
/* Queues for the turn; waits up to the busy timeout. False: the error is set. */
bool sqlite_turn_take(struct sql_conn *conn);
/* For bulk loads: waits as long as others hand it on. */
bool sqlite_turn_take_bulk(struct sql_conn *conn);
void sqlite_turn_release(struct sql_conn *conn);
/* Before a writing statement: the turn, unless the transaction has it. False: the error is set. */
bool sqlite_turn_for_write(struct sql_conn *conn);
/* The busy handler: waits a little, longer each time. 0: the busy timeout is over. */
int sqlite_busy(void *conn, int count);

/* ---- drv_sqlite_txn.c ---- */
/* Plain, or what kind of BEGIN the text asks for. */
enum begin_mode sqlite_begin_mode(const char *text, size_t len);
void sqlite_begin(struct sql_conn *conn, enum begin_mode mode);
void sqlite_commit(struct sql_conn *conn);
void sqlite_rollback(struct sql_conn *conn);
/* After each statement: what ends with a transaction. */
void sqlite_settle(struct sql_conn *conn);

/* ---- drv_sqlite_bulk.c, drv_sqlite_facts.c ---- */
enum sql_call sqlite_bulk_begin(struct sql_conn *conn, const struct bulk_table *table);
enum sql_call sqlite_bulk_row(struct sql_conn *conn, const struct bulk_value *values);
enum sql_call sqlite_bulk_end(struct sql_conn *conn, bool commit);
void sqlite_bulk_drop(struct sql_conn *conn);
void sqlite_facts(struct sql_conn *conn, struct kv *facts, bool *durable);

/* ---- drv_sqlite_functions.c ---- */

/* Those of the server that the database pretends to be. An SQLite code. */
int sqlite_add_functions(struct sql_conn *conn);

#endif
