/* SPDX-License-Identifier: MIT */
/* The driver layer over a driver of the test's own, which records what it was asked and answers as
 * told. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "sql/driver.h"
#include "sql/sql_errlist.h"

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

static struct fake *fake_of(struct sql_conn *conn)
{
	return conn->env->impl;
}

static void answer(struct sql_conn *conn)
{
	struct fake *f = fake_of(conn);

	if (f->next != SQL_OK)
		sql_error_set(conn, f->next, f->next_code, "40001", "as\ntold");
	f->next = SQL_OK;
}

static int fake_open(struct sql_env *env, struct err *err)
{
	struct fake *f = calloc(1, sizeof(*f));

	(void)err;
	f->fd = eventfd(1, 0);
	env->impl = f;
	return 0;
}

static void fake_close(struct sql_env *env)
{
	struct fake *f = env->impl;

	assert_int_equal(f->open_stmts, 0);
	assert_int_equal(f->open_results, 0);
	close(f->fd);
	strbuf_fini(&f->calls);
	free(f);
}

static enum sql_call maybe_pending(struct sql_conn *conn)
{
	if (conn->async && fake_of(conn)->pending)
		return CALL_PENDING;
	answer(conn);
	return CALL_DONE;
}

static enum sql_call fake_connect(struct sql_conn *conn)
{
	strbuf_adds(&fake_of(conn)->calls, "connect;");
	conn->impl = fake_of(conn);
	return maybe_pending(conn);
}

static void fake_disconnect(struct sql_conn *conn)
{
	strbuf_adds(&fake_of(conn)->calls, "disconnect;");
	fake_of(conn)->in_txn = false;
}

static bool fake_in_transaction(struct sql_conn *conn)
{
	return fake_of(conn)->in_txn;
}

static void give_rows(struct sql_conn *conn, struct sql_result *result)
{
	result->nrows = 2;
	result->impl = fake_of(conn);
	fake_of(conn)->open_results++;
}

static void finish_query(struct sql_conn *conn, const char *text, struct sql_result **result)
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

static enum sql_call fake_query(struct sql_conn *conn, const char *text, size_t len,
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

static enum sql_call fake_prepare(struct sql_stmt *stmt)
{
	struct fake *f = fake_of(stmt->conn);

	strbuf_addf(&f->calls, "prepare(%s);", stmt->text);
	if (f->next == SQL_OK && !f->unpreparable) {
		stmt->impl = f;
		f->open_stmts++;
	}
	return maybe_pending(stmt->conn);
}

static void finish_execute(struct sql_stmt *stmt)
{
	answer(stmt->conn);
	if (stmt->class == SQL_READ && stmt->conn->error.outcome == SQL_OK) {
		sql_result_reshape(stmt->result, 1);
		give_rows(stmt->conn, stmt->result);
		stmt->has_rows = true;
	}
}

static enum sql_call fake_execute(struct sql_stmt *stmt)
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

static void fake_stmt_close(struct sql_stmt *stmt)
{
	fake_of(stmt->conn)->open_stmts--;
}

static bool fake_fetch(struct sql_result *result)
{
	if (result->cursor == result->nrows)
		return false;
	result->cursor++;
	result->values[0] = (struct sql_value){.text = "v", .len = 1};
	return true;
}

static void fake_result_free(struct sql_result *result)
{
	fake_of(result->conn)->open_results--;
}

static void fake_quote(struct sql_conn *conn, const char *text, size_t len, struct strbuf *out)
{
	(void)conn;
	strbuf_addf(out, "'%.*s'", (int)len, text);
}

static enum sql_call fake_poll(struct sql_conn *conn)
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

static int fake_wait_fd(struct sql_conn *conn, short *events)
{
	*events = POLLIN;
	return fake_of(conn)->fd;
}

static void fake_facts(struct sql_conn *conn, struct kv *facts, bool *durable)
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

static void set_up(struct setting *s, const struct driver_ops *ops, const char *arg, bool async)
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

static void connect_now(struct setting *s)
{
	assert_int_equal(sql_connect(s->conn), CALL_DONE);
	assert_int_equal(s->conn->error.outcome, SQL_OK);
	strbuf_reset(&s->fake->calls);
}

static void tear_down(struct setting *s)
{
	sql_conn_free(s->conn);
	sql_env_close(s->env);
	opt_set_free(s->options);
}

static void expect_calls(struct setting *s, const char *calls)
{
	assert_string_equal(strbuf_str(&s->fake->calls), calls);
	strbuf_reset(&s->fake->calls);
}

/* ---- tests ---- */

