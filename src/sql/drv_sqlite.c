/* SPDX-License-Identifier: MIT */
/* SQLite: statements and results. Rows are copied as they are stepped, so that a statement's time
 * is its whole time. */
#include "sql/drv_sqlite.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/rowbuf.h"
#include "sql/stmt_scan.h"

enum kind { KIND_PLAIN, KIND_BEGIN, KIND_COMMIT, KIND_ROLLBACK, KIND_NOTHING };

struct sqlite_stmt {
	enum kind kind;
	bool readonly;
	enum begin_mode begin;
	struct sqlite3_stmt *st;
};

static bool sqlite_in_transaction(struct sql_conn *conn)
{
	return !sqlite3_get_autocommit(((struct sqlite_conn *)conn->impl)->db);
}

/* ---- running ---- */

static void out_of_memory(struct sql_conn *conn)
{
	sql_error_set(conn, SQL_FATAL, SQLITE_NOMEM, "53200", "out of memory for rows");
}

/* Steps to the end; rows go into `result`, which may be NULL: nobody wants them. A result code of
 * SQLite, DONE when well. */
static int step_all(struct sqlite3_stmt *st, struct sql_result *result)
{
	const unsigned nfields = result != NULL ? result->nfields : 0;
	int rc;

	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (result == NULL)
			continue;
		for (unsigned i = 0; i < nfields; i++) {
			const char *text = (const char *)sqlite3_column_text(st, (int)i);

			if (rowbuf_add(result->rows, text,
			               (size_t)sqlite3_column_bytes(st, (int)i)) != 0)
				return SQLITE_NOMEM;
		}
		result->nrows++;
	}
	return rc;
}

static bool make_room(struct sql_conn *conn, struct sql_result *result, unsigned nfields)
{
	if (result->rows != NULL && result->nfields == nfields)
		return true; /* it was emptied by driver.c */
	if (sql_result_reshape(result, nfields) != 0)
		return false;
	if (result->rows != NULL)
		return true;
	result->rows = rowbuf_new();
	if (result->rows == NULL) {
		out_of_memory(conn);
		return false;
	}
	rowbuf_reset(result->rows, nfields);
	return true;
}

/* Steps, resets, and says what came of it. */
static bool run(struct sql_conn *conn, struct sqlite3_stmt *st, struct sql_result *result,
                enum sql_class class)
{
	struct sqlite_conn *c = conn->impl;
	const int rc = step_all(st, result);

	if (rc == SQLITE_DONE) {
		if (class == SQL_WRITE)
			conn->affected = (uint64_t)sqlite3_changes(c->db);
	} else {
		sqlite_fail(conn, rc);
		if (result != NULL) /* with its half row */
			rowbuf_reset(result->rows, result->nfields);
	}
	sqlite3_reset(st);
	sqlite_settle(conn);
	return rc == SQLITE_DONE;
}

static void run_kind(struct sql_conn *conn, enum kind kind, enum begin_mode begin)
{
	switch (kind) {
	case KIND_BEGIN:
		sqlite_begin(conn, begin);
		break;
	case KIND_COMMIT:
		sqlite_commit(conn);
		break;
	case KIND_ROLLBACK:
		sqlite_rollback(conn);
		break;
	case KIND_PLAIN:
	case KIND_NOTHING:
	default:
		break;
	}
}

static enum kind kind_of(const char *text, size_t len)
{
	switch (stmt_txn(text, len)) {
	case STMT_BEGIN:
		return KIND_BEGIN;
	case STMT_COMMIT:
		return KIND_COMMIT;
	case STMT_ROLLBACK:
		return KIND_ROLLBACK;
	case STMT_PLAIN:
	default:
		return KIND_PLAIN;
	}
}

/* The text as SQLite reads it; false: nothing to do, or an error. */
static bool translate(struct sql_conn *conn, const char **text, size_t *len)
{
	struct sqlite_conn *c = conn->impl;
	const enum sqlite_rewritten what =
	    sqlite_rewrite(sqlite_env_of(conn)->pretend, *text, *len, &c->rewritten);

	if (what == REWRITE_NOTHING)
		return false;
	if (what == REWRITE_SAME)
		return true;
	if (c->rewritten.failed) {
		out_of_memory(conn);
		return false;
	}
	*text = c->rewritten.text;
	*len = c->rewritten.len;
	return true;
}

/* ---- texts ---- */

/* Runs one prepared statement of a text; the first one with columns gives the result. */
static bool run_text(struct sql_conn *conn, struct sqlite3_stmt *st, enum sql_class class,
                     struct sql_result **result)
{
	const unsigned nfields = (unsigned)sqlite3_column_count(st);
	struct sql_result *mine = NULL;

