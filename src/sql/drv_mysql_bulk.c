/* SPDX-License-Identifier: MIT */
/*
 * Bulk loads: LOAD DATA LOCAL INFILE, whose "file" are the rows gathered here, handed to the
 * library when it asks. Where the server or the client does not allow that: arrays of rows
 * (MariaDB), else multi-row INSERTs.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql/drv_mysql.h"
#include "sql/sql_emulate.h"

/* What a LOAD DATA sends at most: memory, and work that a failure costs. */
#define LOAD_BYTES_MOST (8u << 20)

/* Refusals of LOAD DATA LOCAL: by an old server, MariaDB, MySQL, the client library. */
enum { REFUSED_OLD = 1148, REFUSED_MARIADB = 4166, REFUSED_MYSQL = 3948, REFUSED_CLIENT = 2068 };

struct mydrv_load {
	bool active, own_txn, unchecked;
	struct sql_error error; /* of a row: what came before must not be committed */
	enum { BY_INFILE, BY_ARRAY, BY_INSERT } way;
	char *statement;
	unsigned ncolumns;
	uint64_t rows; /* in text */
	char *text;    /* tab-separated, a line per row */
	size_t len, room;
	size_t read; /* by the library */
	bool sending;
};

/* ---- what the library asks for ---- */

static int infile_init(void **ptr, const char *name, void *ctx)
{
	struct mydrv_conn *mc = ctx;

	(void)name;
	*ptr = mc;
	/* Outside of our own loads, a server that asks for a file gets none. */
	if (mc->load == NULL || !mc->load->sending)
		return 1;
	mc->load->read = 0;
	return 0;
}

static int infile_read(void *ptr, char *buf, unsigned room)
{
	struct mydrv_load *load = ((struct mydrv_conn *)ptr)->load;
	size_t n = load->len - load->read;

	if (n > room)
		n = room;
	memcpy(buf, load->text + load->read, n);
	load->read += n;
	return (int)n;
}

static void infile_end(void *ptr)
{
	(void)ptr;
}

static int infile_error(void *ptr, char *text, unsigned room)
{
	(void)ptr;
	snprintf(text, room, "local files are not sent to the server");
	return REFUSED_CLIENT;
}

void mydrv_infile_handler(struct mydrv_conn *mc)
{
	mysql_set_local_infile_handler(mc->mysql, infile_init, infile_read, infile_end,
	                               infile_error, mc);
}

/* ---- rows as text ---- */

/* Room for `need` more bytes; NULL: out of memory. */
static char *reserve(struct mydrv_load *load, size_t need)
{
	size_t room = load->room != 0 ? load->room : 1u << 20;
	char *text;

	if (load->len + need <= load->room)
		return load->text + load->len;
	while (room < load->len + need)
		room *= 2;
	text = realloc(load->text, room);
	if (text == NULL)
		return NULL;
	load->text = text;
	load->room = room;
	return text + load->len;
}

static char *put_int(char *to, int64_t value)
{
	char digits[24];
	char *at = digits + sizeof(digits);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest != 0);
	if (value < 0)
		*--at = '-';
	memcpy(to, at, (size_t)(digits + sizeof(digits) - at));
	return to + (digits + sizeof(digits) - at);
}

static char *put_text(char *to, const char *text, size_t len)
{
	for (const char *end = text + len; text < end; text++) {
		const char c = *text;

		switch (c) {
		case '\0':
			*to++ = '\\';
			*to++ = '0';
			break;
		case '\\':
		case '\t':
		case '\n':
			*to++ = '\\'; /* and the byte itself, which then ends nothing */
			*to++ = c;
			break;
		default:
			*to++ = c;
		}
	}
	return to;
}

/* The longest of a number's texts, and of the marks around a value. */
enum { NUMBER_BYTES = 40 };

static bool put_row(struct mydrv_load *load, const struct bulk_value *values)
{
	size_t need = 1;
	char *to;

	for (unsigned i = 0; i < load->ncolumns; i++)
		need += NUMBER_BYTES + (values[i].kind == BULK_TEXT ? 2 * values[i].len : 0);
	to = reserve(load, need);
	if (to == NULL)
		return false;
	for (unsigned i = 0; i < load->ncolumns; i++) {
		const struct bulk_value *v = &values[i];

		if (v->kind == BULK_INT) {
			to = put_int(to, v->i);
		} else if (v->kind == BULK_TEXT) {
			to = put_text(to, v->text, v->len);
		} else if (v->kind == BULK_DOUBLE && isfinite(v->d)) {
			to += sprintf(to, "%.17g", v->d);
		} else {
			*to++ = '\\';
			*to++ = 'N';
		}
		*to++ = i + 1 < load->ncolumns ? '\t' : '\n';
	}
	load->len = (size_t)(to - load->text);
	load->rows++;
	return true;
}