static void expect_missing(struct driver_ops ops, const char *hook)
{
	struct err err = ERR_INIT;

	assert_int_equal(driver_check(&ops, &err), -EINVAL);
	if (strstr(err.text, "driver fake: ") == NULL || strstr(err.text, hook) == NULL)
		fail_msg("\"%s\" does not name %s", err.text, hook);
}

static void broken_tables_are_named(void **state)
{
	struct driver_ops ops = fake_ops;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(driver_check_all(&err), 0);
	assert_int_equal(driver_check(&fake_ops, &err), 0);
	ops.query = NULL;
	expect_missing(ops, "hook query ");
	ops = fake_ops;
	ops.prepare = NULL;
	expect_missing(ops, "hook prepare ");
	ops = fake_ops;
	ops.wait_fd = NULL;
	expect_missing(ops, "hook wait_fd ");
	ops = fake_ops;
	ops.caps |= CAP_BULK;
	expect_missing(ops, "hook bulk_begin ");
	ops = fake_ops;
	ops.caps |= CAP_PIPELINE;
	expect_missing(ops, "hook pipeline_begin ");
	ops = fake_ops;
	ops.caps |= CAP_MULTI_RESULT;
	expect_missing(ops, "hook next_result ");
	ops = fake_ops;
	ops.options_title = NULL;
	expect_missing(ops, "title");
	ops = fake_ops;
	ops.prepare = NULL; /* not promised, not needed */
	ops.execute = NULL;
	ops.caps &= ~(unsigned)CAP_PREPARE;
	assert_int_equal(driver_check(&ops, &err), 0);
}

static void drivers_are_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(driver_find("null"), &driver_null);
	assert_ptr_equal(driver_find("sqlite"), &driver_sqlite);
	assert_null(driver_find("oracle"));
	assert_ptr_equal(driver_all()[0], &driver_sqlite);
}

static void error_lists_match_numbers_and_states(void **state)
{
	struct sql_errlist *list = sql_errlist_new();

	(void)state;
	assert_false(sql_errlist_has(NULL, 1, "HY000"));
	assert_false(sql_errlist_has(list, 0, NULL));
	assert_int_equal(sql_errlist_add(list, "1213"), 0);
	assert_int_equal(sql_errlist_add(list, "40p01"), 0);
	assert_int_equal(sql_errlist_add(list, "40001"), 0);
	assert_int_equal(sql_errlist_add(list, "-3"), 0);
	for (int i = 100; i < 150; i++) {
		char text[8];

		snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(sql_errlist_add(list, text), 0);
	}
	assert_true(sql_errlist_has(list, 1213, "HY000"));
	assert_true(sql_errlist_has(list, 0, "40P01"));
	assert_true(sql_errlist_has(list, 0, "40001"));
	assert_true(sql_errlist_has(list, 40001, NULL));
	assert_true(sql_errlist_has(list, -3, NULL));
	assert_true(sql_errlist_has(list, 149, NULL));
	assert_false(sql_errlist_has(list, 1214, "HY000"));
	assert_int_equal(sql_errlist_add(list, ""), -EINVAL);
	assert_int_equal(sql_errlist_add(list, " 12"), -EINVAL);
	assert_int_equal(sql_errlist_add(list, "12x"), -EINVAL);
	assert_int_equal(sql_errlist_add(list, "99999999999"), -EINVAL);
	assert_int_equal(sql_errlist_add(list, "40-01"), -EINVAL);
	assert_int_equal(sql_errlist_add(list, "ALL"), 0);
	assert_true(sql_errlist_has(list, 1214, "HY000"));
	sql_errlist_free(list);
}

