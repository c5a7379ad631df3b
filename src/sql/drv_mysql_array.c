/* SPDX-License-Identifier: MIT */
/* Bulk loads by one INSERT statement that is executed for many rows at once, which MariaDB has. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_mysql.h"

/* Rows and bytes of text of one execution: far below any server's packet limit. */
enum { ARRAY_ROWS = 1000, ARRAY_BYTES = 256 * 1024 };

struct column {
	int kind; /* of bulk_value; BULK_NULL: not known yet */
	char indicators[ARRAY_ROWS];
	union {
		int64_t ints[ARRAY_ROWS];
		double doubles[ARRAY_ROWS];
		const char *texts[ARRAY_ROWS];
		size_t offsets[ARRAY_ROWS]; /* of texts, until the text stays where it is */
	} values;
	unsigned long lens[ARRAY_ROWS];
};

struct mydrv_array {
	MYSQL_STMT *handle;
	MYSQL_BIND *binds;
	struct column *columns;
	unsigned ncolumns, rows;
	char *text;
	size_t len, room;
};

static char *insert_statement(const struct bulk_table *table)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "INSERT INTO ");
	mydrv_add_name(&sb, table->name);
	for (unsigned i = 0; i < table->ncolumns; i++) {
		strbuf_adds(&sb, i != 0 ? ", " : " (");
		mydrv_add_name(&sb, table->columns[i]);
	}
	for (unsigned i = 0; i < table->ncolumns; i++)
		strbuf_adds(&sb, i != 0 ? ", ?" : ") VALUES (?");
	strbuf_addc(&sb, ')');
	return strbuf_take(&sb);
}

void mydrv_array_drop(struct mydrv_conn *mc)
{
	struct mydrv_array *a = mc->array;

	if (a == NULL)
		return;
	mc->array = NULL;
	if (a->handle != NULL)
		mysql_stmt_close(a->handle);
	free(a->binds);
	free(a->columns);
	free(a->text);
	free(a);
}

static bool allocate(struct mydrv_array *a, unsigned ncolumns)
{
	a->ncolumns = ncolumns;
	a->binds = calloc(ncolumns, sizeof(*a->binds));
	a->columns = calloc(ncolumns, sizeof(*a->columns));
	a->room = ARRAY_BYTES;
	a->text = malloc(a->room);
	return a->binds != NULL && a->columns != NULL && a->text != NULL;
}

bool mydrv_array_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_array *a = calloc(1, sizeof(*a));
	char *text = insert_statement(table);

	mydrv_array_drop(mc);
	mc->array = a;
	if (a == NULL || text == NULL || !allocate(a, table->ncolumns)) {
		mydrv_no_memory(conn, "a bulk load");
		goto out;
	}
	a->handle = mysql_stmt_init(mc->mysql);
	if (a->handle == NULL)
		mydrv_failed(conn);
	else if (mysql_stmt_prepare(a->handle, text, (unsigned long)strlen(text)) != 0)
		mydrv_stmt_failed(conn, a->handle);
out:
	free(text);
	if (conn->error.outcome != SQL_OK)
		mydrv_array_drop(mc);
	return conn->error.outcome == SQL_OK;
}

static void bind_column(struct mydrv_array *a, unsigned i)
{
	struct column *c = &a->columns[i];
	MYSQL_BIND *bind = &a->binds[i];

	*bind = (MYSQL_BIND){0};
	mydrv_set_indicators(bind, c->indicators);
	bind->buffer = &c->values;
	if (c->kind == BULK_INT) {
		bind->buffer_type = MYSQL_TYPE_LONGLONG;
	} else if (c->kind == BULK_DOUBLE) {
		bind->buffer_type = MYSQL_TYPE_DOUBLE;
	} else {
		bind->buffer_type = MYSQL_TYPE_STRING;
		bind->length = c->lens;
		for (unsigned k = 0; k < a->rows; k++)
			c->values.texts[k] =
			    c->kind == BULK_TEXT && c->indicators[k] == mydrv_indicator(false)
			        ? a->text + c->values.offsets[k]
			        : "";
	}
}

bool mydrv_array_flush(struct sql_conn *conn)
{
	struct mydrv_array *a = ((struct mydrv_conn *)conn->impl)->array;
	const unsigned rows = a->rows;

	if (rows == 0)
		return true;
	for (unsigned i = 0; i < a->ncolumns; i++)
		bind_column(a, i);
	a->rows = 0;
	a->len = 0;
	if (!mydrv_set_array(a->handle, rows) || mysql_stmt_bind_param(a->handle, a->binds) != 0 ||
	    mysql_stmt_execute(a->handle) != 0) {
		mydrv_stmt_failed(conn, a->handle);
		return false;
	}
	for (unsigned i = 0; i < a->ncolumns; i++)
		a->columns[i].kind = BULK_NULL;
	return true;
}

/* Does the row fit to what was gathered: types of columns, bytes? */
static bool fits(const struct mydrv_array *a, const struct bulk_value *values, size_t *bytes)
{
	*bytes = 0;
	for (unsigned i = 0; i < a->ncolumns; i++) {
		const int kind = (int)values[i].kind;

		if (kind == BULK_TEXT)
			*bytes += values[i].len;
		if (kind != BULK_NULL && a->columns[i].kind != BULK_NULL &&
		    a->columns[i].kind != kind)
			return false;
	}
	return a->rows < ARRAY_ROWS && a->len + *bytes <= a->room;
}

static bool make_room(struct sql_conn *conn, struct mydrv_array *a, size_t bytes)
{
	char *text;

	if (a->len + bytes <= a->room)
		return true;
	text = realloc(a->text, a->len + bytes);
	if (text == NULL) {
		mydrv_no_memory(conn, "rows of a bulk load");
		return false;
	}
	a->text = text;
	a->room = a->len + bytes;
	return true;
}

static void put(struct mydrv_array *a, unsigned i, const struct bulk_value *v)
{
	struct column *c = &a->columns[i];
	const unsigned row = a->rows;
	const bool is_null = v->kind == BULK_NULL || (v->kind == BULK_DOUBLE && !isfinite(v->d));

	c->indicators[row] = mydrv_indicator(is_null);
	c->lens[row] = 0;
	if (is_null)
		return;
	c->kind = (int)v->kind;
	if (v->kind == BULK_INT) {
		c->values.ints[row] = v->i;
	} else if (v->kind == BULK_DOUBLE) {
		c->values.doubles[row] = v->d;
	} else {
		c->values.offsets[row] = a->len;
		c->lens[row] = (unsigned long)v->len;
		memcpy(a->text + a->len, v->text, v->len);
		a->len += v->len;
	}
}

bool mydrv_array_row(struct sql_conn *conn, const struct bulk_value *values)
{
	struct mydrv_array *a = ((struct mydrv_conn *)conn->impl)->array;
	size_t bytes;

	if (!fits(a, values, &bytes) && !mydrv_array_flush(conn))
		return false;
	fits(a, values, &bytes);
	if (!make_room(conn, a, bytes))
		return false;
	for (unsigned i = 0; i < a->ncolumns; i++)
		put(a, i, &values[i]);
	a->rows++;
	return true;
}