/* ---- sending ---- */

void mydrv_add_name(struct strbuf *out, const char *name)
{
	strbuf_addc(out, '`');
	for (; *name != '\0'; name++) {
		if (*name == '`')
			strbuf_addc(out, '`');
		strbuf_addc(out, *name);
	}
	strbuf_addc(out, '`');
}

/* Hexadecimal marks: they mean the same in every sql_mode. */
static char *load_statement(const struct bulk_table *table)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "LOAD DATA LOCAL INFILE 'ioltp' INTO TABLE ");
	mydrv_add_name(&sb, table->name);
	strbuf_adds(&sb, " CHARACTER SET binary FIELDS TERMINATED BY 0x09 ESCAPED BY 0x5C "
	                 "LINES TERMINATED BY 0x0A (");
	for (unsigned i = 0; i < table->ncolumns; i++) {
		strbuf_adds(&sb, i != 0 ? ", " : "");
		mydrv_add_name(&sb, table->columns[i]);
	}
	strbuf_addc(&sb, ')');
	return strbuf_take(&sb);
}

/* Runs a text whatever went wrong before, and leaves that in conn->error. */
static void run_aside(struct sql_conn *conn, const char *text)
{
	const struct sql_error error = conn->error;

	if (error.outcome == SQL_LOST)
		return;
	conn->error.outcome = SQL_OK;
	mydrv_run(conn, text);
	if (error.outcome != SQL_OK && conn->error.outcome != SQL_LOST)
		conn->error = error;
}

/* LOAD DATA LOCAL cannot be stopped by the server: what it does not like it skips or cuts, and
 * warns. That is a failure here. */
static void fail_by_warning(struct sql_conn *conn, uint64_t rows, uint64_t loaded)
{
	static const char text[] = "SHOW WARNINGS";
	struct sql_result *result = NULL;
	int code = 0;
	char words[300] = "";

	mydrv_query(conn, text, sizeof(text) - 1, &result);
	while (result != NULL && words[0] == '\0' && mydrv_fetch(result)) {
		const struct sql_value *row = result->values;

		if (row[0].text == NULL || strcmp(row[0].text, "Note") == 0)
			continue;
		code = (int)strtol(row[1].text, NULL, 10);
		snprintf(words, sizeof(words), "%s", row[2].text);
	}
	sql_result_free(result);
	if (conn->error.outcome != SQL_OK || (words[0] == '\0' && rows == loaded))
		return;
	sql_error_set(conn, SQL_FATAL, code, code == 1062 ? "23000" : "HY000",
	              "%s (the server took %" PRIu64 " of %" PRIu64 " rows)",
	              words[0] != '\0' ? words : "rows were left out", loaded, rows);
}

static bool is_refusal(int code)
{
	return code == REFUSED_OLD || code == REFUSED_MARIADB || code == REFUSED_MYSQL ||
	       code == REFUSED_CLIENT;
}

static bool send_load(struct sql_conn *conn)
{
	struct mydrv_env *me = conn->env->impl;
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_load *load = mc->load;

	if (load->rows == 0)
		return true;
	load->sending = true;
	mydrv_run(conn, load->statement);
	load->sending = false;
	if (conn->error.outcome == SQL_FATAL && is_refusal(conn->error.code)) {
		/* The rows come again with the next try, and go another way. */
		__atomic_store_n(&me->no_infile, 1, __ATOMIC_RELAXED);
		conn->error.outcome = SQL_RETRY;
	} else if (conn->error.outcome == SQL_OK &&
	           (conn->warnings != 0 || conn->affected != load->rows)) {
		fail_by_warning(conn, load->rows, conn->affected);
	}
	load->rows = 0;
	load->len = 0;
	return conn->error.outcome == SQL_OK;
}

/* ---- begin, row, end ---- */

/* Asks the server once per connection. */
static bool may_use_infile(struct sql_conn *conn)
{
	static const char text[] = "SELECT @@local_infile";
	struct mydrv_env *me = conn->env->impl;
	struct mydrv_conn *mc = conn->impl;
	struct sql_result *result = NULL;

	if (!mc->asked_infile && __atomic_load_n(&me->no_infile, __ATOMIC_RELAXED) == 0) {
		mc->asked_infile = true;
		mydrv_query(conn, text, sizeof(text) - 1, &result);
		if (result != NULL && mydrv_fetch(result) && result->values[0].text != NULL &&
		    strcmp(result->values[0].text, "0") == 0)
			__atomic_store_n(&me->no_infile, 1, __ATOMIC_RELAXED);
		sql_result_free(result);
	}
	return __atomic_load_n(&me->no_infile, __ATOMIC_RELAXED) == 0;
}

