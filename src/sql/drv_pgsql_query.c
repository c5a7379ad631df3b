/* SPDX-License-Identifier: MIT */
/* Statement texts, and results of all kinds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

/* ---- what the server sends ---- */

PGresult *pgsql_next(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	if (PQisBusy(pc->pg) && !pgsql_wait(conn))
		return NULL;
	return PQgetResult(pc->pg);
}

static bool is_failure(ExecStatusType status)
{
	return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

/* A script's own COPY: its rows are read and dropped. */
static bool drain_copy(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	char *row;
	int len;

	while ((len = PQgetCopyData(pc->pg, &row, 1)) >= 0) {
		if (len > 0)
			PQfreemem(row);
		else if (!pgsql_wait_input(conn))
			return false;
	}
	return true;
}

/* Leaves the state of a COPY that a text began. False: the connection is of no use. */
static bool end_copy(struct sql_conn *conn, ExecStatusType status)
{
	struct pgsql_conn *pc = conn->impl;

	if (status == PGRES_COPY_OUT)
		return drain_copy(conn);
	if (status == PGRES_COPY_IN) {
		PQputCopyEnd(pc->pg, "a statement text has no rows to send; use a bulk load");
		return pgsql_flush(conn);
	}
	sql_error_set(conn, SQL_LOST, 0, "08P01", "the server began to replicate; it was cut off");
	return false;
}

/* Looks at one result of a statement: true when it is to be kept, else it was cleared. */
static bool is_kept(struct sql_conn *conn, PGresult *result, bool *usable)
{
	const ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return true;
	if (is_failure(status))
		pgsql_failed(conn, result);
	else if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
		*usable = end_copy(conn, status);
	PQclear(result);
	return false;
}

/*
 * Behind the success of a statement comes its own commit, when it is prepared and outside of a
 * transaction: what fails there fails the statement. Inside of one only the loss of the connection
 * can follow, which the next call meets.
 */
static void take_late(struct sql_conn *conn, PGresult *result)
{
	const struct pgsql_conn *pc = conn->impl;

	if (is_failure(PQresultStatus(result)) &&
	    (conn->alone || PQstatus(pc->pg) != CONNECTION_BAD)) {
		pgsql_failed(conn, result);
		conn->undone = false;
	}
	PQclear(result);
}

PGresult *pgsql_single(struct sql_conn *conn)
{
	const struct pgsql_conn *pc = conn->impl;
	bool usable = pgsql_wait(conn);
	PGresult *kept = NULL, *result = usable ? PQgetResult(pc->pg) : NULL;

	for (; result != NULL; result = usable ? pgsql_next(conn) : NULL) {
		if (kept == NULL && is_kept(conn, result, &usable))
			kept = result;
		else if (kept != NULL)
			take_late(conn, result);
	}
	if (kept == NULL && conn->error.outcome == SQL_OK)
		pgsql_call_failed(conn, "no result");
	if (conn->error.outcome == SQL_OK)
		return kept;
	PQclear(kept);
	return NULL;
}

PGresult *pgsql_run(struct sql_conn *conn, const char *text)
{
	struct pgsql_conn *pc = conn->impl;

	if (PQsendQuery(pc->pg, text))
		return pgsql_single(conn);
	pgsql_call_failed(conn, "sending a statement");
	return NULL;
}

/* ---- results for the caller ---- */

void pgsql_command_done(struct sql_conn *conn, PGresult *result, bool commit)
{
	const char *rows = PQcmdTuples(result);

	if (rows[0] != '\0')
		conn->affected = strtoull(rows, NULL, 10);
	if (commit && strcmp(PQcmdStatus(result), "ROLLBACK") == 0)
		sql_error_set(conn, SQL_RETRY, 0, "25P02",
		              "COMMIT became a rollback: an earlier statement of the transaction "
		              "had failed");
}

/* Hands a result over: what it holds is the caller's or freed. */
static void give(struct sql_conn *conn, PGresult *pg, bool commit, struct sql_result **result)
{
	if (PQresultStatus(pg) != PGRES_TUPLES_OK) {
		pgsql_command_done(conn, pg, commit);
		PQclear(pg);
		return;
	}
	*result = sql_result_new(conn, (unsigned)PQnfields(pg));
	if (*result == NULL) {
		PQclear(pg);
		return;
	}
	(*result)->impl = pg;
	(*result)->nrows = (uint64_t)PQntuples(pg);
	conn->affected = (*result)->nrows;
}

void pgsql_drop_more(struct pgsql_conn *pc)
{
	for (; pc->more_at < pc->nmore; pc->more_at++)
		PQclear(pc->more[pc->more_at]);
	pc->more_at = 0;
	pc->nmore = 0;
}

static void add_more(struct sql_conn *conn, PGresult *result)
{
	struct pgsql_conn *pc = conn->impl;

	if (pc->nmore == pc->more_room) {
		const unsigned room = pc->more_room != 0 ? 2 * pc->more_room : 4;
		PGresult **more = realloc(pc->more, room * sizeof(PGresult *));

		if (more == NULL) {
			PQclear(result);
			sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for results");
			return;
		}
		pc->more = more;
		pc->more_room = room;
	}
	pc->more[pc->nmore++] = result;
}

/* All results of a text. A failure of any statement is one of the text: nobody who asks for the
 * first result only may take it for a success. */
static PGresult *collect_text(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	PGresult *first = NULL, *result;
	bool usable = true;

	while (usable && (result = pgsql_next(conn)) != NULL) {
		if (!is_kept(conn, result, &usable))
			continue;
		if (first == NULL)
			first = result;
		else
			add_more(conn, result);
	}
	if (conn->error.outcome == SQL_OK && first == NULL && PQstatus(pc->pg) == CONNECTION_BAD)
		pgsql_call_failed(conn, "the connection broke");
	if (conn->error.outcome == SQL_OK)
		return first;
	/* What stood before may have been committed. */
	conn->undone = conn->undone && first == NULL;
	PQclear(first);
	pgsql_drop_more(pc);
	return NULL;
}

enum sql_call pgsql_query(struct sql_conn *conn, const char *text, size_t len,
                          struct sql_result **result)
{
	struct pgsql_conn *pc = conn->impl;
	PGresult *first;

	pgsql_drop_more(pc);
	conn->more = false;
	if (strlen(text) != len) {
		sql_error_set(conn, SQL_FATAL, EINVAL, "22021",
		              "a statement with a NUL byte at position %zu", strlen(text));
		return CALL_DONE;
	}
	if (pc->pipe_open) {
		pgsql_pipe_text(conn, text, len);
		return CALL_DONE;
	}
	if (!PQsendQuery(pc->pg, text)) {
		pgsql_call_failed(conn, "sending a statement");
		return CALL_DONE;
	}
	first = collect_text(conn);
	if (first == NULL)
		return CALL_DONE;
	conn->more = pc->nmore != 0;
	give(conn, first, PQcmdStatus(first)[0] == 'R' && stmt_txn(text, len) == STMT_COMMIT,
	     result);
	return CALL_DONE;
}

enum sql_call pgsql_next_result(struct sql_conn *conn, struct sql_result **result)
{
	struct pgsql_conn *pc = conn->impl;

	if (pc->more_at < pc->nmore)
		give(conn, pc->more[pc->more_at++], false, result);
	conn->more = pc->more_at < pc->nmore;
	return CALL_DONE;
}

bool pgsql_fetch(struct sql_result *result)
{
	const PGresult *pg = result->impl;
	const int row = (int)result->cursor;

	if (pg == NULL || result->cursor >= result->nrows)
		return false;
	result->cursor++;
	for (int i = 0; i < (int)result->nfields; i++) {
		struct sql_value *value = &result->values[i];

		/* NULL and "" both are "" to libpq. */
		value->len = (size_t)PQgetlength(pg, row, i);
		value->text =
		    value->len == 0 && PQgetisnull(pg, row, i) ? NULL : PQgetvalue(pg, row, i);
	}
	return true;
}

void pgsql_result_free(struct sql_result *result)
{
	PQclear(result->impl);
}

/* ---- literals ---- */

/* Nothing in it that any encoding or setting of the server reads as more than itself. */
static bool is_plain(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] - 1u >= 127u || text[i] == '\'' || text[i] == '\\')
			return false;
	return true;
}

void pgsql_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out)
{
	struct pgsql_conn *pc = conn->impl;
	char *literal;

	if (is_plain(text, len)) {
		strbuf_addc(out, '\'');
		strbuf_add(out, text, len);
		strbuf_addc(out, '\'');
		return;
	}
	if (memchr(text, '\0', len) != NULL) {
		sql_error_set(conn, SQL_FATAL, 0, "22021",
		              "a string with a NUL byte, which PostgreSQL cannot hold");
		return;
	}
	literal = PQescapeLiteral(pc->pg, text, len);
	if (literal == NULL) {
		pgsql_call_failed(conn, "quoting a string");
		return;
	}
	strbuf_adds(out, literal);
	PQfreemem(literal);
}
