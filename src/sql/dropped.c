/* SPDX-License-Identifier: MIT */
/*
 * dropped: statements and results that a collector frees in another thread than the connection's.
 * They wait on the connection's list; whoever owns the connection takes the list and closes them.
 * What drop and take touch is nobody else's: the caller's lock covers both.
 */
#include "sql/driver.h"

void sql_stmt_drop(struct sql_stmt *stmt)
{
	if (stmt == NULL)
		return;
	stmt->next_dropped = stmt->home->dropped.stmts;
	stmt->home->dropped.stmts = stmt;
}

void sql_result_drop(struct sql_result *result)
{
	if (result == NULL)
		return;
	result->next_dropped = result->home->dropped.results;
	result->home->dropped.results = result;
}

struct sql_dropped sql_dropped_take(struct sql_conn *conn)
{
	const struct sql_dropped dropped = conn->dropped;

	conn->dropped = (struct sql_dropped){0};
	return dropped;
}

void sql_dropped_close(struct sql_dropped dropped)
{
	while (dropped.results != NULL) {
		struct sql_result *next = dropped.results->next_dropped;

		sql_result_free(dropped.results);
		dropped.results = next;
	}
	while (dropped.stmts != NULL) {
		struct sql_stmt *next = dropped.stmts->next_dropped;

		sql_stmt_close(dropped.stmts);
		dropped.stmts = next;
	}
}
