/* SPDX-License-Identifier: MIT */
/*
 * Prepared statements. Executing is the hot path: the library keeps pointers into the parameters,
 * so that nothing is copied or bound again as long as those stay where they are, and columns are
 * bound when somebody fetches.
 */
#include <errno.h>
#include <mysqld_error.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_mysql.h"

/* The byte of an int that tells 0 from 1. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LOW_BYTE = 0 };
#else
enum { LOW_BYTE = sizeof(int) - 1 };
#endif

_Static_assert(sizeof(mydrv_flag) == 1, "the library reads one byte of sql_param.is_null");

/* ---- preparing ---- */

static void free_stmt(struct mydrv_stmt *ms)
{
	mydrv_stmt_columns_free(ms);
	free(ms->binds);
	free(ms->params);
	free(ms->types);
	free(ms->lens);
	free(ms);
}

static struct mydrv_stmt *new_stmt(struct mydrv_conn *mc, unsigned nparams)
{
	struct mydrv_stmt *ms = calloc(1, sizeof(*ms));
	const size_t n = nparams != 0 ? nparams : 1;

	if (ms == NULL)
		return NULL;
	ms->conn = mc;
	ms->nparams = nparams;
	ms->binds = calloc(n, sizeof(*ms->binds));
	ms->params = calloc(n, sizeof(*ms->params));
	ms->types = calloc(n, sizeof(*ms->types));
	ms->lens = calloc(n, sizeof(*ms->lens));
	if (ms->binds != NULL && ms->params != NULL && ms->types != NULL && ms->lens != NULL)
		return ms;
	free_stmt(ms);
	return NULL;
}

/* False: conn->error tells, or the server cannot prepare such a statement. */
static bool prepare(struct sql_stmt *stmt, struct mydrv_stmt *ms)
{
	struct sql_conn *conn = stmt->conn;

	ms->handle = mysql_stmt_init(ms->conn->mysql);
	if (ms->handle == NULL) {
		mydrv_failed(conn);
		return false;
	}
	if (mysql_stmt_prepare(ms->handle, stmt->text, (unsigned long)stmt->len) != 0) {
		if (mysql_stmt_errno(ms->handle) != ER_UNSUPPORTED_PS)
			mydrv_stmt_failed(conn, ms->handle);
		return false;
	}
	if (mysql_stmt_param_count(ms->handle) != stmt->nparams) {
		sql_error_set(conn, SQL_FATAL, EINVAL, "07001",
		              "the server sees %lu parameters and not %u in: %.200s",
		              mysql_stmt_param_count(ms->handle), stmt->nparams, stmt->text);
		return false;
	}
	return true;
}

enum sql_call mydrv_prepare(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_stmt *ms;

	MYDRV_TRACE(conn, "prepare: %.200s", stmt->text);
	if (conn->more && !mydrv_drain(conn))
		return CALL_DONE;
	ms = new_stmt(mc, stmt->nparams);
	if (ms == NULL) {
		mydrv_no_memory(conn, "a statement");
		return CALL_DONE;
	}
	if (mc->mysql == NULL || prepare(stmt, ms)) {
		stmt->impl = ms;
		return CALL_DONE;
	}
	if (ms->handle != NULL)
		mysql_stmt_close(ms->handle);
	free_stmt(ms);
	return CALL_DONE;
}

void mydrv_stmt_close(struct sql_stmt *stmt)
{
	struct mydrv_stmt *ms = stmt->impl;
	struct mydrv_conn *mc = ms->conn;

	if (stmt->result != NULL && mydrv_result_stmt(stmt->result) == ms)
		stmt->result->impl = NULL;
	if (ms->handle != NULL) {
		MYDRV_TRACE(stmt->conn, "close: %.200s", stmt->text);
		mysql_stmt_close(ms->handle); /* reads results that wait */
	}
	if (mc->source == ms) {
		mc->source = NULL;
		stmt->conn->more = false;
	}
	free_stmt(ms);
}

/* ---- parameters ---- */

static const void *text_of(const struct sql_param *p)
{
	return p->buf != NULL ? p->buf : "";
}

static inline bool is_text(int type)
{
	return type > SQL_TYPE_DOUBLE;
}

/* Takes the lengths of texts over. True: something is not where it was bound. */
static inline bool refresh(struct mydrv_stmt *ms, const struct sql_stmt *stmt)
{
	bool moved = false;

	for (unsigned i = 0; i < ms->nparams; i++) {
		const struct sql_param *p = stmt->params[i];

		moved |= p != ms->params[i] || p->type != ms->types[i];
		if (is_text(p->type)) {
			moved |= text_of(p) != ms->binds[i].buffer;
			ms->lens[i] = (unsigned long)sql_param_len(p);
		}
	}
	return moved;
}