static void a_bad_ignore_list_is_named(void **state)
{
	struct opt_set *options = opt_set_new();
	struct err err = ERR_INIT;
	struct sql_env *env;
	struct clock clock;

	(void)state;
	opt_set_add(options, "SQL", sql_options);
	opt_set_add(options, "Fake", fake_options);
	assert_int_equal(opt_parse_arg(options, "--fake-ignore-errors=5,abc", &err), 0);
	clock_init(&clock, CLOCK_KIND_SYSTEM);
	assert_int_equal(sql_env_open(&env, &fake_ops, options, &clock, NULL, 1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--fake-ignore-errors=abc"));
	opt_set_free(options);
}

static void errors_are_one_line_and_listed_ones_can_be_retried(void **state)
{
	struct sql_result *result;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	s.fake->next = SQL_FATAL;
	s.fake->next_code = 7;
	sql_query(s.conn, "UPDATE", 6, &result);
	assert_int_equal(s.conn->error.outcome, SQL_RETRY);
	assert_int_equal(s.conn->error.code, 7);
	assert_string_equal(s.conn->error.text, "as told");
	s.fake->next = SQL_FATAL;
	s.fake->next_code = 8;
	sql_query(s.conn, "UPDATE", 6, &result);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	assert_true(s.conn->connected);
	sql_query(s.conn, "UPDATE", 6, &result);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	assert_string_equal(s.conn->error.text, "");
	tear_down(&s);
}

static void nothing_runs_without_a_connection(void **state)
{
	struct sql_result *result = (void *)1;
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	assert_int_equal(sql_query(s.conn, "SELECT 1", 8, &result), CALL_DONE);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	assert_null(result);
	assert_null(sql_prepare(s.conn, "SELECT 1", 8));
	assert_false(sql_in_transaction(s.conn));
	assert_false(sql_rollback(s.conn));
	expect_calls(&s, "");
	s.fake->next = SQL_FATAL;
	sql_connect(s.conn);
	assert_false(s.conn->connected);
	expect_calls(&s, "connect;disconnect;");
	connect_now(&s);
	stmt = sql_prepare(s.conn, "SELECT 1", 8);
	sql_disconnect(s.conn);
	sql_execute(stmt);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	assert_false(stmt->has_rows);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void statements_outlive_reconnects_and_the_connection(void **state)
{
	struct sql_stmt *stmt, *other;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	stmt = sql_prepare(s.conn, "SELECT a", 8);
	other = sql_prepare(s.conn, "SELECT b", 8);
	sql_execute(stmt);
	assert_true(stmt->has_rows);
	assert_true(sql_fetch(stmt->result));
	expect_calls(&s, "prepare(SELECT a);prepare(SELECT b);execute(SELECT a);");
	sql_connect(s.conn);
	assert_false(stmt->has_rows);
	assert_false(sql_fetch(stmt->result));
	assert_int_equal(s.fake->open_stmts, 0);
	sql_execute(stmt);
	sql_execute(stmt);
	assert_int_equal(stmt->result->nrows, 2);
	expect_calls(&s,
	             "disconnect;connect;prepare(SELECT a);execute(SELECT a);execute(SELECT a);");
	assert_int_equal(s.fake->open_results, 1);
	sql_conn_free(s.conn);
	s.conn = NULL;
	assert_int_equal(sql_execute(stmt), CALL_DONE);
	assert_false(stmt->has_rows);
	assert_false(sql_fetch(stmt->result));
	assert_int_equal(sql_bind(stmt, NULL, 0), -ENOTCONN);
	sql_stmt_close(other);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void results_outlive_the_connection_without_rows(void **state)
{
	struct sql_result *a, *b, *c;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	sql_query(s.conn, "SELECT 1", 8, &a);
	sql_query(s.conn, "SELECT 2", 8, &b);
	assert_true(sql_fetch(a));
	assert_true(sql_fetch(b));
	assert_string_equal(b->values[0].text, "v");
	sql_result_free(a);
	sql_query(s.conn, "SELECT 3", 8, &c);
	assert_ptr_equal(a, c); /* reused */
	assert_int_equal(c->cursor, 0);
	s.fake->next = SQL_LOST;
	sql_query(s.conn, "UPDATE", 6, &a);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	assert_false(s.conn->connected);
	assert_false(sql_fetch(b));
	assert_null(b->conn);
	sql_result_free(b);
	sql_conn_free(s.conn);
	s.conn = NULL;
	assert_false(sql_fetch(c));
	sql_result_free(c);
	sql_result_free(NULL);
	tear_down(&s);
}

static void losing_a_commit_is_unknown(void **state)
{
	struct sql_result *result;
	struct sql_stmt *commit;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	s.fake->next = SQL_LOST;
	sql_query(s.conn, " commit work", 12, &result);
	assert_int_equal(s.conn->error.outcome, SQL_UNKNOWN);
	assert_false(s.conn->connected);
	connect_now(&s);
	commit = sql_prepare(s.conn, "COMMIT", 6);
	s.fake->next = SQL_LOST;
	sql_execute(commit);
	assert_int_equal(s.conn->error.outcome, SQL_UNKNOWN);
	sql_execute(commit);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	tear_down(&s);
	sql_stmt_close(commit);
}

static void parameters_are_counted_and_must_be_bound(void **state)
{
	struct sql_param one = {.type = SQL_TYPE_INT, .i = 1}, *params[2] = {&one, NULL};
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	stmt = sql_prepare(s.conn, "UPDATE t SET a=? WHERE b=?", 26);
	assert_int_equal(stmt->nparams, 2);
	sql_execute(stmt);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	assert_non_null(strstr(s.conn->error.text, "UPDATE t"));
	assert_int_equal(sql_bind(stmt, params, 1), -EINVAL);
	assert_non_null(strstr(s.conn->error.text, "1 parameters for 2 marks"));
	assert_int_equal(sql_bind(stmt, params, 2), -EINVAL);
	assert_non_null(strstr(s.conn->error.text, "parameter 2"));
	sql_execute(stmt);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	params[1] = &one;
	assert_int_equal(sql_bind(stmt, params, 2), 0);
	sql_execute(stmt);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	assert_int_equal(sql_bind(stmt, NULL, 0), 0); /* unbinds */
	sql_execute(stmt);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void emulation_writes_parameters_into_the_text(void **state)
{
	struct sql_param i = {.type = SQL_TYPE_BIGINT, .i = INT64_MIN},
	                 d = {.type = SQL_TYPE_DOUBLE, .d = 5},
	                 t = {.type = SQL_TYPE_VARCHAR,
	                      .buf = (char[]){"a\xc3\xa4z"},
	                      .len = 4,
	                      .max = 2},
	                 n = {.type = SQL_TYPE_INT, .is_null = 1, .i = 4},
	                 e = {.type = SQL_TYPE_FLOAT, .d = 0.1};
	struct sql_param *params[] = {&i, &d, &t, &n, &e};
	struct sql_stmt *stmt, *select;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, "--db-ps-mode=disable", false);
	connect_now(&s);
	stmt = sql_prepare(s.conn, "UPDATE t '?' ?,?,?,?,?", 22);
	select = sql_prepare(s.conn, "SELECT 1", 8);
	assert_int_equal(sql_bind(stmt, params, 5), 0);
	sql_execute(stmt);
	expect_calls(&s, "query(UPDATE t '?' -9223372036854775808,5.0,'a',NULL,0.1);");
	for (int round = 0; round < 3; round++) {
		sql_execute(select);
		assert_true(select->has_rows);
		assert_true(sql_fetch(select->result));
		assert_true(sql_fetch(select->result));
		assert_false(sql_fetch(select->result));
		sql_result_free(select->result); /* only empties */
		assert_false(sql_fetch(select->result));
	}
	s.fake->next = SQL_FATAL;
	sql_execute(select);
	assert_false(select->has_rows);
	sql_execute(select);
	sql_connect(s.conn);
	sql_execute(select);
	assert_true(sql_fetch(select->result));
	sql_stmt_close(stmt);
	tear_down(&s);
	assert_false(sql_fetch(select->result));
	sql_stmt_close(select);
}

static void what_cannot_be_prepared_is_run_as_text(void **state)
{
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	s.fake->unpreparable = true;
	stmt = sql_prepare(s.conn, "SELECT 1", 8);
	assert_non_null(stmt);
	sql_execute(stmt);
	assert_true(sql_fetch(stmt->result));
	expect_calls(&s, "prepare(SELECT 1);query(SELECT 1);");
	sql_disconnect(s.conn);
	s.fake->unpreparable = false;
	connect_now(&s);
	sql_execute(stmt);
	assert_true(sql_fetch(stmt->result));
	expect_calls(&s, "prepare(SELECT 1);execute(SELECT 1);");
	s.fake->next = SQL_FATAL;
	assert_null(sql_prepare(s.conn, "SELEC", 5));
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void rollback_keeps_the_error_or_disconnects(void **state)
{
	struct sql_result *result;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	assert_true(sql_rollback(s.conn));
	expect_calls(&s, "");
	sql_query(s.conn, "BEGIN", 5, &result);
	assert_true(sql_in_transaction(s.conn));
	s.fake->next = SQL_RETRY;
	sql_query(s.conn, "UPDATE", 6, &result);
	assert_true(sql_rollback(s.conn));
	assert_int_equal(s.conn->error.outcome, SQL_RETRY);
	expect_calls(&s, "query(BEGIN);query(UPDATE);query(ROLLBACK);");
	sql_query(s.conn, "BEGIN", 5, &result);
	s.fake->next = SQL_FATAL;
	assert_false(sql_rollback(s.conn));
	assert_false(s.conn->connected);
	expect_calls(&s, "query(BEGIN);query(ROLLBACK);disconnect;");
	tear_down(&s);
}

static void rows_in_bulk_become_inserts_of_many_rows(void **state)
{
	static const char *const columns[] = {"id", "odd name"};
	const struct bulk_table table = {.name = "t1", .columns = columns, .ncolumns = 2};
	struct bulk_value row[2] = {{.kind = BULK_INT, .i = 1},
	                            {.kind = BULK_TEXT, .text = "xyz", .len = 2}};
	struct setting s;
	unsigned inserts = 0;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	sql_bulk_begin(s.conn, &table);
	sql_bulk_row(s.conn, row);
	row[0] = (struct bulk_value){.kind = BULK_DOUBLE, .d = 2.5};
	row[1] = (struct bulk_value){.kind = BULK_NULL};
	sql_bulk_row(s.conn, row);
	sql_bulk_end(s.conn, true);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	expect_calls(
	    &s,
	    "query(BEGIN);query(INSERT INTO t1(id, \"odd name\") VALUES (1, 'xy'), (2.5, NULL));"
	    "query(COMMIT);");
	sql_bulk_begin(s.conn, &table);
	sql_bulk_row(s.conn, row);
	sql_bulk_end(s.conn, false);
	expect_calls(&s, "query(BEGIN);query(ROLLBACK);");
	sql_bulk_begin(s.conn, &table);
	sql_bulk_row(s.conn, row);
	s.fake->next = SQL_FATAL;
	sql_bulk_end(s.conn, true);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	assert_false(sql_in_transaction(s.conn));
	sql_bulk_row(s.conn, row); /* outside */
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	strbuf_reset(&s.fake->calls);
	sql_bulk_begin(s.conn, &table);
	for (unsigned i = 0; i < 12000; i++)
		sql_bulk_row(s.conn, row);
	sql_bulk_end(s.conn, true);
	for (const char *at = strbuf_str(&s.fake->calls); (at = strstr(at, "INSERT")) != NULL; at++)
		inserts++;
	assert_int_equal(inserts, 3);
	sql_bulk_begin(s.conn, &table);
	sql_bulk_row(s.conn, row); /* left open: freed with the connection */
	tear_down(&s);
}

static void after_a_failure_a_pipeline_sends_no_more(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	connect_now(&s);
	stmt = sql_prepare(s.conn, "COMMIT", 6);
	strbuf_reset(&s.fake->calls);
	sql_pipeline_begin(s.conn);
	sql_query(s.conn, "BEGIN", 5, &result);
	s.fake->next = SQL_RETRY;
	sql_query(s.conn, "UPDATE", 6, &result);
	sql_execute(stmt);
	sql_query(s.conn, "UPDATE", 6, &result);
	sql_pipeline_end(s.conn);
	assert_int_equal(s.conn->error.outcome, SQL_RETRY);
	expect_calls(&s, "query(BEGIN);query(UPDATE);");
	sql_execute(stmt);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	sql_pipeline_begin(s.conn);
	sql_execute(stmt);
	sql_pipeline_end(s.conn);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void wait_and_poll(struct setting *s)
{
	short events = 0;

	assert_true(sql_wait_fd(s->conn, &events) >= 0);
	assert_int_equal(events, POLLIN);
	assert_int_equal(sql_poll(s->conn), CALL_DONE);
}

static void pending_calls_are_continued(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, true);
	s.fake->pending = true;
	assert_int_equal(sql_connect(s.conn), CALL_PENDING);
	assert_false(s.conn->connected);
	wait_and_poll(&s);
	assert_true(s.conn->connected);
	assert_int_equal(sql_poll(s.conn), CALL_DONE); /* nothing is pending */
	expect_calls(&s, "connect;poll;");
	assert_int_equal(sql_query(s.conn, "SELECT 1", 8, &result), CALL_PENDING);
	assert_null(result);
	wait_and_poll(&s);
	assert_true(sql_fetch(result));
	sql_result_free(result);
	strbuf_reset(&s.fake->calls);
	stmt = sql_prepare(s.conn, "SELECT a", 8);
	expect_calls(&s, "");
	assert_int_equal(sql_execute(stmt), CALL_PENDING);
	expect_calls(&s, "prepare(SELECT a);");
	assert_int_equal(sql_poll(s.conn), CALL_PENDING); /* prepared, now it executes */
	expect_calls(&s, "poll;execute(SELECT a);");
	wait_and_poll(&s);
	assert_true(stmt->has_rows);
	assert_int_equal(sql_execute(stmt), CALL_PENDING);
	s.fake->next = SQL_LOST;
	wait_and_poll(&s);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	assert_false(s.conn->connected);
	assert_int_equal(sql_connect(s.conn), CALL_PENDING);
	wait_and_poll(&s);
	assert_int_equal(sql_query(s.conn, "COMMIT", 6, &result), CALL_PENDING);
	s.fake->next = SQL_LOST;
	wait_and_poll(&s);
	assert_int_equal(s.conn->error.outcome, SQL_UNKNOWN);
	assert_int_equal(sql_connect(s.conn), CALL_PENDING);
	wait_and_poll(&s);
	assert_int_equal(sql_query(s.conn, "BEGIN", 5, &result), CALL_PENDING);
	wait_and_poll(&s);
	assert_true(sql_rollback(s.conn)); /* waits by itself */
	assert_false(sql_in_transaction(s.conn));
	sql_bulk_begin(s.conn, &(struct bulk_table){.name = "t"});
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	assert_int_equal(sql_connect(s.conn), CALL_PENDING);
	sql_disconnect(s.conn); /* while it connects */
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void pending_emulated_statements_are_continued(void **state)
{
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, "--db-ps-mode=disable", true);
	connect_now(&s);
	s.fake->pending = true;
	stmt = sql_prepare(s.conn, "SELECT a", 8);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(sql_execute(stmt), CALL_PENDING);
		wait_and_poll(&s);
		assert_true(stmt->has_rows);
		assert_true(sql_fetch(stmt->result));
	}
	sql_stmt_close(stmt);
	tear_down(&s);
}

static uint64_t hash_of(int64_t id, const char *text, bool null, const char *mode, bool reverse)
{
	struct sql_param i = {.type = SQL_TYPE_INT, .i = id}, t = {.type = SQL_TYPE_CHAR,
	                                                           .buf = (char *)(uintptr_t)text,
	                                                           .len = strlen(text),
	                                                           .is_null = null};
	struct sql_param *params[] = {&i, &t};
	const struct bulk_value row[] = {{.kind = BULK_INT, .i = id}};
	struct opt_set *options = opt_set_new();
	struct sql_result *result;
	struct err err = ERR_INIT;
	struct sql_stmt *stmt;
	struct sql_conn *conn;
	struct sql_env *env;
	struct clock clock;
	uint64_t hash;

	opt_set_add(options, "SQL", sql_options);
	opt_set_add(options, "Fake", fake_options);
	opt_parse_arg(options, "--db-hash", &err);
	opt_parse_arg(options, mode, &err);
	clock_init(&clock, CLOCK_KIND_SYSTEM);
	assert_int_equal(sql_env_open(&env, &fake_ops, options, &clock, NULL, 1, &err), 0);
	conn = sql_conn_new(env, 0, false);
	sql_connect(conn);
	stmt = sql_prepare(conn, "UPDATE t SET a=? WHERE b=?", 26);
	sql_bind(stmt, params, 2);
	if (!reverse)
		sql_query(conn, "BEGIN", 5, &result);
	sql_execute(stmt);
	if (reverse)
		sql_query(conn, "BEGIN", 5, &result);
	sql_bulk_begin(conn, &(struct bulk_table){
	                         .name = "t", .ncolumns = 1, .columns = (const char *[]){"a"}});
	sql_bulk_row(conn, row);
	sql_bulk_end(conn, true);
	hash = conn->hash;
	sql_stmt_close(stmt);
	sql_conn_free(conn);
	sql_env_close(env);
	opt_set_free(options);
	return hash;
}

static void the_hash_tells_statements_apart(void **state)
{
	const uint64_t hash = hash_of(1, "some text", false, "--db-ps-mode=auto", false);

	(void)state;
	assert_true(hash != 0);
	assert_true(hash == hash_of(1, "some text", false, "--db-ps-mode=auto", false));
	assert_true(hash == hash_of(1, "some text", false, "--db-ps-mode=disable", false));
	assert_true(hash != hash_of(2, "some text", false, "--db-ps-mode=auto", false));
	assert_true(hash != hash_of(1, "some texs", false, "--db-ps-mode=auto", false));
	assert_true(hash != hash_of(1, "some text", true, "--db-ps-mode=auto", false));
	assert_true(hash != hash_of(1, "some text", false, "--db-ps-mode=auto", true));
}

static void facts_do_not_disturb(void **state)
{
	struct kv facts = KV_INIT;
	bool durable;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	sql_facts(s.conn, &facts, &durable);
	assert_int_equal(facts.n, 0);
	connect_now(&s);
	sql_facts(s.conn, &facts, &durable);
	assert_string_equal(kv_find(&facts, "engine")->text, "fake");
	assert_false(durable);
	assert_string_equal(sql_script_name(s.env), "fake");
	kv_fini(&facts);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(broken_tables_are_named),
	    cmocka_unit_test(drivers_are_found_by_name),
	    cmocka_unit_test(error_lists_match_numbers_and_states),
	    cmocka_unit_test(a_bad_ignore_list_is_named),
	    cmocka_unit_test(errors_are_one_line_and_listed_ones_can_be_retried),
	    cmocka_unit_test(nothing_runs_without_a_connection),
	    cmocka_unit_test(statements_outlive_reconnects_and_the_connection),
	    cmocka_unit_test(results_outlive_the_connection_without_rows),
	    cmocka_unit_test(losing_a_commit_is_unknown),
	    cmocka_unit_test(parameters_are_counted_and_must_be_bound),
	    cmocka_unit_test(emulation_writes_parameters_into_the_text),
	    cmocka_unit_test(what_cannot_be_prepared_is_run_as_text),
	    cmocka_unit_test(rollback_keeps_the_error_or_disconnects),
	    cmocka_unit_test(rows_in_bulk_become_inserts_of_many_rows),
	    cmocka_unit_test(after_a_failure_a_pipeline_sends_no_more),
	    cmocka_unit_test(pending_calls_are_continued),
	    cmocka_unit_test(pending_emulated_statements_are_continued),
	    cmocka_unit_test(the_hash_tells_statements_apart),
	    cmocka_unit_test(facts_do_not_disturb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