	if (!sqlite3_stmt_readonly(st) && !sqlite_turn_for_write(conn))
		return false;
	if (nfields != 0 && *result == NULL) {
		mine = sql_result_new(conn, nfields);
		if (mine == NULL || !make_room(conn, mine, nfields)) {
			sql_result_free(mine);
			sqlite_settle(conn);
			return false;
		}
	}
	if (!run(conn, st, mine, class)) {
		sql_result_free(mine);
		return false;
	}
	if (mine != NULL)
		*result = mine;
	return true;
}

/* Behind blanks, comments and empty statements. */
static size_t skip_blanks(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len) {
		const bool comment = text[at] == '-' || text[at] == '/';
		const size_t end = comment ? scan_skip(text, len, at, DIALECT_SQLITE) : at;

		if (end == at && !scan_is_blank(text[at]) && text[at] != ';')
			break;
		at = end == at ? at + 1 : end;
	}
	return at;
}

/* Where the statement ends that begins the text; only for those without a body. */
static size_t statement_end(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && text[at] != ';') {
		const size_t end = scan_skip(text, len, at, DIALECT_SQLITE);

		at = end == at ? at + 1 : end;
	}
	return at;
}

/* Runs the first statement of the text. Returns where the next begins, or len after a failure. */
static size_t run_next(struct sql_conn *conn, const char *text, size_t len,
                       struct sql_result **result)
{
	struct sqlite_conn *c = conn->impl;
	const enum kind kind = kind_of(text, len);
	struct sqlite3_stmt *st = NULL;
	const char *tail;
	bool ok;
	int rc;

	if (kind != KIND_PLAIN) {
		const size_t end = statement_end(text, len);

		run_kind(conn, kind,
		         kind == KIND_BEGIN ? sqlite_begin_mode(text, end) : BEGIN_AUTO);
		return conn->error.outcome == SQL_OK && end < len ? end + 1 : len;
	}
	c->waited_ns = 0;
	rc = sqlite3_prepare_v2(c->db, text, (int)len, &st, &tail);
	if (rc != SQLITE_OK) {
		sqlite_fail(conn, rc);
		return len;
	}
	if (st == NULL)
		return (size_t)(tail - text) > 0 ? (size_t)(tail - text) : len;
	ok = run_text(conn, st, stmt_class(text, len), result);
	sqlite3_finalize(st);
	return ok ? (size_t)(tail - text) : len;
}

static enum sql_call sqlite_query(struct sql_conn *conn, const char *text, size_t len,
                                  struct sql_result **result)
{
	size_t at = 0;

	if (!translate(conn, &text, &len))
		return CALL_DONE;
	if (len > INT32_MAX) {
		sql_error_set(conn, SQL_FATAL, SQLITE_TOOBIG, NULL, "statement text beyond 2 GiB");
		return CALL_DONE;
	}
	while (at += skip_blanks(text + at, len - at), at < len)
		at += run_next(conn, text + at, len - at, result);
	if (conn->error.outcome != SQL_OK) {
		sql_result_free(*result);
		*result = NULL;
	}
	return CALL_DONE;
}

/* ---- prepared statements ---- */

static bool prepare_plain(struct sql_stmt *stmt, struct sqlite_stmt *ss, const char *text,
                          size_t len)
{
	struct sql_conn *conn = stmt->conn;
	struct sqlite_conn *c = conn->impl;
	const char *tail;
	int rc;

	c->waited_ns = 0;
	rc = len > INT32_MAX ? SQLITE_TOOBIG
	                     : sqlite3_prepare_v3(c->db, text, (int)len, SQLITE_PREPARE_PERSISTENT,
	                                          &ss->st, &tail);
	if (rc != SQLITE_OK) {
		sqlite_fail(conn, rc);
		return false;
	}
	if (ss->st == NULL) {
		ss->kind = KIND_NOTHING;
		return true;
	}
	ss->readonly = sqlite3_stmt_readonly(ss->st) != 0;
	if (skip_blanks(tail, len - (size_t)(tail - text)) != len - (size_t)(tail - text)) {
		sql_error_set(conn, SQL_FATAL, SQLITE_ERROR, "42000",
		              "a prepared statement is one statement, this text has more: %.200s",
		              stmt->text);
		return false;
	}
	if ((unsigned)sqlite3_bind_parameter_count(ss->st) != stmt->nparams) {
		sql_error_set(conn, SQL_FATAL, SQLITE_ERROR, "42000",
		              "SQLite sees %d parameters, not %u; use plain ? marks in: %.200s",
		              sqlite3_bind_parameter_count(ss->st), stmt->nparams, stmt->text);
		return false;
	}
	return true;
}

