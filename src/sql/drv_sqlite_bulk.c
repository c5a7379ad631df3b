/* SPDX-License-Identifier: MIT */
#include "sql/drv_sqlite.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

static void add_name(struct strbuf *sql, const char *name)
{
	strbuf_addc(sql, '"');
	for (; *name != '\0'; name++) {
		if (*name == '"')
			strbuf_addc(sql, '"');
		strbuf_addc(sql, *name);
	}
	strbuf_addc(sql, '"');
}

static void prepare_insert(struct sql_conn *conn, const struct bulk_table *table)
{
	struct sqlite_conn *c = conn->impl;
	struct strbuf sql = STRBUF_INIT;
	int rc;

	strbuf_adds(&sql, "INSERT INTO ");
	add_name(&sql, table->name);
	for (unsigned i = 0; i < table->ncolumns; i++) {
		strbuf_adds(&sql, i == 0 ? "(" : ", ");
		add_name(&sql, table->columns[i]);
	}
	strbuf_adds(&sql, ") VALUES ");
	for (unsigned i = 0; i < table->ncolumns; i++)
		strbuf_adds(&sql, i == 0 ? "(?" : ", ?");
	strbuf_addc(&sql, ')');
	rc = sql.failed ? SQLITE_NOMEM
	                : sqlite3_prepare_v3(c->db, sql.text, (int)sql.len,
	                                     SQLITE_PREPARE_PERSISTENT, &c->bulk, NULL);
	strbuf_fini(&sql);
	c->bulk_columns = table->ncolumns;
	if (rc != SQLITE_OK)
		sqlite_fail(conn, rc);
}

/* BEGIN IMMEDIATE under a turn that may take as long as the loads before this one. */
static void begin(struct sql_conn *conn)
{
	struct sqlite_conn *c = conn->impl;

	c->waited_ns = 0;
	c->bulk_own_txn = sqlite3_get_autocommit(c->db) != 0;
	if (c->bulk_own_txn && sqlite_turn_take_bulk(conn)) {
		c->waited_ns = 0; /* the turn's waiting is not that for other programs */
		sqlite_begin(conn, BEGIN_IMMEDIATE);
	}
}

enum sql_call sqlite_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	struct sqlite_conn *c = conn->impl;

	begin(conn);
	if (conn->error.outcome != SQL_OK)
		return CALL_DONE;
	if (sqlite_turn_for_write(conn))
		prepare_insert(conn, table);
	if (conn->error.outcome != SQL_OK && c->bulk_own_txn) {
		const struct sql_error error = conn->error;

		sqlite_rollback(conn);
		conn->error = error;
	}
	return CALL_DONE;
}

static int bind_value(struct sqlite3_stmt *st, int column, const struct bulk_value *value)
{
	switch (value->kind) {
	case BULK_INT:
		return sqlite3_bind_int64(st, column, value->i);
	case BULK_DOUBLE:
		return sqlite3_bind_double(st, column, value->d);
	case BULK_TEXT:
		return sqlite3_bind_text64(st, column, value->text, value->len, SQLITE_STATIC,
		                           SQLITE_UTF8);
	case BULK_NULL:
	default:
		return sqlite3_bind_null(st, column);
	}
}

enum sql_call sqlite_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	struct sqlite_conn *c = conn->impl;
	int rc = SQLITE_OK;

	if (c->bulk == NULL) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL, "bulk row outside of a bulk load");
		return CALL_DONE;
	}
	c->waited_ns = 0;
	for (unsigned i = 0; i < c->bulk_columns && rc == SQLITE_OK; i++)
		rc = bind_value(c->bulk, (int)i + 1, &values[i]);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(c->bulk);
	if (rc != SQLITE_DONE)
		sqlite_fail(conn, rc);
	else
		conn->affected = 1;
	sqlite3_reset(c->bulk);
	return CALL_DONE;
}

void sqlite_bulk_drop(struct sql_conn *conn)
{
	struct sqlite_conn *c = conn->impl;

	sqlite3_finalize(c->bulk);
	c->bulk = NULL;
}

enum sql_call sqlite_bulk_end(struct sql_conn *conn, bool commit)
{
	struct sqlite_conn *c = conn->impl;
	struct sql_error error;

	if (c->bulk == NULL) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL,
		              "end of a bulk load that was not begun");
		return CALL_DONE;
	}
	sqlite_bulk_drop(conn);
	if (!c->bulk_own_txn)
		return CALL_DONE;
	if (sqlite3_get_autocommit(c->db)) { /* SQLite rolled back by itself: a full disk */
		if (commit)
			sql_error_set(conn, SQL_FATAL, SQLITE_ABORT, NULL,
			              "%s: the load was rolled back after an error",
			              sqlite_env_of(conn)->path);
		sqlite_settle(conn);
		return CALL_DONE;
	}
	if (commit)
		sqlite_commit(conn);
	if (commit && conn->error.outcome == SQL_OK)
		return CALL_DONE;
	error = conn->error;
	sqlite_rollback(conn);
	if (commit)
		conn->error = error;
	return CALL_DONE;
}
