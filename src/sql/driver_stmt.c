/* SPDX-License-Identifier: MIT */
/* Prepared statements, real and emulated, and what continues a pending call. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sql/driver.h"
#include "sql/driver_priv.h"
#include "sql/rowbuf.h"
#include "sql/sql_emulate.h"

/* ---- preparing ---- */

static void set_watched(struct sql_stmt *stmt)
{
	const struct sql_env *env = stmt->conn->env;

	stmt->watched =
	    stmt->emulated || env->hash || env->debug || (stmt->nparams != 0 && !stmt->bound);
}

static void prepare_done(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (stmt->result == NULL && stmt->impl != NULL && conn->error.outcome == SQL_OK) {
		/* emulated before the connection was made anew */
		stmt->result = sql_result_new(conn, 0);
		if (stmt->result != NULL) {
			result_unlink(stmt->result);
			stmt->result->embedded = true;
		}
	}
	if (conn->error.outcome != SQL_OK) {
		if (stmt->impl != NULL)
			conn->env->ops->stmt_close(stmt);
		stmt->impl = NULL;
		conn_failed(conn, NULL, 0);
		return;
	}
	stmt->epoch = conn->epoch;
	stmt->emulated = stmt->impl == NULL;
	set_watched(stmt);
}

static enum sql_call prepare_start(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	const struct sql_env *env = conn->env;

	stmt->impl = NULL;
	if (stmt->result != NULL)
		stmt->result->conn = conn;
	if (!env->ps_disabled && (env->ops->caps & CAP_PREPARE) != 0 &&
	    env->ops->prepare(stmt) == CALL_PENDING) {
		conn->call.kind = CALL_OF_PREPARE;
		conn->call.stmt = stmt;
		return CALL_PENDING;
	}
	prepare_done(stmt);
	return CALL_DONE;
}

static struct sql_stmt *stmt_new(struct sql_conn *conn, const char *text, size_t len)
{
	struct sql_stmt *stmt = calloc(1, sizeof(*stmt));

	if (stmt == NULL)
		return NULL;
	stmt->text = malloc(len + 1);
	stmt->result = calloc(1, sizeof(*stmt->result));
	if (stmt->text == NULL || stmt->result == NULL) {
		free(stmt->text);
		free(stmt->result);
		free(stmt);
		return NULL;
	}
	memcpy(stmt->text, text, len);
	stmt->text[len] = '\0';
	stmt->len = len;
	stmt->class = stmt_class(text, len);
	stmt->nparams = stmt_count_marks(text, len, conn->env->dialect);
	stmt->result->embedded = true;
	stmt->watched = true;
	stmt->conn = stmt->home = conn;
	stmt->next = conn->stmts;
	if (stmt->next != NULL)
		stmt->next->prev = stmt;
	conn->stmts = stmt;
	return stmt;
}

struct sql_stmt *sql_prepare(struct sql_conn *conn, const char *text, size_t len)
{
	struct sql_stmt *stmt;

	if (!conn->connected) {
		conn_not_connected(conn);
		return NULL;
	}
	conn_clear(conn);
	if (conn->env->debug)
		conn_log(conn, "prepare", text, len);
	stmt = stmt_new(conn, text, len);
	if (stmt == NULL) {
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for a statement");
		return NULL;
	}
	if (conn->async)
		return stmt;
	prepare_start(stmt);
	if (conn->error.outcome != SQL_OK) {
		const struct sql_error error = conn->error;

		sql_stmt_close(stmt);
		conn->error = error;
		return NULL;
	}
	return stmt;
}

/* Tells a driver that prepares by types. Another epoch's statement is prepared when it is next
 * used.
 */
static int bind_prepared(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (conn->env->ops->bind == NULL || stmt->impl == NULL || stmt->epoch != conn->epoch ||
	    conn->async)
		return 0;
	conn->env->ops->bind(stmt);
	if (conn->error.outcome == SQL_OK)
		return 0;
	conn_failed(conn, NULL, 0);
	return -EIO;
}

