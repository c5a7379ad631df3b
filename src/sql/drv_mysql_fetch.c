/* SPDX-License-Identifier: MIT */
/*
 * Rows of prepared statements, which come in the server's binary form: every column is asked for as
 * a string, in buffers that grow to the longest value seen.
 */
#include <stdlib.h>
#include <string.h>

#include "sql/drv_mysql.h"

enum { FIRST_ROOM = 256 };

void mydrv_stmt_columns_free(struct mydrv_stmt *ms)
{
	for (unsigned i = 0; i < ms->ncolumns && ms->columns != NULL; i++)
		free(ms->columns[i].buf);
	free(ms->columns);
	free(ms->outs);
	ms->columns = NULL;
	ms->outs = NULL;
	ms->ncolumns = 0;
	ms->outs_bound = false;
}

static bool set_room(struct mydrv_stmt *ms, unsigned i, unsigned long room)
{
	struct mydrv_column *column = &ms->columns[i];
	char *buf = realloc(column->buf, room);

	if (buf == NULL)
		return false;
	column->buf = buf;
	column->room = room;
	ms->outs[i].buffer = buf;
	ms->outs[i].buffer_length = room;
	ms->outs_bound = false; /* the library has a copy */
	return true;
}

bool mydrv_stmt_columns(struct mydrv_stmt *ms, unsigned ncolumns)
{
	if (ms->ncolumns == ncolumns)
		return true;
	mydrv_stmt_columns_free(ms);
	ms->columns = calloc(ncolumns, sizeof(*ms->columns));
	ms->outs = calloc(ncolumns, sizeof(*ms->outs));
	if (ms->columns == NULL || ms->outs == NULL) {
		mydrv_stmt_columns_free(ms);
		return false;
	}
	ms->ncolumns = ncolumns;
	for (unsigned i = 0; i < ncolumns; i++) {
		struct mydrv_column *column = &ms->columns[i];

		ms->outs[i].buffer_type = MYSQL_TYPE_STRING;
		ms->outs[i].length = &column->len;
		ms->outs[i].is_null = &column->is_null;
		ms->outs[i].error = &column->cut;
		if (!set_room(ms, i, FIRST_ROOM)) {
			mydrv_stmt_columns_free(ms);
			return false;
		}
	}
	return true;
}

/* The value again, now that there is room for it. */
static bool fetch_long(struct mydrv_stmt *ms, unsigned i)
{
	return set_room(ms, i, ms->columns[i].len + ms->columns[i].len / 4 + 1) &&
	       mysql_stmt_fetch_column(ms->handle, &ms->outs[i], i, 0) == 0;
}

bool mydrv_stmt_fetch(struct mydrv_stmt *ms, struct sql_value *values)
{
	const unsigned n = mysql_stmt_field_count(ms->handle);
	int rc;

	if (!mydrv_stmt_columns(ms, n))
		return false;
	if (!ms->outs_bound && mysql_stmt_bind_result(ms->handle, ms->outs) != 0)
		return false;
	ms->outs_bound = true;
	rc = mysql_stmt_fetch(ms->handle);
	if (rc != 0 && rc != MYSQL_DATA_TRUNCATED)
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct mydrv_column *column = &ms->columns[i];

		if (column->is_null) {
			values[i] = (struct sql_value){0};
			continue;
		}
		if (column->len > column->room && !fetch_long(ms, i))
			return false;
		values[i] = (struct sql_value){.text = column->buf, .len = column->len};
	}
	return true;
}
