/* SPDX-License-Identifier: MIT */
#include "sql/sql_emulate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql/driver_priv.h"
#include "sql/stmt_text.h"

/* A statement of the multi-row INSERT is sent when it has this much: far below any server's packet
 * limit. */
enum { BULK_TEXT_BYTES = 256 * 1024, BULK_ROWS = 5000 };

struct sql_bulk {
	char *insert; /* "INSERT INTO t(a, b) VALUES " */
	unsigned ncolumns;
	unsigned rows; /* in text */
	bool own_txn;  /* begun by bulk_begin */
	struct strbuf text;
};

static void add_double(struct strbuf *out, double d)
{
	char text[40];

	if (!isfinite(d)) { /* no engine's numeric literals have these */
		strbuf_adds(out, "NULL");
		return;
	}
	snprintf(text, sizeof(text), "%.15g", d);
	if (strtod(text, NULL) != d)
		snprintf(text, sizeof(text), "%.17g", d);
	/* "5" would be an integer, and divide like one. */
	if (strpbrk(text, ".e") == NULL)
		strcat(text, ".0");
	strbuf_adds(out, text);
}

static void add_param(void *ctx, unsigned index, struct strbuf *out)
{
	struct sql_stmt *stmt = ctx;
	const struct sql_param *p = stmt->params[index];

	if (p->is_null || p->type == SQL_TYPE_NONE)
		strbuf_adds(out, "NULL");
	else if (sql_type_is_int(p->type))
		strbuf_addf(out, "%" PRId64, p->i);
	else if (sql_type_is_double(p->type))
		add_double(out, p->d);
	else
		stmt->conn->env->ops->quote(stmt->conn, p->buf, sql_param_len(p), out);
}

static int no_memory(struct sql_conn *conn)
{
	sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a statement's text");
	return -ENOMEM;
}

int emulate_text(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (conn->scratch == NULL) {
		conn->scratch = calloc(1, sizeof(*conn->scratch));
		if (conn->scratch == NULL)
			return no_memory(conn);
	}
	strbuf_reset(conn->scratch);
	stmt_replace_marks(stmt->text, stmt->len, conn->env->dialect, add_param, stmt,
	                   conn->scratch);
	if (conn->error.outcome != SQL_OK) /* a string that this engine cannot hold */
		return -EINVAL;
	return conn->scratch->failed ? no_memory(conn) : 0;
}

/* A name as it is when it is plain: case folding then works as where the table was created. */
static void add_name(struct strbuf *out, const char *name, enum sql_dialect dialect)
{
	const char quote = dialect == DIALECT_MYSQL ? '`' : '"';

	if (name[strspn(name,
	                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.")] ==
	        '\0' &&
	    name[0] != '\0') {
		strbuf_adds(out, name);
		return;
	}
	strbuf_addc(out, quote);
	for (; *name != '\0'; name++) {
		if (*name == quote)
			strbuf_addc(out, quote);
		strbuf_addc(out, *name);
	}
	strbuf_addc(out, quote);
}

void emulate_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	struct strbuf insert = STRBUF_INIT;
	struct sql_bulk *bulk = calloc(1, sizeof(*bulk));

	strbuf_adds(&insert, "INSERT INTO ");
	add_name(&insert, table->name, conn->env->dialect);
	for (unsigned i = 0; i < table->ncolumns; i++) {
		strbuf_adds(&insert, i == 0 ? "(" : ", ");
		add_name(&insert, table->columns[i], conn->env->dialect);
	}
	strbuf_adds(&insert, ") VALUES ");
	if (bulk != NULL)
		bulk->insert = strbuf_take(&insert);
	if (bulk == NULL || bulk->insert == NULL) {
		strbuf_fini(&insert);
		free(bulk);
		no_memory(conn);
		return;
	}
	bulk->ncolumns = table->ncolumns;
	if (!sql_in_transaction(conn)) {
		conn_run(conn, "BEGIN", 5);
		bulk->own_txn = conn->error.outcome == SQL_OK;
	}
	conn->bulk = bulk;
	if (conn->error.outcome != SQL_OK)
		emulate_bulk_drop(conn);
}

static void flush(struct sql_conn *conn)
{
	struct sql_bulk *bulk = conn->bulk;

	if (bulk->rows == 0)
		return;
	bulk->rows = 0;
	if (bulk->text.failed)
		no_memory(conn);
	else
		conn_run(conn, bulk->text.text, bulk->text.len);
	if (conn->bulk != NULL) /* gone when the connection was lost */
		strbuf_reset(&conn->bulk->text);
}

static void add_value(struct sql_conn *conn, const struct bulk_value *value, struct strbuf *out)
{
	switch (value->kind) {
	case BULK_INT:
		strbuf_addf(out, "%" PRId64, value->i);
		break;
	case BULK_DOUBLE:
		add_double(out, value->d);
		break;
	case BULK_TEXT:
		conn->env->ops->quote(conn, value->text, value->len, out);
		break;
	case BULK_NULL:
	default:
		strbuf_adds(out, "NULL");
		break;
	}
}

void emulate_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	struct sql_bulk *bulk = conn->bulk;
	struct strbuf *text;

	if (bulk == NULL) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL, "bulk row outside of a bulk load");
		return;
	}
	text = &bulk->text;
	if (bulk->rows == 0)
		strbuf_adds(text, bulk->insert);
	for (unsigned i = 0; i < bulk->ncolumns; i++) {
		if (i > 0)
			strbuf_adds(text, ", ");
		else
			strbuf_adds(text, bulk->rows == 0 ? "(" : ", (");
		add_value(conn, &values[i], text);
	}
	strbuf_addc(text, ')');
	bulk->rows++;
	if (text->failed || text->len >= BULK_TEXT_BYTES || bulk->rows >= BULK_ROWS)
		flush(conn);
}

void emulate_bulk_end(struct sql_conn *conn, bool commit)
{
	struct sql_bulk *bulk = conn->bulk;
	bool own_txn;

	if (bulk == NULL) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL,
		              "end of a bulk load that was not begun");
		return;
	}
	own_txn = bulk->own_txn;
	if (commit)
		flush(conn);
	emulate_bulk_drop(conn);
	if (!own_txn || !conn->connected)
		return;
	if (conn->error.outcome != SQL_OK || !commit) {
		sql_rollback(conn);
		return;
	}
	conn_run(conn, "COMMIT", 6);
	if (conn->error.outcome != SQL_OK)
		sql_rollback(conn);
}

void emulate_bulk_drop(struct sql_conn *conn)
{
	struct sql_bulk *bulk = conn->bulk;

	if (bulk == NULL)
		return;
	conn->bulk = NULL;
	strbuf_fini(&bulk->text);
	free(bulk->insert);
	free(bulk);
}
