/* SPDX-License-Identifier: MIT */
/*
 * Pipelines: statements go out without waiting; one sync behind them, and their results are read in
 * order. The first failure is the outcome, the server skips what stands behind it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

enum sql_call pgsql_pipeline_begin(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	const bool in_txn = pgsql_in_transaction(conn);

	pgsql_drop_more(pc);
	conn->more = false;
	if (pc->bulk.open) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL, "a pipeline inside a bulk load");
	} else if (!PQenterPipelineMode(pc->pg)) {
		pgsql_call_failed(conn, "beginning a pipeline");
	} else {
		pc->pipe_open = true;
		pc->pipe_txn = in_txn;
		pc->pipe_lasts = false;
		pc->pipe_queued = 0;
		pc->pipe_commit = false;
	}
	return CALL_DONE;
}

void pgsql_pipe_sent(struct pgsql_conn *pc, enum stmt_txn txn, bool writes)
{
	pc->pipe_queued++;
	pc->pipe_commit = pc->pipe_commit || txn == STMT_COMMIT;
	pc->pipe_lasts = pc->pipe_lasts || (writes && !pc->pipe_txn);
	if (txn != STMT_PLAIN)
		pc->pipe_txn = txn == STMT_BEGIN;
}

/* Outside of a transaction the sync is what commits. */
void pgsql_pipe_lost(struct sql_conn *conn, bool synced)
{
	const struct pgsql_conn *pc = conn->impl;

	if (conn->error.outcome == SQL_LOST && (pc->pipe_commit || (synced && pc->pipe_lasts)))
		conn->error.outcome = SQL_UNKNOWN;
}

void pgsql_pipe_text(struct sql_conn *conn, const char *text, size_t len)
{
	struct pgsql_conn *pc = conn->impl;

	if (PQsendQueryParams(pc->pg, text, 0, NULL, NULL, NULL, NULL, 0))
		pgsql_pipe_sent(pc, stmt_txn(text, len),
		                stmt_lasts(text, len, DIALECT_PGSQL, false));
	else
		pgsql_call_failed(conn, "sending a statement");
	pgsql_pipe_lost(conn, false);
}

/* One result. True: it was the sync. */
static bool take(struct sql_conn *conn, PGresult *result)
{
	const struct pgsql_conn *pc = conn->impl;
	const ExecStatusType status = PQresultStatus(result);
	const uint64_t before = conn->affected;

	if (status == PGRES_TUPLES_OK) {
		conn->affected += (uint64_t)PQntuples(result);
	} else if (status == PGRES_COMMAND_OK) {
		conn->affected = 0;
		pgsql_command_done(conn, result, pc->pipe_commit);
		conn->affected += before;
	} else if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT ||
	           status == PGRES_COPY_BOTH) {
		sql_error_set(conn, SQL_LOST, 0, "0A000", "COPY inside a pipeline; run it alone");
	} else if (status != PGRES_PIPELINE_SYNC && status != PGRES_PIPELINE_ABORTED) {
		pgsql_failed(conn, result);
	}
	PQclear(result);
	return status == PGRES_PIPELINE_SYNC;
}

/* All that was sent with the sync behind it. */
static void collect(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	for (;;) {
		PGresult *result = pgsql_next(conn);

		if (result != NULL && take(conn, result))
			return;
		if (conn->error.outcome == SQL_LOST)
			return;
		/* NULL stands behind the results of each statement. */
		if (result == NULL && PQstatus(pc->pg) == CONNECTION_BAD) {
			pgsql_call_failed(conn, "the connection broke");
			return;
		}
	}
}

bool pgsql_pipe_collect(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	if (pc->pipe_queued == 0)
		return conn->error.outcome == SQL_OK;
	if (PQpipelineSync(pc->pg))
		collect(conn);
	else
		pgsql_call_failed(conn, "ending a pipeline");
	pgsql_pipe_lost(conn, true);
	pc->pipe_queued = 0;
	pc->pipe_commit = false;
	pc->pipe_lasts = false;
	return conn->error.outcome == SQL_OK;
}

enum sql_call pgsql_pipeline_end(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;

	if (!pc->pipe_open)
		return CALL_DONE;
	pgsql_pipe_collect(conn);
	pc->pipe_open = false;
	if (!PQexitPipelineMode(pc->pg) && conn->error.outcome == SQL_OK)
		pgsql_call_failed(conn, "leaving a pipeline");
	if (pc->stale)
		pgsql_forget_plans(conn);
	return CALL_DONE;
}
