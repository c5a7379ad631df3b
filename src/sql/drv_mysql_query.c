/* SPDX-License-Identifier: MIT */
/* Statement texts and their results, and the results that follow the first. */
#include <errno.h>
#include <string.h>

#include "sql/drv_mysql.h"
#include "sql/rowbuf.h"

/* A statement's rows that are held by the library take memory until it runs again; more than these
 * are given back at once. */
enum { KEPT_ROWS = 1000 };

static inline void note_more(struct sql_conn *conn)
{
	const struct mydrv_conn *mc = conn->impl;

	conn->more = (mydrv_status(mc->mysql) & SERVER_MORE_RESULTS_EXIST) != 0;
}

/* The answer to a text that was sent: rows, or how many rows were changed. */
static void take(struct sql_conn *conn, struct sql_result **result)
{
	struct mydrv_conn *mc = conn->impl;
	MYSQL_RES *rows = NULL;

	if (mysql_field_count(mc->mysql) != 0) {
		rows = mysql_store_result(mc->mysql);
		if (rows == NULL) {
			mydrv_failed(conn);
			return;
		}
	} else {
		conn->affected = mysql_affected_rows(mc->mysql);
	}
	conn->warnings = mysql_warning_count(mc->mysql);
	note_more(conn);
	mc->source = NULL;
	if (rows == NULL)
		return;
	*result = sql_result_new(conn, mysql_num_fields(rows));
	if (*result == NULL) {
		mysql_free_result(rows);
		return;
	}
	(*result)->impl = rows;
	(*result)->nrows = mysql_num_rows(rows);
}

enum sql_call mydrv_query(struct sql_conn *conn, const char *text, size_t len,
                          struct sql_result **result)
{
	struct mydrv_conn *mc = conn->impl;

	MYDRV_TRACE(conn, "query, %zu bytes: %.*s", len, len > 200 ? 200 : (int)len, text);
	if (MYDRV_UNLIKELY(mc->mysql == NULL))
		return CALL_DONE;
	if (MYDRV_UNLIKELY(conn->more) && !mydrv_drain(conn))
		return CALL_DONE;
	if (mysql_real_query(mc->mysql, text, (unsigned long)len) != 0)
		mydrv_failed(conn);
	else
		take(conn, result);
	return CALL_DONE;
}

bool mydrv_run(struct sql_conn *conn, const char *text)
{
	struct sql_result *result = NULL;

	mydrv_query(conn, text, strlen(text), &result);
	sql_result_free(result);
	return conn->error.outcome == SQL_OK;
}

/* ---- further results ---- */

/* Copies a further result of a statement: its own rows are those of the first. */
static void take_from_stmt(struct sql_conn *conn, struct mydrv_stmt *ms, struct sql_result **result)
{
	const unsigned n = mysql_stmt_field_count(ms->handle);
	struct sql_result *r;

	conn->warnings = mysql_warning_count(ms->conn->mysql);
	if (n == 0) {
		conn->affected = mysql_stmt_affected_rows(ms->handle);
		return;
	}
	if (mysql_stmt_store_result(ms->handle) != 0) {
		mydrv_stmt_failed(conn, ms->handle);
		return;
	}
	ms->outs_bound = false;
	r = sql_result_new(conn, n);
	if (r == NULL)
		return;
	if (r->rows == NULL)
		r->rows = rowbuf_new();
	if (r->rows == NULL || !mydrv_stmt_columns(ms, n)) {
		mydrv_no_memory(conn, "a result");
		sql_result_free(r);
		return;
	}
	rowbuf_reset(r->rows, n);
	while (mydrv_stmt_fetch(ms, r->values)) {
		r->nrows++;
		for (unsigned i = 0; i < n; i++) {
			if (rowbuf_add(r->rows, r->values[i].text, r->values[i].len) != 0)
				mydrv_no_memory(conn, "a result");
		}
	}
	mysql_stmt_free_result(ms->handle);
	ms->outs_bound = false;
	*result = r;
}

/* Goes to the next result. False: there is none, or conn->error tells. */
static bool advance(struct sql_conn *conn)
{
	struct mydrv_conn *mc = conn->impl;
	int rc;

	MYDRV_TRACE(conn, "next result");
	if (mc->source != NULL) {
		rc = mysql_stmt_next_result(mc->source->handle);
		if (rc > 0)
			mydrv_stmt_failed(conn, mc->source->handle);
	} else {
		rc = mysql_next_result(mc->mysql);
		if (rc > 0)
			mydrv_failed(conn);
	}
	if (rc == 0)
		return true;
	conn->more = false;
	return false;
}

enum sql_call mydrv_next_result(struct sql_conn *conn, struct sql_result **result)
{
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_stmt *source = mc->source;

	if (source != NULL)
		source->result->nrows = 0; /* the handle now holds other rows */
	if (mc->mysql == NULL || !advance(conn))
		return CALL_DONE;
	if (source == NULL) {
		take(conn, result);
		return CALL_DONE;
	}
	take_from_stmt(conn, source, result);
	if (conn->error.outcome == SQL_OK)
		note_more(conn);
	return CALL_DONE;
}

bool mydrv_drain(struct sql_conn *conn)
{
	while (conn->more && conn->error.outcome == SQL_OK) {
		struct sql_result *result = NULL;

		mydrv_next_result(conn, &result);
		sql_result_free(result);
	}
	conn->affected = 0;
	conn->warnings = 0;
	return conn->error.outcome == SQL_OK;
}

/* ---- rows ---- */

static bool fetch_text(struct sql_result *result)
{
	MYSQL_RES *rows = result->impl;
	MYSQL_ROW row = mysql_fetch_row(rows);
	const unsigned long *lens;

	if (row == NULL)
		return false;
	lens = mysql_fetch_lengths(rows);
	for (unsigned i = 0; i < result->nfields; i++)
		result->values[i] = (struct sql_value){.text = row[i], .len = lens[i]};
	return true;
}

bool mydrv_fetch(struct sql_result *result)
{
	struct mydrv_stmt *ms;

	if (result->cursor >= result->nrows)
		return false;
	result->cursor++;
	if (result->impl == NULL)
		return rowbuf_next(result->rows, result->values);
	ms = mydrv_result_stmt(result);
	return ms != NULL ? mydrv_stmt_fetch(ms, result->values) : fetch_text(result);
}

void mydrv_result_free(struct sql_result *result)
{
	struct mydrv_stmt *ms = mydrv_result_stmt(result);

	if (ms == NULL)
		mysql_free_result(result->impl);
	else if (result->nrows > KEPT_ROWS)
		mysql_stmt_free_result(ms->handle);
}