int sql_bind(struct sql_stmt *stmt, struct sql_param *const *params, unsigned n)
{
	struct sql_conn *conn = stmt->conn;

	if (conn == NULL)
		return -ENOTCONN;
	conn_clear(conn);
	stmt->bound = false;
	if (n == 0 && stmt->nparams != 0 && params == NULL) {
		set_watched(stmt);
		return 0;
	}
	set_watched(stmt);
	if (n != stmt->nparams) {
		sql_error_set(conn, SQL_FATAL, EINVAL, "07001",
		              "%u parameters for %u marks in: %.200s", n, stmt->nparams,
		              stmt->text);
		return -EINVAL;
	}
	for (unsigned i = 0; i < n; i++) {
		if (params[i] == NULL) {
			sql_error_set(conn, SQL_FATAL, EINVAL, "07001",
			              "parameter %u is not there in: %.200s", i + 1, stmt->text);
			return -EINVAL;
		}
	}
	if (n != 0 && stmt->params == NULL)
		stmt->params = calloc(n, sizeof(struct sql_param *));
	if (n != 0 && stmt->params == NULL) {
		sql_error_set(conn, SQL_FATAL, ENOMEM, NULL, "out of memory for parameters");
		return -ENOMEM;
	}
	if (n != 0)
		memcpy(stmt->params, params, n * sizeof(struct sql_param *));
	stmt->bound = true;
	set_watched(stmt);
	return bind_prepared(stmt);
}

void sql_stmt_close(struct sql_stmt *stmt)
{
	struct sql_conn *conn;

	if (stmt == NULL)
		return;
	conn = stmt->conn;
	if (conn != NULL) {
		if (stmt->result != NULL && stmt->result->conn != NULL)
			result_empty(stmt->result, conn->env->ops);
		if (stmt->impl != NULL)
			conn->env->ops->stmt_close(stmt);
		if (stmt->prev != NULL)
			stmt->prev->next = stmt->next;
		else
			conn->stmts = stmt->next;
		if (stmt->next != NULL)
			stmt->next->prev = stmt->prev;
	}
	if (stmt->result != NULL)
		result_destroy(stmt->result);
	free(stmt->params);
	free(stmt->text);
	free(stmt);
}

/* ---- executing ---- */

/* The result of an emulated execution becomes the statement's own. */
static void adopt_result(struct sql_stmt *stmt)
{
	struct sql_result *result = stmt->result;

	stmt->has_rows = result != NULL && stmt->conn->error.outcome == SQL_OK;
	if (result == NULL)
		return;
	if (stmt->has_rows) {
		result_unlink(result);
		result->embedded = true;
	} else {
		sql_result_free(result);
		stmt->result = NULL;
	}
}

/* Gives the result of the last emulated execution back for reuse. */
static void release_result(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	struct sql_result *result = stmt->result;

	stmt->result = NULL;
	stmt->has_rows = false;
	if (result == NULL)
		return;
	if (result->conn != NULL)
		result_empty(result, conn->env->ops);
	result->embedded = false;
	if (conn->spare == NULL)
		conn->spare = result;
	else
		result_destroy(result);
}

/* Before it is sent: afterwards nobody could tell. Reads do without. */
static inline void note_alone(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	conn->alone = stmt->class != SQL_READ && !conn->env->ops->in_transaction(conn);
}

static enum sql_call execute_emulated(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	release_result(stmt);
	if (emulate_text(stmt) != 0)
		return CALL_DONE;
	note_alone(stmt);
	return conn->env->ops->query(conn, strbuf_str(conn->scratch), conn->scratch->len,
	                             &stmt->result);
}

static void execute_done(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (stmt->emulated)
		adopt_result(stmt);
	if (UNLIKELY(conn->error.outcome != SQL_OK)) {
		stmt->has_rows = false;
		conn_failed(conn, stmt->text, stmt->len);
	} else {
		conn_note_more(conn, stmt->text, stmt->len);
	}
}

static inline enum sql_call execute_prepared(struct sql_stmt *stmt)
{
	struct sql_result *result = stmt->result;

	stmt->has_rows = false;
	if (result->nrows != 0 || result->impl != NULL)
		result_empty(result, stmt->conn->env->ops);
	result->cursor = 0;
	note_alone(stmt);
	return stmt->conn->env->ops->execute(stmt);
}

static enum sql_call execute_started(struct sql_stmt *stmt, enum sql_call call)
{
	struct sql_conn *conn = stmt->conn;