static bool open_way(struct sql_conn *conn, struct mydrv_load *load, const struct bulk_table *table)
{
	struct mydrv_conn *mc = conn->impl;

	if (may_use_infile(conn)) {
		load->way = BY_INFILE;
		load->statement = load_statement(table);
		if (load->statement == NULL)
			mydrv_no_memory(conn, "a bulk load");
	} else if (conn->error.outcome == SQL_OK && mydrv_has_arrays(mc->mysql)) {
		load->way = BY_ARRAY;
		mydrv_array_begin(conn, table);
	} else if (conn->error.outcome == SQL_OK) {
		load->way = BY_INSERT;
		emulate_bulk_begin(conn, table);
	}
	return conn->error.outcome == SQL_OK;
}

/* Nobody else knows a table that this load has made: no row of it can be there twice, or point to
 * what is not there. */
static bool open_session(struct sql_conn *conn, struct mydrv_load *load, bool fresh)
{
	if (fresh && !mydrv_run(conn, "SET @ioltp_unique = @@unique_checks, "
	                              "@ioltp_foreign = @@foreign_key_checks, "
	                              "unique_checks = 0, foreign_key_checks = 0"))
		return false;
	load->unchecked = fresh;
	if (mydrv_in_transaction(conn))
		return true;
	load->own_txn = true;
	return mydrv_run(conn, "BEGIN");
}

static void close_session(struct sql_conn *conn, struct mydrv_load *load, bool commit)
{
	if (load->own_txn && commit && conn->error.outcome == SQL_OK)
		mydrv_run(conn, "COMMIT");
	if (load->own_txn && (!commit || conn->error.outcome != SQL_OK))
		run_aside(conn, "ROLLBACK");
	if (load->unchecked)
		run_aside(conn, "SET unique_checks = @ioltp_unique, "
		                "foreign_key_checks = @ioltp_foreign");
	load->own_txn = false;
	load->unchecked = false;
}

enum sql_call mydrv_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_load *load = mc->load;

	if (load == NULL)
		load = mc->load = calloc(1, sizeof(*load));
	if (load == NULL) {
		mydrv_no_memory(conn, "a bulk load");
		return CALL_DONE;
	}
	free(load->statement);
	load->statement = NULL;
	load->ncolumns = table->ncolumns;
	load->rows = 0;
	load->len = 0;
	load->active = true;
	load->error.outcome = SQL_OK;
	if (mc->mysql != NULL &&
	    (!open_session(conn, load, table->fresh) || !open_way(conn, load, table))) {
		if (conn->connected)
			close_session(conn, load, false);
		/* The connection may be gone, and the load with it. */
		if (conn->connected)
			load->active = false;
	}
	return CALL_DONE;
}

static bool is_active(struct sql_conn *conn)
{
	const struct mydrv_conn *mc = conn->impl;

	if (mc->load == NULL || !mc->load->active)
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL, "no bulk load was begun");
	else if (mc->load->error.outcome != SQL_OK)
		conn->error = mc->load->error;
	return conn->error.outcome == SQL_OK;
}

enum sql_call mydrv_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_load *load = mc->load;

	if (!is_active(conn) || mc->mysql == NULL)
		return CALL_DONE;
	if (load->way == BY_ARRAY)
		mydrv_array_row(conn, values);
	else if (load->way == BY_INSERT)
		emulate_bulk_row(conn, values);
	else if (!put_row(load, values))
		mydrv_no_memory(conn, "rows of a bulk load");
	else if (load->len >= LOAD_BYTES_MOST)
		send_load(conn);
	if (conn->connected && conn->error.outcome != SQL_OK)
		load->error = conn->error;
	return CALL_DONE;
}

static void send_rest(struct sql_conn *conn, struct mydrv_load *load)
{
	if (load->way == BY_ARRAY)
		mydrv_array_flush(conn);
	else if (load->way == BY_INFILE)
		send_load(conn);
}

enum sql_call mydrv_bulk_end(struct sql_conn *conn, bool commit)
{
	struct mydrv_conn *mc = conn->impl;
	struct mydrv_load *load = mc->load;

	if (!is_active(conn))
		commit = false;
	if (load == NULL || !load->active)
		return CALL_DONE;
	load->active = false;
	if (mc->mysql == NULL)
		return CALL_DONE;
	if (load->way == BY_INSERT)
		emulate_bulk_end(conn, commit);
	else if (commit)
		send_rest(conn, load);
	if (!conn->connected)
		return CALL_DONE; /* and `load` is gone */
	mydrv_array_drop(mc);
	close_session(conn, load, commit);
	return CALL_DONE;
}

void mydrv_bulk_drop(struct mydrv_conn *mc)
{
	mydrv_array_drop(mc);
	if (mc->load == NULL)
		return;
	free(mc->load->statement);
	free(mc->load->text);
	free(mc->load);
	mc->load = NULL;
}
