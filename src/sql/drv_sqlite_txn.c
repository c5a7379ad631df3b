/* SPDX-License-Identifier: MIT */
#include "sql/drv_sqlite.h"

#include <sqlite3.h>

#include "sql/stmt_scan.h"

/* Commits in a row without a write after which a transaction type is taken to be reading only. */
enum { QUIET_COMMITS = 16 };

enum begin_mode sqlite_begin_mode(const char *text, size_t len)
{
	bool read_only = false;
	size_t at = 0;

	while (at < len) {
		size_t end = at;

		while (end < len && scan_is_word(text[end]))
			end++;
		if (end == at) {
			end = scan_skip(text, len, at, DIALECT_SQLITE);
			at = end == at ? at + 1 : end;
			continue;
		}
		if (scan_word_is(text + at, end - at, "DEFERRED"))
			return BEGIN_DEFERRED;
		if (scan_word_is(text + at, end - at, "IMMEDIATE"))
			return BEGIN_IMMEDIATE;
		if (scan_word_is(text + at, end - at, "EXCLUSIVE"))
			return BEGIN_EXCLUSIVE;
		if (scan_word_is(text + at, end - at, "ONLY")) /* READ ONLY */
			read_only = true;
		at = end;
	}
	return read_only ? BEGIN_DEFERRED : BEGIN_AUTO;
}

static void run(struct sql_conn *conn, struct sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	if (rc != SQLITE_DONE)
		sqlite_fail(conn, rc);
	sqlite3_reset(st);
}

void sqlite_begin(struct sql_conn *conn, enum begin_mode mode)
{
	struct sqlite_conn *c = conn->impl;

	c->waited_ns = 0;
	if (mode == BEGIN_AUTO)
		mode = sqlite_env_of(conn)->begin;
	if (mode == BEGIN_AUTO)
		mode = c->quiet[conn->txn_hint % 64] >= QUIET_COMMITS ? BEGIN_DEFERRED
		                                                      : BEGIN_IMMEDIATE;
	/* Within a transaction there is nothing to wait for: SQLite refuses. */
	if (mode != BEGIN_DEFERRED && sqlite3_get_autocommit(c->db) && !sqlite_turn_take(conn))
		return;
	run(conn, c->begin[mode]);
	sqlite_settle(conn);
	if (conn->error.outcome == SQL_OK)
		c->txn_touched = false;
}

void sqlite_commit(struct sql_conn *conn)
{
	struct sqlite_conn *c = conn->impl;
	const bool wrote = c->txn_wrote;

	c->waited_ns = 0;
	if (sqlite3_get_autocommit(c->db) && sqlite_env_of(conn)->pretend != PRETEND_NONE)
		return; /* the servers take a COMMIT at any time */
	run(conn, c->commit);
	if (conn->error.outcome == SQL_OK) {
		uint8_t *quiet = &c->quiet[conn->txn_hint % 64];

		if (wrote)
			*quiet = 0;
		else if (*quiet < QUIET_COMMITS)
			(*quiet)++;
	}
	sqlite_settle(conn);
}

void sqlite_rollback(struct sql_conn *conn)
{
	struct sqlite_conn *c = conn->impl;

	c->waited_ns = 0;
	if (sqlite3_get_autocommit(c->db) && sqlite_env_of(conn)->pretend != PRETEND_NONE)
		return;
	run(conn, c->rollback);
	sqlite_settle(conn);
}

void sqlite_settle(struct sql_conn *conn)
{
	struct sqlite_conn *c = conn->impl;

	if (!sqlite3_get_autocommit(c->db)) {
		c->txn_touched = true;
#if SQLITE_VERSION_NUMBER >= 3034000
		/* A failed step from reading to writing: others need not wait for the rollback. */
		if (conn->error.outcome != SQL_OK && c->has_turn &&
		    sqlite3_txn_state(c->db, "main") != SQLITE_TXN_WRITE)
			sqlite_turn_release(conn);
#endif
		return;
	}
	c->txn_touched = false;
	c->txn_wrote = false;
	if (c->has_turn)
		sqlite_turn_release(conn);
}