	if (call == CALL_PENDING) {
		conn->call.kind = CALL_OF_EXECUTE;
		conn->call.stmt = stmt;
		return CALL_PENDING;
	}
	execute_done(stmt);
	return CALL_DONE;
}

static void hash_execution(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;
	uint64_t hash = hash_bytes(conn->hash, stmt->text, stmt->len), word;

	for (unsigned i = 0; i < stmt->nparams; i++) {
		const struct sql_param *p = stmt->params[i];

		hash = hash_word(hash, p->is_null ? UINT64_MAX : (uint64_t)p->type);
		if (p->is_null)
			continue;
		if (sql_type_is_int(p->type)) {
			hash = hash_word(hash, (uint64_t)p->i);
		} else if (sql_type_is_double(p->type)) {
			memcpy(&word, &p->d, sizeof(word));
			hash = hash_word(hash, word);
		} else if (p->type != SQL_TYPE_NONE) {
			hash = hash_bytes(hash, p->buf, sql_param_len(p));
		}
	}
	conn->hash = hash;
}

/* Hashes, logs and runs a statement that is prepared and bound. */
static enum sql_call execute_watched(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (conn->env->hash)
		hash_execution(stmt);
	if (conn->env->debug)
		conn_log(conn, "execute", stmt->text, stmt->len);
	return execute_started(stmt,
	                       stmt->emulated ? execute_emulated(stmt) : execute_prepared(stmt));
}

static enum sql_call execute_slow(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	stmt->has_rows = false;
	if (conn == NULL)
		return CALL_DONE;
	if (!conn->connected) {
		conn_not_connected(conn);
		return CALL_DONE;
	}
	if (conn->pipe_failed)
		return CALL_DONE;
	conn_clear(conn);
	if (stmt->nparams != 0 && !stmt->bound) {
		sql_error_set(conn, SQL_FATAL, EINVAL, "07001",
		              "no parameters are bound for: %.200s", stmt->text);
		conn_failed(conn, NULL, 0);
		return CALL_DONE;
	}
	if (stmt->epoch != conn->epoch && prepare_start(stmt) == CALL_PENDING)
		return CALL_PENDING;
	if (conn->error.outcome != SQL_OK)
		return CALL_DONE;
	return execute_watched(stmt);
}

enum sql_call sql_execute(struct sql_stmt *stmt)
{
	struct sql_conn *conn = stmt->conn;

	if (UNLIKELY(conn == NULL || stmt->epoch != conn->epoch || stmt->watched ||
	             conn->pipe_failed))
		return execute_slow(stmt);
	conn_clear(conn);
	if (UNLIKELY(execute_prepared(stmt) == CALL_PENDING))
		return execute_started(stmt, CALL_PENDING);
	if (UNLIKELY(conn->error.outcome != SQL_OK || conn->more || conn->more_lasts))
		execute_done(stmt);
	return CALL_DONE;
}

/* ---- pending calls ---- */

enum sql_call sql_poll(struct sql_conn *conn)
{
	const int kind = (int)conn->call.kind;
	struct sql_stmt *stmt = conn->call.stmt;

	if (kind == CALL_OF_NONE)
		return CALL_DONE;
	if (conn->env->ops->poll(conn) == CALL_PENDING)
		return CALL_PENDING;
	conn->call.kind = CALL_OF_NONE;
	conn->call.stmt = NULL;
	if (kind == CALL_OF_CONNECT) {
		conn_connected(conn);
	} else if (kind == CALL_OF_PREPARE) {
		prepare_done(stmt);
		if (conn->error.outcome == SQL_OK)
			return execute_watched(stmt);
	} else if (kind == CALL_OF_EXECUTE) {
		execute_done(stmt);
	} else if (conn->error.outcome != SQL_OK) {
		conn_failed(conn, conn->call.text, conn->call.len);
	} else if (conn->call.text != NULL) {
		conn_note_more(conn, conn->call.text, conn->call.len);
	}
	return CALL_DONE;
}

int sql_wait_fd(struct sql_conn *conn, short *events)
{
	return conn->env->ops->wait_fd(conn, events);
}

void conn_wait(struct sql_conn *conn, enum sql_call call)
{
	while (call == CALL_PENDING) {
		struct pollfd fd = {0};

		fd.fd = sql_wait_fd(conn, &fd.events);
		poll(&fd, 1, -1);
		call = sql_poll(conn);
	}
}
