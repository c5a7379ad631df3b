/* SPDX-License-Identifier: MIT */
/*
 * Loading by COPY: each load is a statement of its own, and so a transaction. Rows go in binary
 * where every column has a form that is known here, else as text.
 *
 * FREEZE (rows that no later VACUUM must touch) is legal only in the transaction that made or
 * emptied the table, which locks out all others: it is used when all rows come in one load.
 */
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_pgsql.h"

enum {
	SEND_BYTES = 128 * 1024, /* sent when so much has been gathered */
	FIELD_MAX = 32,          /* bytes of a number with its length or delimiter */
};

static const char binary_head[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0"; /* its NUL is the last byte */

/* ---- the buffer ---- */

/* Room for n bytes; NULL: out of memory. */
static char *reserve(struct sql_conn *conn, size_t n)
{
	struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;

	if (bulk->used + n > bulk->room) {
		size_t room = bulk->room != 0 ? bulk->room : (size_t)2 * SEND_BYTES;
		char *rows;

		while (room < bulk->used + n)
			room *= 2;
		rows = realloc(bulk->rows, room);
		if (rows == NULL) {
			sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for rows");
			return NULL;
		}
		bulk->rows = rows;
		bulk->room = room;
	}
	return bulk->rows + bulk->used;
}

static void send_rows(struct sql_conn *conn)
{
	struct pgsql_conn *pc = conn->impl;
	struct pgsql_bulk *bulk = &pc->bulk;

	if (bulk->used != 0 && PQputCopyData(pc->pg, bulk->rows, (int)bulk->used) != 1)
		pgsql_call_failed(conn, "sending rows");
	else
		pgsql_flush(conn);
	bulk->used = 0;
}

/* ---- binary ---- */

static char *put16(char *at, uint16_t value)
{
	value = htobe16(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static char *put32(char *at, uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static char *put64(char *at, uint64_t value)
{
	value = htobe64(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static char *put_int(struct sql_conn *conn, char *at, int64_t value, unsigned bytes)
{
	const int64_t most = bytes == 8 ? INT64_MAX : (INT64_C(1) << (8 * bytes - 1)) - 1;

	if (value > most || value < -most - 1)
		sql_error_set(conn, SQL_FATAL, 0, "22003",
		              "a row for %s: %" PRId64
		              " is out of range for an integer of %u bytes",
		              ((struct pgsql_conn *)conn->impl)->bulk.columns.table, value, bytes);
	at = put32(at, bytes);
	if (bytes == 2)
		return put16(at, (uint16_t)value);
	return bytes == 4 ? put32(at, (uint32_t)value) : put64(at, (uint64_t)value);
}

static char *put_double(char *at, double value, unsigned bytes)
{
	const float single = (float)value;
	uint32_t word32;
	uint64_t word64;

	memcpy(&word32, &single, sizeof(word32));
	memcpy(&word64, &value, sizeof(word64));
	at = put32(at, bytes);
	return bytes == 4 ? put32(at, word32) : put64(at, word64);
}

/* What the value is as text; numbers are written to `number`. */
static const char *text_of(const struct bulk_value *value, char *number, size_t room, size_t *len)
{
	if (value->kind == BULK_TEXT) {
		*len = value->len;
		return value->text;
	}
	if (value->kind == BULK_INT)
		*len = (size_t)snprintf(number, room, "%" PRId64, value->i);
	else
		*len = (size_t)snprintf(number, room, "%.17g", value->d);
	return number;
}

static bool wrong_kind(struct sql_conn *conn, unsigned column)
{
	sql_error_set(conn, SQL_FATAL, 0, "42804",
	              "a row for %s: value %u does not fit the type of its column",
	              ((struct pgsql_conn *)conn->impl)->bulk.columns.table, column + 1);
	return false;
}

/* False: failed. */
static bool put_binary(struct sql_conn *conn, unsigned column, const struct bulk_value *value)
{
	struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;
	const Oid type = bulk->columns.types[column];
	const bool is_int = type == OID_INT2 || type == OID_INT4 || type == OID_INT8;
	const bool is_double = type == OID_FLOAT4 || type == OID_FLOAT8;
	char number[FIELD_MAX], *at = reserve(conn, FIELD_MAX);
	const char *text;
	size_t len;

	if (at == NULL)
		return false;
	if (value->kind == BULK_NULL) {
		at = put32(at, UINT32_MAX);
	} else if (is_int && value->kind == BULK_INT) {
		at = put_int(conn, at, value->i, type == OID_INT2 ? 2 : type == OID_INT4 ? 4 : 8);
	} else if (is_double && value->kind != BULK_TEXT) {
		at = put_double(at, value->kind == BULK_INT ? (double)value->i : value->d,
		                type == OID_FLOAT4 ? 4 : 8);
	} else if (is_int || is_double) {
		return wrong_kind(conn, column);
	} else {
		text = text_of(value, number, sizeof(number), &len);
		at = reserve(conn, len + FIELD_MAX);
		if (at == NULL)
			return false;
		at = put32(at, (uint32_t)len);
		memcpy(at, text, len);
		at += len;
	}
	bulk->used = (size_t)(at - bulk->rows);
	return conn->error.outcome == SQL_OK;
}

/* ---- text ---- */

static char *put_escaped(char *at, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char c = text[i];

		if (c == '\\' || c == '\t' || c == '\n' || c == '\r')
			*at++ = '\\';
		*at++ = (char)(c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c);
	}
	return at;
}

static bool put_text(struct sql_conn *conn, unsigned column, const struct bulk_value *value)
{
	struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;
	char number[FIELD_MAX], *at;
	const char *text = "";
	size_t len = 0;

	if (value->kind != BULK_NULL)
		text = text_of(value, number, sizeof(number), &len);
	at = reserve(conn, 2 * len + FIELD_MAX);
	if (at == NULL)
		return false;
	if (value->kind == BULK_NULL) {
		*at++ = '\\';
		*at++ = 'N';
	} else {
		at = put_escaped(at, text, len);
	}
	*at++ = (char)(column + 1 < bulk->columns.n ? '\t' : '\n');
	bulk->used = (size_t)(at - bulk->rows);
	return true;
}

/* ---- the table ---- */

static bool is_binary(Oid type)
{
	return type == OID_INT2 || type == OID_INT4 || type == OID_INT8 || type == OID_FLOAT4 ||
	       type == OID_FLOAT8 || type == OID_TEXT || type == OID_VARCHAR || type == OID_BPCHAR;
}

static void forget_columns(struct pgsql_columns *columns)
{
	free(columns->table);
	free(columns->types);
	*columns = (struct pgsql_columns){0};
}

/* A name in quotes, for it may be a keyword. A plain one is folded as it was where the table was
 * made, and a dot in it parts the schema from the table. */
static void add_name(struct strbuf *out, const char *name)
{
	const bool plain =
	    name[strspn(
	        name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")] == '\0';

	strbuf_addc(out, '"');
	for (; *name != '\0'; name++) {
		if (plain && *name == '.')
			strbuf_adds(out, "\".\"");
		else if (*name == '"')
			strbuf_adds(out, "\"\"");
		else
			strbuf_addc(out, plain && isupper((unsigned char)*name)
			                     ? (char)tolower((unsigned char)*name)
			                     : *name);
	}
	strbuf_addc(out, '"');
}

static void add_columns(struct strbuf *out, const struct bulk_table *table)
{
	for (unsigned i = 0; i < table->ncolumns; i++) {
		strbuf_adds(out, i == 0 ? "" : ", ");
		add_name(out, table->columns[i]);
	}
}

/* Asks for the types by selecting no row. False: failed. */
static bool ask_columns(struct sql_conn *conn, const struct bulk_table *table)
{
	struct pgsql_columns *columns = &((struct pgsql_conn *)conn->impl)->bulk.columns;
	struct strbuf text = STRBUF_INIT;
	PGresult *result = NULL;

	forget_columns(columns);
	columns->table = strdup(table->name);
	columns->types = calloc(table->ncolumns, sizeof(*columns->types));
	columns->n = table->ncolumns;
	columns->binary = true;
	strbuf_adds(&text, "SELECT ");
	add_columns(&text, table);
	strbuf_adds(&text, " FROM ");
	add_name(&text, table->name);
	strbuf_adds(&text, " LIMIT 0");
	if (columns->table == NULL || columns->types == NULL || text.failed)
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a bulk load");
	else
		result = pgsql_run(conn, text.text);
	strbuf_fini(&text);
	for (unsigned i = 0; result != NULL && i < columns->n; i++) {
		columns->types[i] = PQftype(result, (int)i);
		columns->binary = columns->binary && is_binary(columns->types[i]);
	}
	if (result == NULL)
		forget_columns(columns);
	PQclear(result);
	return conn->error.outcome == SQL_OK;
}

/* ---- a load ---- */

static void copy_text(struct sql_conn *conn, const struct bulk_table *table, struct strbuf *text)
{
	const struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;

	if (bulk->freeze) {
		strbuf_adds(text, "TRUNCATE ");
		add_name(text, table->name);
		strbuf_adds(text, "; ");
	}
	strbuf_adds(text, "COPY ");
	add_name(text, table->name);
	strbuf_addc(text, '(');
	add_columns(text, table);
	strbuf_addf(text, ") FROM STDIN (FORMAT %s%s)", bulk->columns.binary ? "binary" : "text",
	            bulk->freeze ? ", FREEZE" : "");
}

static void end_transaction(struct sql_conn *conn, bool commit)
{
	const struct sql_error error = conn->error;
	struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;
	PGresult *result;

	bulk->own_txn = false;
	bulk->freeze = false;
	conn->error.outcome = SQL_OK;
	result = pgsql_run(conn, commit ? "COMMIT" : "ROLLBACK");
	if (result != NULL && !commit)
		conn->error = error;
	PQclear(result);
}

/* Begins a transaction in which the table may be frozen, if it is as empty as it should be: under a
 * lock that nobody can put rows in behind. */
static void begin_frozen(struct sql_conn *conn, const struct bulk_table *table)
{
	struct pgsql_conn *pc = conn->impl;
	struct strbuf text = STRBUF_INIT;
	PGresult *result;

	strbuf_adds(&text, "BEGIN; LOCK TABLE ");
	add_name(&text, table->name);
	strbuf_adds(&text, " IN ACCESS EXCLUSIVE MODE; SELECT 1 FROM ");
	add_name(&text, table->name);
	strbuf_adds(&text, " LIMIT 1");
	if (text.failed)
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a bulk load");
	else if (!PQsendQuery(pc->pg, text.text))
		pgsql_call_failed(conn, "beginning a bulk load");
	else
		pc->bulk.own_txn = true;
	strbuf_fini(&text);
	while (pc->bulk.own_txn && (result = pgsql_next(conn)) != NULL) {
		if (PQresultStatus(result) == PGRES_FATAL_ERROR)
			pgsql_failed(conn, result);
		else if (PQresultStatus(result) == PGRES_TUPLES_OK)
			pc->bulk.freeze = PQntuples(result) == 0;
		PQclear(result);
	}
}

/* Sends the COPY and waits until the server wants rows. */
static void open_copy(struct sql_conn *conn, const char *text)
{
	struct pgsql_conn *pc = conn->impl;
	PGresult *result;

	if (!PQsendQuery(pc->pg, text)) {
		pgsql_call_failed(conn, "beginning a bulk load");
		return;
	}
	while (!pc->bulk.open && (result = pgsql_next(conn)) != NULL) {
		pc->bulk.open = PQresultStatus(result) == PGRES_COPY_IN;
		if (PQresultStatus(result) == PGRES_FATAL_ERROR)
			pgsql_failed(conn, result);
		PQclear(result);
	}
	if (!pc->bulk.open && conn->error.outcome == SQL_OK)
		pgsql_call_failed(conn, "beginning a bulk load");
}

/* What COPY begins with, or what is left of a COPY that did not begin. */
static void opened(struct sql_conn *conn)
{
	struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;

	bulk->used = 0;
	if (!bulk->open) {
		if (bulk->own_txn && conn->error.outcome != SQL_LOST)
			end_transaction(conn, false);
	} else if (bulk->columns.binary && reserve(conn, sizeof(binary_head)) != NULL) {
		memcpy(bulk->rows, binary_head, sizeof(binary_head));
		bulk->used = sizeof(binary_head);
	}
}

enum sql_call pgsql_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	struct pgsql_conn *pc = conn->impl;
	struct pgsql_bulk *bulk = &pc->bulk;
	struct strbuf text = STRBUF_INIT;

	pgsql_drop_more(pc);
	if (pc->pipe_open || bulk->open) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL,
		              "a bulk load inside a pipeline or another load");
		return CALL_DONE;
	}
	if ((bulk->columns.table == NULL || strcmp(bulk->columns.table, table->name) != 0 ||
	     bulk->columns.n != table->ncolumns) &&
	    !ask_columns(conn, table))
		return CALL_DONE;
	if (table->whole && !pgsql_in_transaction(conn))
		begin_frozen(conn, table);
	copy_text(conn, table, &text);
	if (text.failed)
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a bulk load");
	if (conn->error.outcome == SQL_OK)
		open_copy(conn, text.text);
	strbuf_fini(&text);
	opened(conn);
	return CALL_DONE;
}

enum sql_call pgsql_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	struct pgsql_bulk *bulk = &((struct pgsql_conn *)conn->impl)->bulk;
	char *at;

	if (!bulk->open) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL, "a row outside of a bulk load");
		return CALL_DONE;
	}
	if (bulk->columns.binary) {
		at = reserve(conn, FIELD_MAX);
		if (at == NULL)
			return CALL_DONE;
		put16(at, (uint16_t)bulk->columns.n);
		bulk->used += sizeof(uint16_t);
	}
	for (unsigned i = 0; i < bulk->columns.n; i++)
		if (!(bulk->columns.binary ? put_binary(conn, i, &values[i])
		                           : put_text(conn, i, &values[i])))
			return CALL_DONE;
	if (bulk->used >= SEND_BYTES)
		send_rows(conn);
	return CALL_DONE;
}

enum sql_call pgsql_bulk_end(struct sql_conn *conn, bool commit)
{
	struct pgsql_conn *pc = conn->impl;
	struct pgsql_bulk *bulk = &pc->bulk;
	PGresult *result;

	if (!bulk->open) {
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL,
		              "the end of a bulk load that is not open");
		return CALL_DONE;
	}
	bulk->open = false;
	if (commit && bulk->columns.binary && reserve(conn, FIELD_MAX) != NULL) {
		put16(bulk->rows + bulk->used, UINT16_MAX);
		bulk->used += sizeof(uint16_t);
	}
	if (commit)
		send_rows(conn);
	bulk->used = 0;
	if (conn->error.outcome == SQL_LOST)
		return CALL_DONE;
	commit = commit && conn->error.outcome == SQL_OK;
	if (PQputCopyEnd(pc->pg, commit ? NULL : "given up") != 1) {
		pgsql_call_failed(conn, "ending a bulk load");
		return CALL_DONE;
	}
	result = pgsql_single(conn);
	if (result != NULL)
		pgsql_command_done(conn, result, false);
	else if (!commit && strcmp(conn->error.state, "57014") == 0)
		conn->error = (struct sql_error){.outcome = SQL_OK}; /* as was asked for */
	/* The table may have become another. */
	if (result == NULL)
		forget_columns(&bulk->columns);
	PQclear(result);
	if (bulk->own_txn && conn->error.outcome != SQL_LOST)
		end_transaction(conn, result != NULL);
	return CALL_DONE;
}

void pgsql_bulk_fini(struct pgsql_bulk *bulk)
{
	forget_columns(&bulk->columns);
	free(bulk->rows);
	*bulk = (struct pgsql_bulk){0};
}
