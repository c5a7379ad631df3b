/* SPDX-License-Identifier: MIT */
/*
 * ffi_sql: SQL for Lua. Every call is timed and tallied here: below, the drivers know nothing of
 * runs; above, Lua adds no more than the loop that yields while a call is pending.
 */
#include "script/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/con.h"
#include "sql/stmt_text.h"

/* What calls return to Lua. */
enum { FFI_DONE = 0, FFI_ROWS = 1, FFI_PENDING = 2, FFI_OTHER_ROWS = 3, FFI_FAILED = -1 };

/* A bulk insert goes out when this much has been gathered. */
#define BULK_BYTES (512u * 1024u)

_Static_assert(sizeof(struct ioltp_param) == sizeof(struct sql_param), "one layout");
_Static_assert(offsetof(struct ioltp_param, max) == offsetof(struct sql_param, max), "one layout");
_Static_assert(offsetof(struct ioltp_param, buf) == offsetof(struct sql_param, buf), "one layout");
_Static_assert(sizeof(struct ioltp_value) == sizeof(struct sql_value), "one layout");
_Static_assert(sizeof(struct ioltp_error) == sizeof(struct sql_error), "one layout");
_Static_assert(offsetof(struct ioltp_error, text) == offsetof(struct sql_error, text),
               "one layout");

/* Since the call began; saturated, because clocks of two CPUs may differ by a few ns. */
static inline uint64_t since_start(const struct ioltp_con *con)
{
	uint64_t now = clock_now_ns(con->client->clock);

	return now > con->started_ns ? now - con->started_ns : 0;
}

static inline bool counts(const struct client *c)
{
	return c->recording;
}

/* Waits for other writers since the last call. */
static void count_lock_waits(struct ioltp_con *con)
{
	struct tally *t = con->client->tally;
	struct sql_conn *sql = con->sql;

	if (t != NULL && counts(con->client)) {
		TALLY_ADD(t->lock_waits, sql->lock.waits - con->waits_seen);
		TALLY_ADD(t->lock_wait_ns, sql->lock.wait_ns - con->wait_ns_seen);
		TALLY_ADD(t->lock_timeouts, sql->lock.timeouts - con->timeouts_seen);
	}
	con->waits_seen = sql->lock.waits;
	con->wait_ns_seen = sql->lock.wait_ns;
	con->timeouts_seen = sql->lock.timeouts;
}

static void count_failure(struct ioltp_con *con, unsigned label)
{
	struct client *c = con->client;
	const struct sql_error *e = &con->sql->error;

	if (c->tally == NULL || !counts(c))
		return;
	tally_error_add(c->tally, e->code, e->state, e->text);
	if (e->outcome == SQL_RETRY || e->outcome == SQL_LOST)
		TALLY_ADD(c->tally->errors, 1);
	if (e->outcome == SQL_UNKNOWN)
		TALLY_ADD(c->tally->commit_unknown, 1);
	if (label < TALLY_STMTS_MAX)
		TALLY_ADD(c->tally->stmts[label]->errors, 1);
}

/* Index of a label, by a small cache in front of the tally's list. */
static unsigned label_index(struct ioltp_con *con, const char *text, size_t len,
                            enum sql_class class)
{
	char label[TALLY_LABEL_MAX];
	size_t n = stmt_normalize(text, len, label, sizeof(label));
	struct tally *t = con->client->tally;
	uint32_t h = 2166136261u + (uint32_t) class;
	struct label_slot *slot;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)label[i]) * 16777619u;
	slot = &con->labels[h % LABEL_SLOTS];
	if (slot->hash == h && slot->index != 0 &&
	    memcmp(t->stmts[slot->index]->label, label, n + 1) == 0)
		return slot->index;
	slot->hash = h;
	slot->index = tally_stmt_index(t, label, n, (enum tally_class) class);
	return slot->index;
}

/* ---- pipelines ---- */

/*
 * Statements in a pipeline overlap: none has a time of its own. They are counted when the whole
 * went well, and its time is that of an entry "(pipeline)", which counts as no query.
 */
static void pipe_add(struct ioltp_con *con, unsigned label)
{
	if (!counts(con->client) || label >= TALLY_STMTS_MAX)
		return;
	if (con->pipe.n == con->pipe.room) {
		const unsigned room = con->pipe.room != 0 ? 2 * con->pipe.room : 64;
		unsigned *labels = realloc(con->pipe.labels, room * sizeof(*labels));

		if (labels == NULL) {
			sql_error_set(con->sql, SQL_FATAL, ENOMEM, NULL,
			              "out of memory for a pipeline");
			return;
		}
		con->pipe.labels = labels;
		con->pipe.room = room;
	}
	con->pipe.labels[con->pipe.n++] = label;
}

