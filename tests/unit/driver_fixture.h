/* SPDX-License-Identifier: MIT */
/* A driver of the tests' own, which records what it was asked and answers as told. */
#ifndef IOLTP_TESTS_DRIVER_FIXTURE_H
#define IOLTP_TESTS_DRIVER_FIXTURE_H

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sql/driver.h"

/* ---- the driver ---- */

struct fake {
	struct strbuf calls;   /* "connect;query(SELECT 1);..." */
	enum sql_outcome next; /* outcome of the next call, once */
	int next_code;
	bool in_txn;
	bool pending; /* calls of async connections are pending once */
	bool unpreparable;
	struct sql_stmt *executing;
	struct sql_result **result;
	int fd;
	int open_stmts, open_results;
};

static inline struct fake *fake_of(struct sql_conn *conn)
{
	return conn->env->impl;
}

static inline void answer(struct sql_conn *conn)
{
	struct fake *f = fake_of(conn);

	if (f->next != SQL_OK)
		sql_error_set(conn, f->next, f->next_code, "40001", "as\ntold");
	f->next = SQL_OK;
}

static inline int fake_open(struct sql_env *env, struct err *err)
{
	struct fake *f = calloc(1, sizeof(*f));

	(void)err;
	f->fd = eventfd(1, 0);
	env->impl = f;
	return 0;
}

static inline void fake_close(struct sql_env *env)
{
	struct fake *f = env->impl;

	assert_int_equal(f->open_stmts, 0);
	assert_int_equal(f->open_results, 0);
	close(f->fd);
	strbuf_fini(&f->calls);
	free(f);
}

static inline enum sql_call maybe_pending(struct sql_conn *conn)
{
	if (conn->async && fake_of(conn)->pending)
		return CALL_PENDING;
	answer(conn);
	return CALL_DONE;
}

static inline enum sql_call fake_connect(struct sql_conn *conn)
{
	strbuf_adds(&fake_of(conn)->calls, "connect;");
	conn->impl = fake_of(conn);
	return maybe_pending(conn);
}

static inline void fake_disconnect(struct sql_conn *conn)
{
	strbuf_adds(&fake_of(conn)->calls, "disconnect;");
	fake_of(conn)->in_txn = false;
}

static inline bool fake_in_transaction(struct sql_conn *conn)
{
	return fake_of(conn)->in_txn;
}

static inline void give_rows(struct sql_conn *conn, struct sql_result *result)
{
	result->nrows = 2;
	result->impl = fake_of(conn);
	fake_of(conn)->open_results++;
}

static inline void finish_query(struct sql_conn *conn, const char *text, struct sql_result **result)
{
	answer(conn);
	if (conn->error.outcome != SQL_OK)
		return;
	if (strncmp(text, "BEGIN", 5) == 0)
		fake_of(conn)->in_txn = true;
	if (strncmp(text, "COMMIT", 6) == 0 || strncmp(text, "ROLLBACK", 8) == 0)
		fake_of(conn)->in_txn = false;
	if (strncmp(text, "SELECT", 6) == 0) {
		*result = sql_result_new(conn, 1);
		give_rows(conn, *result);
	}
}

static char pending_text[64];

static inline enum sql_call fake_query(struct sql_conn *conn, const char *text, size_t len,
                                       struct sql_result **result)
{
	struct fake *f = fake_of(conn);

	strbuf_addf(&f->calls, "query(%.*s);", (int)len, text);
	if (conn->async && f->pending) {
		snprintf(pending_text, sizeof(pending_text), "%.*s", (int)len, text);
		f->result = result;
		return CALL_PENDING;
	}
	finish_query(conn, text, result);
	return CALL_DONE;
}

static inline enum sql_call fake_prepare(struct sql_stmt *stmt)
{
	struct fake *f = fake_of(stmt->conn);

	strbuf_addf(&f->calls, "prepare(%s);", stmt->text);
	if (f->next == SQL_OK && !f->unpreparable) {
		stmt->impl = f;
		f->open_stmts++;
	}
	return maybe_pending(stmt->conn);
}

static inline void finish_execute(struct sql_stmt *stmt)
{
	answer(stmt->conn);
	if (stmt->class == SQL_READ && stmt->conn->error.outcome == SQL_OK) {
		sql_result_reshape(stmt->result, 1);
		give_rows(stmt->conn, stmt->result);
		stmt->has_rows = true;
	}
}

