/* SPDX-License-Identifier: MIT */
#include "sql/driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sql/driver_priv.h"
#include "sql/rowbuf.h"
#include "sql/sql_emulate.h"
#include "sql/sql_errlist.h"

/* ---- environment ---- */

static enum sql_dialect dialect_of(const char *name)
{
	if (strcmp(name, "mysql") == 0)
		return DIALECT_MYSQL;
	return strcmp(name, "pgsql") == 0 ? DIALECT_PGSQL : DIALECT_SQLITE;
}

static int read_ignored(struct sql_env *env, struct err *err)
{
	const char *const *items;
	char name[64];
	unsigned n;

	snprintf(name, sizeof(name), "%s-ignore-errors", env->ops->name);
	if (opt_find(env->options, name) == NULL)
		return 0;
	env->retryable = sql_errlist_new();
	if (env->retryable == NULL)
		return err_run(err, "out of memory");
	n = opt_list(env->options, name, &items);
	for (unsigned i = 0; i < n; i++) {
		const int rc = sql_errlist_add(env->retryable, items[i]);

		if (rc == -EINVAL)
			return err_usage(
			    err, "--%s=%s: not an error number; use numbers, SQLSTATEs or `all`",
			    name, items[i]);
		if (rc != 0)
			return err_run(err, "out of memory");
	}
	return 0;
}

int sql_env_open(struct sql_env **env, const struct driver_ops *ops, const struct opt_set *options,
                 const struct clock *clock, const struct log *log, uint64_t seed, struct err *err)
{
	struct sql_env *e = calloc(1, sizeof(*e));
	int rc;

	*env = NULL;
	if (e == NULL)
		return err_run(err, "out of memory");
	e->ops = ops;
	e->options = options;
	e->clock = clock;
	e->log = log;
	e->seed = seed;
	e->dialect = dialect_of(ops->name);
	e->ps_disabled = strcmp(opt_str(options, "db-ps-mode"), "disable") == 0;
	e->debug = opt_bool(options, "db-debug");
	e->hash = opt_bool(options, "db-hash");
	rc = read_ignored(e, err);
	if (rc == 0)
		rc = ops->open(e, err);
	if (rc != 0) {
		sql_errlist_free(e->retryable);
		free(e);
		return rc;
	}
	*env = e;
	return 0;
}

void sql_env_close(struct sql_env *env)
{
	if (env == NULL)
		return;
	env->ops->close(env);
	sql_errlist_free(env->retryable);
	free(env);
}

const char *sql_script_name(struct sql_env *env)
{
	const char *name = env->ops->script_name != NULL ? env->ops->script_name(env) : NULL;

	return name != NULL ? name : env->ops->name;
}

/* ---- errors ---- */