static unsigned pipe_label(struct ioltp_con *con)
{
	static const char text[] = "(pipeline)";
	struct tally *t = con->client->tally;

	return t != NULL ? tally_stmt_index(t, text, sizeof(text) - 1, TALLY_OTHER)
	                 : TALLY_STMTS_MAX;
}

static void pipe_count(struct ioltp_con *con)
{
	struct client *c = con->client;
	struct tally_stmt *whole;

	if (!counts(c))
		return;
	for (unsigned i = 0; i < con->pipe.n; i++) {
		struct tally_stmt *s = c->tally->stmts[con->pipe.labels[i]];

		TALLY_ADD(c->tally->classes[s->class], 1);
		TALLY_ADD(s->count, 1);
	}
	whole = c->tally->stmts[pipe_label(con)];
	TALLY_ADD(whole->count, 1);
	TALLY_ADD(whole->rows, con->sql->affected);
	hist_record(whole->latency, clock_now_ns(c->clock) - con->pipe.started_ns);
}

static void pipe_begin(struct ioltp_con *con)
{
	con->pipe.n = 0;
	if (counts(con->client))
		con->pipe.started_ns = clock_now_ns(con->client->clock);
	sql_pipeline_begin(con->sql);
}

int ioltp_pipeline(struct ioltp_con *con, bool begin)
{
	const bool piping = con->sql->piping;
	const bool failed = con->sql->pipe_failed; /* the statement that did is counted */

	if (begin)
		pipe_begin(con);
	else
		sql_pipeline_end(con->sql);
	if (con->sql->error.outcome != SQL_OK) {
		if (!failed)
			count_failure(con, pipe_label(con));
		return FFI_FAILED;
	}
	if (!begin && piping)
		pipe_count(con);
	return FFI_DONE;
}

/* ---- connections ---- */

int ioltp_con_connect(struct ioltp_con *con)
{
	con->wanted = true;
	sql_connect(con->sql);
	return con->sql->connected ? FFI_DONE : FFI_FAILED;
}

void ioltp_con_disconnect(struct ioltp_con *con)
{
	con->wanted = false;
	sql_result_free(con->result);
	con->result = NULL;
	sql_disconnect(con->sql);
}

bool ioltp_con_connected(const struct ioltp_con *con)
{
	return con->sql->connected;
}

int ioltp_con_reconnect(struct ioltp_con *con)
{
	struct client *c = con->client;

	sql_disconnect(con->sql);
	if (c->tally != NULL && counts(c))
		TALLY_ADD(c->tally->reconnects, 1);
	return ioltp_con_connect(con);
}

const struct ioltp_error *ioltp_con_error(const struct ioltp_con *con)
{
	return (const struct ioltp_error *)&con->sql->error;
}

double ioltp_con_affected(const struct ioltp_con *con)
{
	return (double)con->sql->affected;
}

double ioltp_con_warnings(const struct ioltp_con *con)
{
	return (double)con->sql->warnings;
}

bool ioltp_recover(void)
{
	return con_recover(client_now);
}

/* ---- text queries ---- */

/* CALL and EXECUTE do not say what they do: what came of them does. */
static unsigned label_by_outcome(struct ioltp_con *con)
{
	const enum sql_class class = con->result != NULL      ? SQL_READ
	                             : con->sql->affected > 0 ? SQL_WRITE
	                                                      : SQL_OTHER;

	return label_index(con, con->opaque, con->opaque_len, class);
}

static int query_finished(struct ioltp_con *con)
{
	struct client *c = con->client;
	struct sql_conn *sql = con->sql;

	if (__builtin_expect(
	        sql->lock.waits != con->waits_seen || sql->lock.timeouts != con->timeouts_seen, 0))
		count_lock_waits(con);
	if (__builtin_expect(sql->error.outcome != SQL_OK, 0)) {
		count_failure(con, con->label);
		return FFI_FAILED;
	}
	if (__builtin_expect(con->opaque != NULL, 0))
		con->label = label_by_outcome(con);
	if (__builtin_expect(sql->piping, 0))
		pipe_add(con, con->label);
	else if (counts(c))
		tally_stmt_ok(c->tally, con->label, since_start(con),
		              con->result != NULL ? con->result->nrows : sql->affected);
	return con->result != NULL ? FFI_ROWS : FFI_DONE;
}