static void bind_one(struct mydrv_stmt *ms, unsigned i, struct sql_param *p)
{
	MYSQL_BIND *bind = &ms->binds[i];

	*bind = (MYSQL_BIND){0};
	bind->is_null = (mydrv_flag *)((char *)&p->is_null + LOW_BYTE);
	ms->params[i] = p;
	ms->types[i] = p->type;
	if (sql_type_is_int(p->type)) {
		bind->buffer_type = MYSQL_TYPE_LONGLONG;
		bind->buffer = &p->i;
	} else if (sql_type_is_double(p->type)) {
		bind->buffer_type = MYSQL_TYPE_DOUBLE;
		bind->buffer = &p->d;
	} else if (is_text(p->type)) {
		bind->buffer_type = MYSQL_TYPE_STRING;
		bind->buffer = (void *)(uintptr_t)text_of(p);
		bind->length = &ms->lens[i];
		bind->buffer_length = ms->lens[i];
	} else {
		bind->buffer_type = MYSQL_TYPE_NULL;
	}
}

static bool bind_all(struct mydrv_stmt *ms, const struct sql_stmt *stmt)
{
	for (unsigned i = 0; i < ms->nparams; i++)
		bind_one(ms, i, stmt->params[i]);
	if (ms->nparams == 0 || mysql_stmt_bind_param(ms->handle, ms->binds) == 0)
		return true;
	mydrv_stmt_failed(stmt->conn, ms->handle);
	return false;
}

/* ---- executing ---- */

/* Reads all rows from the server; they are decoded when somebody fetches. */
static void store(struct sql_stmt *stmt, struct mydrv_stmt *ms, unsigned nfields)
{
	struct sql_result *result = stmt->result;

	if (MYDRV_UNLIKELY(mysql_stmt_store_result(ms->handle) != 0)) {
		mydrv_stmt_failed(stmt->conn, ms->handle);
		return;
	}
	if (MYDRV_UNLIKELY(result->nfields != nfields) && sql_result_reshape(result, nfields) != 0)
		return;
	result->nrows = mysql_stmt_num_rows(ms->handle);
	result->impl = (void *)((uintptr_t)ms | 1);
	stmt->has_rows = true;
}

/* After a failure. A statement whose table was altered has other columns, which the libraries do
 * not take: a query is prepared and executed again. False: conn->error tells. */
static bool execute_anew(struct sql_stmt *stmt, struct mydrv_stmt *ms)
{
	const unsigned code = mysql_stmt_errno(ms->handle);

	if (stmt->class != SQL_READ ||
	    (code != CR_NEW_STMT_METADATA && code != ER_NEED_REPREPARE)) {
		mydrv_stmt_failed(stmt->conn, ms->handle);
		return false;
	}
	MYDRV_TRACE(stmt->conn, "prepare again: %.200s", stmt->text);
	mysql_stmt_close(ms->handle); /* reads the rows that wait */
	if (!prepare(stmt, ms)) {
		if (stmt->conn->error.outcome == SQL_OK)
			mydrv_stmt_failed(stmt->conn, ms->handle);
		return false;
	}
	ms->outs_bound = false;
	if (!bind_all(ms, stmt))
		return false;
	if (mysql_stmt_execute(ms->handle) == 0)
		return true;
	mydrv_stmt_failed(stmt->conn, ms->handle);
	return false;
}

enum sql_call mydrv_execute(struct sql_stmt *stmt)
{
	struct mydrv_stmt *ms = stmt->impl;
	struct sql_conn *conn = stmt->conn;
	struct mydrv_conn *mc = ms->conn;
	unsigned nfields;

	MYDRV_TRACE(conn, "execute: %.200s", stmt->text);
	if (MYDRV_UNLIKELY(ms->handle == NULL))
		return CALL_DONE;
	if (MYDRV_UNLIKELY(conn->more) && !mydrv_drain(conn))
		return CALL_DONE;
	if (refresh(ms, stmt) && !bind_all(ms, stmt))
		return CALL_DONE;
	if (MYDRV_UNLIKELY(mysql_stmt_execute(ms->handle) != 0) && !execute_anew(stmt, ms))
		return CALL_DONE;
	ms->result = stmt->result;
	nfields = mysql_stmt_field_count(ms->handle);
	if (nfields != 0)
		store(stmt, ms, nfields);
	else
		conn->affected = mysql_stmt_affected_rows(ms->handle);
	conn->warnings = mysql_warning_count(mc->mysql);
	if (MYDRV_UNLIKELY((mydrv_status(mc->mysql) & SERVER_MORE_RESULTS_EXIST) != 0) &&
	    conn->error.outcome == SQL_OK) {
		conn->more = true;
		mc->source = ms;
		ms->outs_bound = false;
	}
	return CALL_DONE;
}