static enum sql_call sqlite_prepare(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct sqlite_stmt *ss = calloc(1, sizeof(*ss));
	const char *text = stmt->text;
	size_t len = stmt->len;

	if (ss == NULL) {
		out_of_memory(conn);
		return CALL_DONE;
	}
	if (!translate(conn, &text, &len)) {
		ss->kind = KIND_NOTHING;
	} else {
		ss->kind = kind_of(text, len);
		ss->begin = sqlite_begin_mode(text, ss->kind == KIND_BEGIN ? len : 0);
		if (ss->kind == KIND_PLAIN)
			prepare_plain(stmt, ss, text, len);
	}
	if (conn->error.outcome != SQL_OK) {
		sqlite3_finalize(ss->st);
		free(ss);
		return CALL_DONE;
	}
	stmt->impl = ss;
	return CALL_DONE;
}

static int bind_param(struct sqlite3_stmt *st, int index, const struct sql_param *p)
{
	if (p->is_null || p->type == SQL_TYPE_NONE)
		return sqlite3_bind_null(st, index);
	if (sql_type_is_int(p->type))
		return sqlite3_bind_int64(st, index, p->i);
	if (sql_type_is_double(p->type))
		return sqlite3_bind_double(st, index, p->d);
	/* Static: it stays during the execution, and is bound anew for the next. */
	return sqlite3_bind_text64(st, index, p->buf != NULL ? p->buf : "", sql_param_len(p),
	                           SQLITE_STATIC, SQLITE_UTF8);
}

static enum sql_call sqlite_execute(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct sqlite_conn *c = conn->impl;
	struct sqlite_stmt *ss = stmt->impl;
	struct sql_result *result = NULL;
	unsigned nfields;

	if (ss->kind != KIND_PLAIN) {
		run_kind(conn, ss->kind, ss->begin);
		return CALL_DONE;
	}
	c->waited_ns = 0;
	for (unsigned i = 0; i < stmt->nparams; i++) {
		const int rc = bind_param(ss->st, (int)i + 1, stmt->params[i]);

		if (rc != SQLITE_OK) {
			sqlite_fail(conn, rc);
			return CALL_DONE;
		}
	}
	if (!ss->readonly && !sqlite_turn_for_write(conn))
		return CALL_DONE;
	/* Asked each time: a changed schema may have changed it. */
	nfields = (unsigned)sqlite3_column_count(ss->st);
	if (nfields != 0) {
		result = stmt->result;
		if (!make_room(conn, result, nfields)) {
			sqlite_settle(conn);
			return CALL_DONE;
		}
	}
	stmt->has_rows = run(conn, ss->st, result, stmt->class) && nfields != 0;
	return CALL_DONE;
}

static void sqlite_stmt_close(struct sql_stmt *stmt)
{
	struct sqlite_stmt *ss = stmt->impl;

	sqlite3_finalize(ss->st);
	free(ss);
}

/* ---- results ---- */

static bool sqlite_fetch(struct sql_result *result)
{
	if (result->rows == NULL || !rowbuf_next(result->rows, result->values))
		return false;
	result->cursor++;
	return true;
}

static void sqlite_result_free(struct sql_result *result)
{
	(void)result; /* the rows are the layer's */
}

static void sqlite_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out)
{
	const bool mysql = sqlite_env_of(conn)->pretend == PRETEND_MYSQL;

	if (len != 0 && memchr(text, '\0', len) != NULL) { /* no literal holds a NUL */
		strbuf_adds(out, "CAST(x'");
		for (size_t i = 0; i < len; i++)
			strbuf_addf(out, "%02x", (unsigned char)text[i]);
		strbuf_adds(out, "' AS TEXT)");
		return;
	}
	strbuf_addc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'' || (text[i] == '\\' && mysql)) /* the text is rewritten later */
			strbuf_addc(out, text[i]);
		strbuf_addc(out, text[i]);
	}
	strbuf_addc(out, '\'');
}

const struct driver_ops driver_sqlite = {
    .name = "sqlite",
    .title = "SQLite, embedded: a database file, no server",
    .caps = CAP_BULK | CAP_IDENTITY | CAP_PREPARE | CAP_ONE_WRITER,
    .options = sqlite_options,
    .options_title = "SQLite options",
    .open = sqlite_open,
    .close = sqlite_close,
    .script_name = sqlite_script_name,
    .connect = sqlite_connect,
    .disconnect = sqlite_disconnect,
    .in_transaction = sqlite_in_transaction,
    .query = sqlite_query,
    .prepare = sqlite_prepare,
    .execute = sqlite_execute,
    .stmt_close = sqlite_stmt_close,
    .fetch = sqlite_fetch,
    .result_free = sqlite_result_free,
    .quote = sqlite_quote,
    .bulk_begin = sqlite_bulk_begin,
    .bulk_row = sqlite_bulk_row,
    .bulk_end = sqlite_bulk_end,
    .facts = sqlite_facts,
};