static unsigned label_of(struct ioltp_con *con, const char *text, size_t len)
{
	const enum sql_class class = stmt_class(text, len);

	if (class == SQL_OTHER && stmt_is_opaque(text, len)) {
		con->opaque = text;
		con->opaque_len = len;
	}
	return label_index(con, text, len, class);
}

int ioltp_query(struct ioltp_con *con, const char *text, size_t len)
{
	struct client *c = con->client;

	con->label = TALLY_STMTS_MAX;
	con->opaque = NULL;
	con->stmt = NULL;
	if (con->result != NULL) {
		sql_result_free(con->result);
		con->result = NULL;
	}
	con->sql->txn_hint = c->type;
	if (counts(c)) {
		con->label = label_of(con, text, len);
		con->started_ns = clock_now_ns(c->clock);
	}
	if (sql_query(con->sql, text, len, &con->result) == CALL_PENDING)
		return FFI_PENDING;
	return query_finished(con);
}

struct sql_result *ioltp_take_result(struct ioltp_con *con)
{
	struct sql_result *r = con->result;

	con->result = NULL;
	return r;
}

bool ioltp_more_results(const struct ioltp_con *con)
{
	return con->sql->more;
}

int ioltp_next_result(struct ioltp_con *con)
{
	if (sql_next_result(con->sql, &con->result) == CALL_PENDING)
		return FFI_PENDING;
	if (con->sql->error.outcome != SQL_OK) {
		count_failure(con, TALLY_STMTS_MAX);
		return FFI_FAILED;
	}
	return con->result != NULL ? FFI_ROWS : FFI_DONE;
}

/* ---- prepared statements ---- */

struct sql_stmt *ioltp_prepare(struct ioltp_con *con, const char *text, size_t len)
{
	struct sql_stmt *stmt = sql_prepare(con->sql, text, len);

	if (stmt == NULL) {
		count_failure(con, TALLY_STMTS_MAX);
		return NULL;
	}
	stmt->label = TALLY_STMTS_MAX;
	return stmt;
}

unsigned ioltp_stmt_nparams(const struct sql_stmt *stmt)
{
	return stmt->nparams;
}

int ioltp_bind(struct sql_stmt *stmt, struct ioltp_param **params, unsigned n)
{
	return sql_bind(stmt, (struct sql_param *const *)params, n) == 0 ? FFI_DONE : FFI_FAILED;
}

static int execute_finished(struct ioltp_con *con, struct sql_stmt *stmt)
{
	struct client *c = con->client;
	struct sql_conn *sql = con->sql;

	if (__builtin_expect(
	        sql->lock.waits != con->waits_seen || sql->lock.timeouts != con->timeouts_seen, 0))
		count_lock_waits(con);
	if (__builtin_expect(sql->error.outcome != SQL_OK, 0)) {
		count_failure(con, stmt->label);
		return FFI_FAILED;
	}
	if (__builtin_expect(sql->piping, 0))
		pipe_add(con, stmt->label);
	else if (counts(c))
		tally_stmt_ok(c->tally, stmt->label, since_start(con),
		              stmt->has_rows ? stmt->result->nrows : sql->affected);
	if (!stmt->has_rows)
		return FFI_DONE;
	if (__builtin_expect(stmt->result == stmt->told, 1))
		return FFI_ROWS;
	stmt->told = stmt->result;
	return FFI_OTHER_ROWS;
}

int ioltp_execute(struct ioltp_con *con, struct sql_stmt *stmt)
{
	struct client *c = con->client;

	con->sql->txn_hint = c->type;
	if (counts(c)) {
		if (__builtin_expect(stmt->label == TALLY_STMTS_MAX, 0))
			stmt->label = label_index(con, stmt->text, stmt->len, stmt->class);
		con->started_ns = clock_now_ns(c->clock);
	}
	if (__builtin_expect(sql_execute(stmt) == CALL_PENDING, 0)) {
		con->stmt = stmt;
		return FFI_PENDING;
	}
	return execute_finished(con, stmt);
}