void sql_error_set(struct sql_conn *conn, enum sql_outcome outcome, int code, const char *state,
                   const char *fmt, ...)
{
	struct sql_error *error = &conn->error;
	va_list ap;

	error->code = code;
	snprintf(error->state, sizeof(error->state), "%s", state != NULL ? state : "HY000");
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	for (char *c = error->text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	if (outcome == SQL_FATAL && sql_errlist_has(conn->env->retryable, code, error->state))
		outcome = SQL_RETRY;
	error->outcome = outcome;
}

void conn_not_connected(struct sql_conn *conn)
{
	sql_error_set(conn, SQL_LOST, 0, "08003", "not connected");
}

void conn_log(struct sql_conn *conn, const char *what, const char *text, size_t len)
{
	const int shown = len > 1000 ? 1000 : (int)len;

	log_notice(conn->env->log, "db: client %u: %s: %.*s%s", conn->owner, what, shown, text,
	           len > 1000 ? " ..." : "");
}

static void log_outcome(struct sql_conn *conn)
{
	log_notice(conn->env->log, "db: client %u: error %d, state %s: %s", conn->owner,
	           conn->error.code, conn->error.state, conn->error.text);
}

/* ---- results ---- */

int sql_result_reshape(struct sql_result *result, unsigned nfields)
{
	if (nfields > result->room) {
		struct sql_value *values = realloc(result->values, nfields * sizeof(*values));

		if (values == NULL) {
			sql_error_set(result->conn, SQL_FATAL, ENOMEM, NULL,
			              "out of memory for a result");
			return -ENOMEM;
		}
		result->values = values;
		result->room = nfields;
	}
	result->nfields = nfields;
	result->nrows = 0;
	result->cursor = 0;
	if (result->rows != NULL)
		rowbuf_reset(result->rows, nfields);
	return 0;
}

/* Gives back what the driver holds for it; the object stays. */
void result_empty(struct sql_result *result, const struct driver_ops *ops)
{
	if (result->impl != NULL) {
		ops->result_free(result);
		result->impl = NULL;
	}
	result->nrows = 0;
	result->cursor = 0;
	if (result->rows != NULL)
		rowbuf_reset(result->rows, result->nfields);
}

void result_destroy(struct sql_result *result)
{
	rowbuf_free(result->rows);
	free(result->values);
	free(result);
}

void result_unlink(struct sql_result *result)
{
	if (result->prev != NULL)
		result->prev->next = result->next;
	else
		result->conn->results = result->next;
	if (result->next != NULL)
		result->next->prev = result->prev;
	result->prev = NULL;
	result->next = NULL;
}

struct sql_result *sql_result_new(struct sql_conn *conn, unsigned nfields)
{
	struct sql_result *result = conn->spare;

	conn->spare = NULL;
	if (result == NULL)
		result = calloc(1, sizeof(*result));
	if (result == NULL) {
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a result");
		return NULL;
	}
	result->conn = result->home = conn;
	if (sql_result_reshape(result, nfields) != 0) {
		result_destroy(result);
		return NULL;
	}
	result->next = conn->results;
	if (result->next != NULL)
		result->next->prev = result;
	conn->results = result;
	return result;
}

void sql_result_free(struct sql_result *result)
{
	struct sql_conn *conn;

	if (result == NULL)
		return;
	conn = result->conn;
	if (conn != NULL)
		result_empty(result, conn->env->ops);
	if (result->embedded)
		return;
	if (conn == NULL) {
		result_destroy(result);
		return;
	}
	result_unlink(result);
	if (conn->spare == NULL)
		conn->spare = result;
	else
		result_destroy(result);
}

bool sql_fetch(struct sql_result *result)
{
	return result->conn != NULL && result->conn->env->ops->fetch(result);
}

/* ---- connections ---- */

unsigned sql_targets(const struct sql_env *env, unsigned i, struct strbuf *name)
{
	return env->ops->targets != NULL ? env->ops->targets(env, i, name) : 1;
}

struct sql_conn *sql_conn_new(struct sql_env *env, unsigned owner, bool async)
{
	struct sql_conn *conn = calloc(1, sizeof(*conn));

	if (conn == NULL)
		return NULL;
	conn->env = env;
	conn->owner = conn->target = owner;
	conn->async = async && (env->ops->caps & CAP_ASYNC) != 0;
	return conn;
}

/* Disconnects: what hung on the connection becomes empty or stale. conn->error stays. */
static void drop(struct sql_conn *conn)
{
	const struct driver_ops *ops = conn->env->ops;

	for (struct sql_stmt *stmt = conn->stmts; stmt != NULL; stmt = stmt->next) {
		if (stmt->result != NULL) {
			result_empty(stmt->result, ops);
			stmt->result->conn = NULL;
		}
		if (stmt->impl != NULL)
			ops->stmt_close(stmt);
		stmt->impl = NULL;
		stmt->has_rows = false;
	}
	while (conn->results != NULL) {
		struct sql_result *result = conn->results;

		result_empty(result, ops);
		result_unlink(result);
		result->conn = NULL;
	}
	emulate_bulk_drop(conn);
	ops->disconnect(conn);
	conn->impl = NULL;
	conn->connected = false;
	conn->more = false;
	conn->pipe_open = false;
	conn->pipe_failed = false;
	conn->piping = false;
	conn->epoch++;
	conn->call.kind = CALL_OF_NONE;
	conn->call.stmt = NULL;
}

void sql_disconnect(struct sql_conn *conn)
{
	if (conn->connected || conn->call.kind == CALL_OF_CONNECT)
		drop(conn);
}

void sql_conn_free(struct sql_conn *conn)
{
	if (conn == NULL)
		return;
	sql_disconnect(conn);
	while (conn->stmts != NULL) {
		struct sql_stmt *stmt = conn->stmts;

		conn->stmts = stmt->next;
		stmt->next = NULL;
		stmt->prev = NULL;
		stmt->conn = NULL;
	}
	if (conn->spare != NULL)
		result_destroy(conn->spare);
	if (conn->scratch != NULL)
		strbuf_fini(conn->scratch);
	free(conn->scratch);
	free(conn);
}

/* Of a write outside of a transaction the server may have said that it did not do it; of a COMMIT
 * nothing less than its answer is believed. */
static bool is_unknown(const struct sql_conn *conn, const char *text, size_t len)
{
	const enum sql_dialect dialect = conn->env->dialect;

	if (conn->more_lasts)
		return true;
	if (text == NULL)
		return false;
	return stmt_lasts(text, len, dialect, true) ||
	       (conn->alone && !conn->undone && stmt_lasts(text, len, dialect, false));
}

void conn_failed(struct sql_conn *conn, const char *text, size_t len)
{
	struct sql_error *error = &conn->error;

	if (error->outcome == SQL_LOST && is_unknown(conn, text, len))
		error->outcome = SQL_UNKNOWN;
	conn->more_lasts = false;
	if (conn->env->debug)
		log_outcome(conn);
	conn->pipe_failed = conn->pipe_open;
	if (error->outcome == SQL_LOST || error->outcome == SQL_UNKNOWN)
		drop(conn);
}

void conn_note_more(struct sql_conn *conn, const char *text, size_t len)
{
	conn->more_lasts =
	    conn->more && text != NULL && stmt_lasts(text, len, conn->env->dialect, !conn->alone);
}

void conn_connected(struct sql_conn *conn)
{
	if (conn->error.outcome != SQL_OK) {
		if (conn->env->debug)
			log_outcome(conn);
		drop(conn);
		return;
	}
	conn->connected = true;
	conn->epoch++;
}

enum sql_call sql_connect(struct sql_conn *conn)
{
	sql_disconnect(conn);
	conn_clear(conn);
	if (conn->env->ops->connect(conn) == CALL_PENDING) {
		conn->call.kind = CALL_OF_CONNECT;
		return CALL_PENDING;
	}
	conn_connected(conn);
	return CALL_DONE;
}

bool sql_in_transaction(struct sql_conn *conn)
{
	return conn->connected && conn->env->ops->in_transaction(conn);
}

/* ---- statement texts ---- */

/* A call that may be pending: what is to be done when it is done is kept in conn->call. */
static enum sql_call started(struct sql_conn *conn, enum sql_call call, const char *text,
                             size_t len)
{
	if (call == CALL_PENDING) {
		conn->call.kind = CALL_OF_OTHER;
		conn->call.text = text;
		conn->call.len = len;
		return CALL_PENDING;
	}
	if (UNLIKELY(conn->error.outcome != SQL_OK))
		conn_failed(conn, text, len);
	else if (UNLIKELY(conn->more || conn->more_lasts) && text != NULL)
		conn_note_more(conn, text, len);
	return CALL_DONE;
}

enum sql_call sql_query(struct sql_conn *conn, const char *text, size_t len,
                        struct sql_result **result)
{
	*result = NULL;
	if (UNLIKELY(!conn->connected)) {
		conn_not_connected(conn);
		return CALL_DONE;
	}
	if (UNLIKELY(conn->pipe_failed))
		return CALL_DONE;
	conn_clear(conn);
	if (UNLIKELY(conn->env->hash))
		conn->hash = hash_bytes(conn->hash, text, len);
	if (UNLIKELY(conn->env->debug))
		conn_log(conn, "query", text, len);
	conn->alone = !conn->env->ops->in_transaction(conn);
	return started(conn, conn->env->ops->query(conn, text, len, result), text, len);
}

void conn_run(struct sql_conn *conn, const char *text, size_t len)
{
	struct sql_result *result = NULL;

	if (!conn->connected) {
		conn_not_connected(conn);
		return;
	}
	conn_clear(conn);
	conn->alone = !conn->env->ops->in_transaction(conn);
	conn_wait(conn, started(conn, conn->env->ops->query(conn, text, len, &result), text, len));
	sql_result_free(result);
}

enum sql_call sql_next_result(struct sql_conn *conn, struct sql_result **result)
{
	*result = NULL;
	if (!conn->connected) {
		conn_not_connected(conn);
		return CALL_DONE;
	}
	conn_clear(conn);
	if (!conn->more || (conn->env->ops->caps & CAP_MULTI_RESULT) == 0)
		return CALL_DONE;
	return started(conn, conn->env->ops->next_result(conn, result), NULL, 0);
}

bool sql_rollback(struct sql_conn *conn)
{
	const struct sql_error error = conn->error;

	if (!conn->connected)
		return false;
	if (!conn->env->ops->in_transaction(conn))
		return true;
	conn_run(conn, "ROLLBACK", 8);
	if (conn->error.outcome != SQL_OK) {
		sql_disconnect(conn);
		return false;
	}
	conn->error = error;
	return true;
}

/* ---- bulk, pipelines, facts ---- */

static bool can_bulk(struct sql_conn *conn)
{
	if (!conn->connected) {
		conn_not_connected(conn);
		return false;
	}
	conn_clear(conn);
	if (conn->async)
		sql_error_set(conn, SQL_FATAL, EINVAL, NULL,
		              "bulk loads need a connection of their own");
	return !conn->async;
}

enum sql_call sql_bulk_begin(struct sql_conn *conn, const struct bulk_table *table)
{
	if (!can_bulk(conn))
		return CALL_DONE;
	conn->bulk_columns = table->ncolumns;
	if (conn->env->hash)
		conn->hash = hash_bytes(conn->hash, table->name, strlen(table->name));
	if (conn->env->debug)
		conn_log(conn, "bulk load", table->name, strlen(table->name));
	if ((conn->env->ops->caps & CAP_BULK) != 0)
		return started(conn, conn->env->ops->bulk_begin(conn, table), NULL, 0);
	emulate_bulk_begin(conn, table);
	return CALL_DONE;
}

static void hash_row(struct sql_conn *conn, const struct bulk_value *values)
{
	uint64_t hash = conn->hash, word;

	for (unsigned i = 0; i < conn->bulk_columns; i++) {
		hash = hash_word(hash, values[i].kind);
		if (values[i].kind == BULK_TEXT) {
			hash = hash_bytes(hash, values[i].text, values[i].len);
		} else if (values[i].kind == BULK_DOUBLE) {
			memcpy(&word, &values[i].d, sizeof(word));
			hash = hash_word(hash, word);
		} else if (values[i].kind == BULK_INT) {
			hash = hash_word(hash, (uint64_t)values[i].i);
		}
	}
	conn->hash = hash;
}

/* Rows that break a constraint break it again: what an event may retry, a load may not. */
static void refuse_retry(struct sql_conn *conn)
{
	if (conn->error.outcome == SQL_RETRY && strncmp(conn->error.state, "23", 2) == 0)
		conn->error.outcome = SQL_FATAL;
}

enum sql_call sql_bulk_row(struct sql_conn *conn, const struct bulk_value *values)
{
	if (!can_bulk(conn))
		return CALL_DONE;
	if (conn->env->hash)
		hash_row(conn, values);
	if ((conn->env->ops->caps & CAP_BULK) != 0)
		started(conn, conn->env->ops->bulk_row(conn, values), NULL, 0);
	else
		emulate_bulk_row(conn, values);
	refuse_retry(conn);
	return CALL_DONE;
}

enum sql_call sql_bulk_end(struct sql_conn *conn, bool commit)
{
	enum sql_call call;

	if (!can_bulk(conn))
		return CALL_DONE;
	if ((conn->env->ops->caps & CAP_BULK) == 0) {
		emulate_bulk_end(conn, commit);
		refuse_retry(conn);
		return CALL_DONE;
	}
	call = started(conn, conn->env->ops->bulk_end(conn, commit), commit ? "COMMIT" : NULL, 6);
	refuse_retry(conn);
	return call;
}

enum sql_call sql_pipeline_begin(struct sql_conn *conn)
{
	if (!conn->connected) {
		conn_not_connected(conn);
		return CALL_DONE;
	}
	conn_clear(conn);
	conn->pipe_open = true;
	if ((conn->env->ops->caps & CAP_PIPELINE) == 0)
		return CALL_DONE;
	conn->piping = true;
	return started(conn, conn->env->ops->pipeline_begin(conn), NULL, 0);
}

enum sql_call sql_pipeline_end(struct sql_conn *conn)
{
	if (!conn->connected) {
		conn_not_connected(conn);
		return CALL_DONE;
	}
	conn->pipe_open = false;
	conn->piping = false;
	if (conn->pipe_failed) {
		conn->pipe_failed = false;
		/* What was skipped left the first failure standing; a real pipeline still has to be
		 * ended. */
		if ((conn->env->ops->caps & CAP_PIPELINE) == 0)
			return CALL_DONE;
	} else {
		conn_clear(conn);
	}
	if ((conn->env->ops->caps & CAP_PIPELINE) == 0)
		return CALL_DONE;
	return started(conn, conn->env->ops->pipeline_end(conn), NULL, 0);
}

void sql_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	const struct sql_error error = conn->error;

	*durable = true;
	if (!conn->connected)
		return;
	conn->env->ops->facts(conn, facts, durable);
	if (conn->error.outcome == SQL_LOST)
		drop(conn);
	else
		conn->error = error;
}
