/* SPDX-License-Identifier: MIT */
/* The driver layer: drivers, errors, connections and what outlives them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sql/sql_errlist.h"
#include "driver_fixture.h"

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
	assert_int_equal(s.conn->error.outcome, SQL_UNKNOWN);
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

static enum sql_outcome lost_in(struct setting *s, const char *before, const char *text)
{
	struct sql_result *result;

	connect_now(s);
	if (before != NULL)
		sql_query(s->conn, before, strlen(before), &result);
	s->fake->next = SQL_LOST;
	sql_query(s->conn, text, strlen(text), &result);
	assert_false(s->conn->connected);
	return s->conn->error.outcome;
}

static void losing_a_write_that_commits_itself_is_unknown(void **state)
{
	struct sql_stmt *write, *read;
	struct setting s;

	(void)state;
	set_up(&s, &fake_ops, NULL, false);
	assert_int_equal(lost_in(&s, NULL, "UPDATE a"), SQL_UNKNOWN);
	assert_int_equal(lost_in(&s, NULL, "SELECT 1"), SQL_LOST);
	assert_int_equal(lost_in(&s, "BEGIN", "UPDATE a"), SQL_LOST);
	assert_int_equal(lost_in(&s, NULL, "BEGIN"), SQL_LOST);
	connect_now(&s);
	write = sql_prepare(s.conn, "UPDATE a", 8);
	read = sql_prepare(s.conn, "SELECT a", 8);
	s.fake->next = SQL_LOST;
	sql_execute(write);
	assert_int_equal(s.conn->error.outcome, SQL_UNKNOWN);
	connect_now(&s);
	sql_execute(read);
	s.fake->next = SQL_LOST;
	sql_execute(read);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	connect_now(&s);
	s.fake->in_txn = true;
	sql_execute(write);
	s.fake->next = SQL_LOST;
	sql_execute(write);
	assert_int_equal(s.conn->error.outcome, SQL_LOST);
	sql_stmt_close(write);
	sql_stmt_close(read);
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
	    cmocka_unit_test(losing_a_write_that_commits_itself_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