int ioltp_poll(struct ioltp_con *con)
{
	struct sql_stmt *stmt = con->stmt;

	if (sql_poll(con->sql) == CALL_PENDING)
		return FFI_PENDING;
	con->stmt = NULL;
	return stmt != NULL ? execute_finished(con, stmt) : query_finished(con);
}

struct sql_result *ioltp_stmt_result(struct sql_stmt *stmt)
{
	return stmt->result;
}

void ioltp_stmt_close(struct sql_stmt *stmt)
{
	sql_stmt_close(stmt);
}

void ioltp_stmt_drop(struct sql_stmt *stmt)
{
	sql_stmt_drop(stmt);
}

/* ---- results ---- */

bool ioltp_fetch(struct sql_result *result)
{
	return sql_fetch(result);
}

const struct ioltp_value *ioltp_values(const struct sql_result *result)
{
	return (const struct ioltp_value *)result->values;
}

double ioltp_nfields(const struct sql_result *result)
{
	return (double)result->nfields;
}

double ioltp_nrows(const struct sql_result *result)
{
	return (double)result->nrows;
}

int ioltp_result_state(const struct sql_result *result)
{
	if (result->cursor >= result->nrows)
		return 2;
	return result->cursor != 0;
}

void ioltp_result_free(struct sql_result *result)
{
	sql_result_free(result);
}

void ioltp_result_drop(struct sql_result *result)
{
	sql_result_drop(result);
}

/* ---- bulk inserts ---- */

int ioltp_bulk_init(struct ioltp_con *con, const char *head, size_t len)
{
	strbuf_reset(&con->bulk);
	strbuf_add(&con->bulk, head, len);
	strbuf_addc(&con->bulk, ' ');
	con->bulk_head = con->bulk.len;
	return FFI_DONE;
}

static int bulk_flush(struct ioltp_con *con)
{
	int rc;

	if (con->bulk.len <= con->bulk_head)
		return FFI_DONE;
	if (con->bulk.failed) {
		sql_error_set(con->sql, SQL_FATAL, ENOMEM, NULL, "bulk insert: out of memory");
		return FFI_FAILED;
	}
	rc = ioltp_query(con, con->bulk.text, con->bulk.len);
	con->bulk.len = con->bulk_head;
	return rc;
}

int ioltp_bulk_next(struct ioltp_con *con, const char *row, size_t len)
{
	int rc = FFI_DONE;

	if (con->bulk_head == 0) {
		sql_error_set(con->sql, SQL_FATAL, EINVAL, NULL,
		              "bulk insert: no insert was begun; call bulk_insert_init first");
		return FFI_FAILED;
	}
	if (con->bulk.len > con->bulk_head && con->bulk.len + len > BULK_BYTES)
		rc = bulk_flush(con);
	if (con->bulk.len > con->bulk_head)
		strbuf_addc(&con->bulk, ',');
	strbuf_add(&con->bulk, row, len);
	return rc;
}

int ioltp_bulk_done(struct ioltp_con *con)
{
	int rc = bulk_flush(con);

	strbuf_fini(&con->bulk);
	con->bulk_head = 0;
	return rc;
}

/* ---- parameters ---- */

struct ioltp_param *ioltp_param_new(int type, uint64_t max)
{
	struct ioltp_param *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->type = type;
	p->max = max;
	p->is_null = 1;
	return p;
}

void ioltp_param_free(struct ioltp_param *p)
{
	if (p == NULL)
		return;
	free(p->buf);
	free(p);
}

/* Room for len bytes, cut to what the type holds; NULL: out of memory, and the parameter is NULL.
 */
static char *param_room(struct ioltp_param *p, size_t *len)
{
	if (p->max != 0 && *len > p->max)
		*len = p->max;
	if (*len + 1 > p->room) {
		size_t room = *len + 1 > 64 ? *len + 1 : 64;
		char *buf = realloc(p->buf, room);

		if (buf == NULL) {
			p->is_null = 1;
			return NULL;
		}
		p->buf = buf;
		p->room = room;
	}
	p->is_null = 0;
	p->len = *len;
	return p->buf;
}

void ioltp_param_text(struct ioltp_param *p, const char *text, size_t len)
{
	char *buf = param_room(p, &len);

	if (buf != NULL)
		memcpy(buf, text, len);
}

void ioltp_param_template(struct ioltp_param *p, const char *fmt, size_t len)
{
	char *buf = param_room(p, &len);

	if (buf != NULL)
		rng_template(&client_now->rng[RNG_STRINGS], fmt, buf, len);
}