static inline enum sql_call fake_execute(struct sql_stmt *stmt)
{
	struct fake *f = fake_of(stmt->conn);

	strbuf_addf(&f->calls, "execute(%s);", stmt->text);
	if (stmt->conn->async && f->pending) {
		f->executing = stmt;
		return CALL_PENDING;
	}
	finish_execute(stmt);
	return CALL_DONE;
}

static inline void fake_stmt_close(struct sql_stmt *stmt)
{
	fake_of(stmt->conn)->open_stmts--;
}

static inline bool fake_fetch(struct sql_result *result)
{
	if (result->cursor == result->nrows)
		return false;
	result->cursor++;
	result->values[0] = (struct sql_value){.text = "v", .len = 1};
	return true;
}

static inline void fake_result_free(struct sql_result *result)
{
	fake_of(result->conn)->open_results--;
}

static inline void fake_quote(struct sql_conn *conn, const char *text, size_t len,
                              struct strbuf *out)
{
	(void)conn;
	strbuf_addf(out, "'%.*s'", (int)len, text);
}

static inline enum sql_call fake_poll(struct sql_conn *conn)
{
	struct fake *f = fake_of(conn);

	strbuf_adds(&f->calls, "poll;");
	if (f->executing != NULL)
		finish_execute(f->executing);
	else if (f->result != NULL)
		finish_query(conn, pending_text, f->result);
	else
		answer(conn);
	f->executing = NULL;
	f->result = NULL;
	return CALL_DONE;
}

static inline int fake_wait_fd(struct sql_conn *conn, short *events)
{
	*events = POLLIN;
	return fake_of(conn)->fd;
}

static inline void fake_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
{
	(void)conn;
	kv_text(facts, "engine", "fake");
	*durable = false;
}

static const struct opt_desc fake_options[] = {
    {.name = "fake-ignore-errors", .type = OPT_LIST, .def = "7,08S01", .help = "x"}, OPT_END};

static const struct driver_ops fake_ops = {
    .name = "fake",
    .title = "of the test",
    .caps = CAP_ASYNC | CAP_PREPARE,
    .options = fake_options,
    .options_title = "Fake",
    .open = fake_open,
    .close = fake_close,
    .connect = fake_connect,
    .disconnect = fake_disconnect,
    .in_transaction = fake_in_transaction,
    .query = fake_query,
    .prepare = fake_prepare,
    .execute = fake_execute,
    .stmt_close = fake_stmt_close,
    .fetch = fake_fetch,
    .result_free = fake_result_free,
    .quote = fake_quote,
    .poll = fake_poll,
    .wait_fd = fake_wait_fd,
    .facts = fake_facts,
};

/* ---- the setting ---- */

struct setting {
	struct opt_set *options;
	struct clock clock;
	struct sql_env *env;
	struct sql_conn *conn;
	struct fake *fake;
};

static inline void set_up(struct setting *s, const struct driver_ops *ops, const char *arg,
                          bool async)
{
	struct err err = ERR_INIT;

	memset(s, 0, sizeof(*s));
	s->options = opt_set_new();
	opt_set_add(s->options, "SQL", sql_options);
	opt_set_add(s->options, "Fake", fake_options);
	if (arg != NULL)
		assert_int_equal(opt_parse_arg(s->options, arg, &err), 0);
	clock_init(&s->clock, CLOCK_KIND_SYSTEM);
	assert_int_equal(sql_env_open(&s->env, ops, s->options, &s->clock, NULL, 1, &err), 0);
	s->fake = s->env->impl;
	s->conn = sql_conn_new(s->env, 3, async);
	assert_non_null(s->conn);
}

static inline void connect_now(struct setting *s)
{
	assert_int_equal(sql_connect(s->conn), CALL_DONE);
	assert_int_equal(s->conn->error.outcome, SQL_OK);
	strbuf_reset(&s->fake->calls);
}

static inline void tear_down(struct setting *s)
{
	sql_conn_free(s->conn);
	sql_env_close(s->env);
	opt_set_free(s->options);
}

static inline void expect_calls(struct setting *s, const char *calls)
{
	assert_string_equal(strbuf_str(&s->fake->calls), calls);
	strbuf_reset(&s->fake->calls);
}

#endif
