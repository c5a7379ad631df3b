/* SPDX-License-Identifier: MIT */
/* Failures, lost connections, transactions and pipelines of the PostgreSQL driver, on a real
 * server. */
#ifdef HAVE_PGSQL

#include "pgsql_fixture.h"

#include <time.h>

/* Ends the server side of a connection, by another. */
static void end_session(struct setting *s)
{
	struct setting other;
	char text[80];

	snprintf(text, sizeof(text), "SELECT pg_terminate_backend(%.12s)",
	         ask(s, "SELECT pg_backend_pid()"));
	set_up(&other, ARGS());
	assert_string_equal(ask(&other, text), "t");
	tear_down(&other);
	nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static void failures_are_what_they_are(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--pgsql-ignore-errors=40001"));
	run(&s,
	    "DROP TABLE IF EXISTS t; CREATE TABLE t (i int PRIMARY KEY); INSERT INTO t VALUES (1)");
	outcome_of(s.conn, "SELEKT 1");
	assert_state(s.conn, SQL_FATAL, "42601");
	outcome_of(s.conn, "SELECT * FROM no_such_table");
	assert_state(s.conn, SQL_FATAL, "42P01");
	outcome_of(s.conn, "INSERT INTO t VALUES (1)");
	assert_state(s.conn, SQL_FATAL, "23505");
	assert_non_null(strstr(s.conn->error.text, "(Key (i)=(1) already exists.)"));
	assert_null(strchr(s.conn->error.text, '\n'));
	assert_null(sql_prepare(s.conn, "SELECT * FROM no_such_table", 27));
	assert_state(s.conn, SQL_FATAL, "42P01");
	assert_true(s.conn->connected);
	tear_down(&s);
}

static void ignored_errors_are_to_be_retried(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--pgsql-ignore-errors=23505,42P01"));
	run(&s,
	    "DROP TABLE IF EXISTS t; CREATE TABLE t (i int PRIMARY KEY); INSERT INTO t VALUES (1)");
	outcome_of(s.conn, "INSERT INTO t VALUES (1)");
	assert_state(s.conn, SQL_RETRY, "23505");
	outcome_of(s.conn, "SELECT 1/0");
	assert_state(s.conn, SQL_FATAL, "22012");
	tear_down(&s);
	set_up(&s, ARGS()); /* by default too: see the option */
	outcome_of(s.conn, "INSERT INTO t VALUES (1)");
	assert_state(s.conn, SQL_RETRY, "23505");
	tear_down(&s);
	set_up(&s, ARGS("--pgsql-ignore-errors=all"));
	outcome_of(s.conn, "SELECT 1/0");
	assert_state(s.conn, SQL_RETRY, "22012");
	end_session(&s);
	outcome_of(s.conn, "SELECT 1");
	assert_outcome(s.conn, SQL_LOST);
	tear_down(&s);
}

static void serialization_failures_are_retried_by_default(void **state)
{
	struct setting a, b;

	(void)state;
	set_up(&a, ARGS());
	set_up(&b, ARGS());
	run(&a, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
	run(&a, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM t");
	run(&b, "UPDATE t SET i = 2");
	outcome_of(a.conn, "UPDATE t SET i = 3");
	assert_state(a.conn, SQL_RETRY, "40001");
	assert_true(sql_in_transaction(a.conn));
	assert_true(sql_rollback(a.conn));
	assert_state(a.conn, SQL_RETRY, "40001"); /* as before the rollback */
	assert_false(sql_in_transaction(a.conn));
	run(&a, "UPDATE t SET i = 3");
	tear_down(&a);
	tear_down(&b);
}

static void failed_transactions_end_in_a_rollback(void **state)
{
	struct sql_stmt *commit;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	for (int i = 0; i < 2; i++) {
		run(&s, "BEGIN; INSERT INTO t VALUES (1)");
		assert_int_equal(outcome_of(s.conn, "SELECT 1/0"), SQL_FATAL);
		outcome_of(s.conn, "SELECT 1");
		assert_state(s.conn, SQL_RETRY, "25P02");
		assert_true(sql_in_transaction(s.conn));
		/* The server does not call it a failure, but nothing was committed. */
		commit = prepared(&s, "COMMIT");
		if (i == 0)
			sql_execute(commit);
		else
			outcome_of(s.conn, "COMMIT");
		assert_state(s.conn, SQL_RETRY, "25P02");
		assert_false(sql_in_transaction(s.conn));
		sql_stmt_close(commit);
	}
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	run(&s, "BEGIN");
	run(&s, "ROLLBACK");
	assert_outcome(s.conn, SQL_OK);
	tear_down(&s);
}

static void lost_connections_come_back(void **state)
{
	struct sql_param p = int_param(SQL_TYPE_INT, 5);
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	stmt = prepared(&s, "SELECT ?");
	assert_true(bind(stmt, &p, 1));
	assert_string_equal(execute(&s, stmt), "5");
	end_session(&s);
	sql_execute(stmt);
	assert_outcome(s.conn, SQL_LOST);
	assert_false(s.conn->connected);
	assert_false(sql_in_transaction(s.conn));
	sql_execute(stmt);
	assert_outcome(s.conn, SQL_LOST);
	sql_connect(s.conn);
	assert_true(s.conn->connected);
	assert_string_equal(execute(&s, stmt), "5");
	end_session(&s);
	outcome_of(s.conn, "SELECT 1");
	assert_outcome(s.conn, SQL_LOST);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void lost_in_commit_is_unknown(void **state)
{
	struct setting s;
	struct sql_stmt *commit;

	(void)state;
	for (int i = 0; i < 3; i++) {
		set_up(&s, ARGS());
		commit = prepared(&s, "COMMIT");
		run(&s, "BEGIN; SELECT 1");
		end_session(&s);
		if (i == 0)
			sql_execute(commit);
		else if (i == 1)
			outcome_of(s.conn, "COMMIT");
		else {
			sql_pipeline_begin(s.conn);
			sql_execute(commit);
			sql_pipeline_end(s.conn);
		}
		assert_outcome(s.conn, SQL_UNKNOWN);
		assert_false(s.conn->connected);
		sql_stmt_close(commit);
		tear_down(&s);
	}
}

/* A prepared statement outside of a transaction has said that it is complete when that happens. */
static void what_fails_at_the_own_commit_fails_the_statement(void **state)
{
	struct setting s;
	struct sql_stmt *stmt;

	(void)state;
	set_up(&s, ARGS("--pgsql-ignore-errors=40001"));
	run(&s, "DROP TABLE IF EXISTS late; CREATE TABLE late (i int UNIQUE DEFERRABLE INITIALLY "
	        "DEFERRED); INSERT INTO late VALUES (1)");
	stmt = prepared(&s, "INSERT INTO late VALUES (1)");
	sql_execute(stmt);
	assert_state(s.conn, SQL_FATAL, "23505");
	run(&s, "BEGIN");
	execute(&s, stmt);
	assert_int_equal(outcome_of(s.conn, "COMMIT"), SQL_FATAL);
	assert_string_equal(ask(&s, "SELECT count(*) FROM late"), "1");
	run(&s, "DROP TABLE late");
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void lost_outside_of_a_transaction(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	/* The server says itself that it ended the session before the statement. */
	end_session(&s);
	assert_int_equal(outcome_of(s.conn, "CREATE TEMP TABLE x (i int)"), SQL_LOST);
	sql_connect(s.conn);
	assert_true(s.conn->connected);
	tear_down(&s);
	/* And here it says nothing. */
	set_up(&s, ARGS("--pgsql-statement-timeout=200ms"));
	assert_int_equal(
	    outcome_of(s.conn, "CREATE TEMP TABLE x AS SELECT 1 AS i FROM pg_sleep(2)"),
	    SQL_UNKNOWN);
	assert_false(s.conn->connected);
	sql_connect(s.conn);
	assert_int_equal(outcome_of(s.conn, "SELECT pg_sleep(2)"), SQL_LOST);
	tear_down(&s);
}

static void a_server_that_hangs_is_lost(void **state)
{
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--pgsql-statement-timeout=200ms"));
	stmt = prepared(&s, "SELECT pg_sleep(60)");
	sql_execute(stmt);
	assert_state(s.conn, SQL_LOST, "08006");
	sql_stmt_close(stmt);
	sql_connect(s.conn);
	assert_int_equal(outcome_of(s.conn, "SELECT pg_sleep(60)"), SQL_LOST);
	sql_connect(s.conn);
	assert_string_equal(ask(&s, "SELECT 1"), "1");
	tear_down(&s);
}

/* ---- pipelines ---- */

static void pipelines_run_in_order(void **state)
{
	struct sql_param p = int_param(SQL_TYPE_INT, 0);
	struct sql_stmt *insert, *begin, *commit;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (n serial, i int)");
	insert = prepared(&s, "INSERT INTO t (i) VALUES (?)");
	begin = prepared(&s, "BEGIN");
	commit = prepared(&s, "COMMIT");
	assert_true(bind(insert, &p, 1));
	sql_pipeline_begin(s.conn);
	sql_execute(begin);
	for (p.i = 1; p.i <= 3; p.i++) {
		sql_execute(insert);
		assert_outcome(s.conn, SQL_OK);
		assert_false(insert->has_rows);
	}
	outcome_of(s.conn, "INSERT INTO t (i) VALUES (4)");
	sql_execute(commit);
	sql_pipeline_end(s.conn);
	assert_outcome(s.conn, SQL_OK);
	assert_int_equal(s.conn->affected, 4);
	assert_false(sql_in_transaction(s.conn));
	assert_string_equal(ask(&s, "SELECT i FROM t ORDER BY n"), "1\n2\n3\n4");
	/* Outside of it statements wait again. */
	p.i = 5;
	execute(&s, insert);
	assert_int_equal(s.conn->affected, 1);
	sql_pipeline_begin(s.conn);
	sql_pipeline_end(s.conn);
	assert_outcome(s.conn, SQL_OK);
	sql_stmt_close(insert);
	sql_stmt_close(begin);
	sql_stmt_close(commit);
	tear_down(&s);
}

static void the_first_failure_of_a_pipeline_is_its_outcome(void **state)
{
	struct sql_param p = int_param(SQL_TYPE_INT, 0);
	struct sql_stmt *divide;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	divide = prepared(&s, "INSERT INTO t SELECT 10 / ?");
	assert_true(bind(divide, &p, 1));
	run(&s, "BEGIN");
	sql_pipeline_begin(s.conn);
	for (p.i = 2; p.i >= -2; p.i--)
		sql_execute(divide);
	outcome_of(s.conn, "SELEKT");
	sql_pipeline_end(s.conn);
	assert_state(s.conn, SQL_FATAL, "22012");
	assert_true(sql_in_transaction(s.conn));
	assert_true(sql_rollback(s.conn));
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	/* A parameter that cannot be sent fails at once, and what came before it is collected. */
	sql_pipeline_begin(s.conn);
	p.i = 1;
	sql_execute(divide);
	p.i = INT64_MAX;
	sql_execute(divide);
	assert_state(s.conn, SQL_FATAL, "22003");
	p.i = 2;
	sql_execute(divide);
	assert_state(s.conn, SQL_FATAL, "22003");
	sql_pipeline_end(s.conn);
	assert_state(s.conn, SQL_FATAL, "22003");
	assert_string_equal(ask(&s, "SELECT i FROM t"), "10");
	sql_stmt_close(divide);
	tear_down(&s);
}

/* Much more both ways than sockets hold: neither side may wait for the other. */
static void long_pipelines_do_not_jam(void **state)
{
	enum { LEN = 20000, TIMES = 2000 };
	char *text = malloc(LEN + 1);
	struct sql_param p = {.type = SQL_TYPE_VARCHAR, .buf = text, .len = LEN, .room = LEN + 1};
	struct sql_stmt *echo;
	struct setting s;

	(void)state;
	memset(text, 'x', LEN);
	text[LEN] = '\0';
	set_up(&s, ARGS("--pgsql-statement-timeout=60"));
	echo = prepared(&s, "SELECT ?");
	assert_true(bind(echo, &p, 1));
	sql_pipeline_begin(s.conn);
	for (int i = 0; i < TIMES; i++)
		sql_execute(echo);
	sql_pipeline_end(s.conn);
	assert_outcome(s.conn, SQL_OK);
	assert_int_equal(s.conn->affected, TIMES);
	sql_stmt_close(echo);
	tear_down(&s);
	free(text);
}

/* A statement of an older connection is prepared inside the pipeline. */
static void pipelines_prepare_what_is_old(void **state)
{
	struct sql_param p = int_param(SQL_TYPE_INT, 7);
	struct sql_stmt *insert, *bad;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	insert = prepared(&s, "INSERT INTO t VALUES (?)");
	assert_true(bind(insert, &p, 1));
	sql_connect(s.conn);
	sql_pipeline_begin(s.conn);
	outcome_of(s.conn, "INSERT INTO t VALUES (6)");
	sql_execute(insert);
	sql_execute(insert);
	sql_pipeline_end(s.conn);
	assert_outcome(s.conn, SQL_OK);
	assert_string_equal(ask(&s, "SELECT i FROM t ORDER BY i"), "6\n7\n7");
	/* What cannot be prepared fails the pipeline, and nothing else. */
	bad = prepared(&s, "SELECT i FROM t");
	run(&s, "DROP TABLE t");
	sql_connect(s.conn);
	sql_pipeline_begin(s.conn);
	sql_execute(bad);
	assert_state(s.conn, SQL_FATAL, "42P01");
	sql_pipeline_end(s.conn);
	assert_state(s.conn, SQL_FATAL, "42P01");
	assert_string_equal(ask(&s, "SELECT 1"), "1");
	sql_stmt_close(insert);
	sql_stmt_close(bad);
	tear_down(&s);
}

static void pipelines_can_be_lost(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	end_session(&s);
	sql_pipeline_begin(s.conn);
	outcome_of(s.conn, "SELECT 1");
	outcome_of(s.conn, "SELECT 2");
	sql_pipeline_end(s.conn);
	assert_outcome(s.conn, SQL_LOST);
	assert_false(s.conn->connected);
	sql_connect(s.conn);
	assert_string_equal(ask(&s, "SELECT 1"), "1");
	tear_down(&s);
}

/* ---- connecting ---- */

static void check_refusal(const char *const *args, enum sql_outcome outcome, const char *sqlstate,
                          const char *words)
{
	struct err err = ERR_INIT;
	struct setting s;

	assert_int_equal(open_env(&s, args, &err), 0);
	s.conn = sql_conn_new(s.env, 0, false);
	sql_connect(s.conn);
	assert_false(s.conn->connected);
	assert_state(s.conn, outcome, sqlstate);
	if (strstr(s.conn->error.text, words) == NULL)
		fail_msg("not in the text: %s: %s", words, s.conn->error.text);
	assert_non_null(strchr(s.conn->error.text, ';'));
	assert_null(strchr(s.conn->error.text, '\n'));
	tear_down(&s);
}

static void refused_connections_say_why(void **state)
{
	(void)state;
	check_refusal(
	    ARGS("--pgsql-db=nowhere"), SQL_FATAL, "3D000",
	    "database \"nowhere\" does not exist; create it, or name another with --pgsql-db");
	check_refusal(ARGS("--pgsql-user=nobody_at_all"), SQL_FATAL, "28000", "nobody_at_all");
	check_refusal(ARGS("--pgsql-port=1"), SQL_LOST, "08001", ":1: ");
	check_refusal(ARGS("--pgsql-host=/no/such/folder"), SQL_LOST, "08001", "/no/such/folder");
	check_refusal(ARGS("--pgsql-service=no_such_service"), SQL_LOST, "08001",
	              "check --pgsql-service");
	check_refusal(ARGS("--pgsql-host=127.0.0.1", "--pgsql-sslmode=require"), SQL_LOST, "08001",
	              "--pgsql-sslmode");
}

static void check_usage(const char *const *args, const char *words)
{
	struct err err = ERR_INIT;
	struct setting s;

	assert_int_equal(open_env(&s, args, &err), -EINVAL);
	assert_int_equal(err.status, EXIT_USAGE);
	if (strstr(err.text, words) == NULL)
		fail_msg("not in the text: %s: %s", words, err.text);
	assert_null(s.env);
	opt_set_free(s.options);
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	check_usage(ARGS("--pgsql-host=a,b,c", "--pgsql-port=1,2"), "2 ports for 3 hosts");
	check_usage(ARGS("--pgsql-host=a,"), "element 2 of the list is empty");
	check_usage(ARGS("--pgsql-password=x", "--pgsql-password-file=/dev/null"), "one of them");
	check_usage(ARGS("--pgsql-password-file=/dev/null"), "the file is empty");
	check_usage(ARGS("--pgsql-ignore-errors=40P0"), "40P0");
}

static void clients_are_spread_over_targets(void **state)
{
	struct err err = ERR_INIT;
	struct setting s;

	(void)state;
	assert_int_equal(open_env(&s, ARGS("--pgsql-host=/no/a,/no/b", "--pgsql-port=11,22"), &err),
	                 0);
	for (unsigned owner = 0; owner < 4; owner++) {
		s.conn = sql_conn_new(s.env, owner, false);
		sql_connect(s.conn);
		assert_non_null(
		    strstr(s.conn->error.text, owner % 2 == 0 ? "/no/a:11" : "/no/b:22"));
		sql_conn_free(s.conn);
	}
	s.conn = NULL;
	tear_down(&s);
}

static void schema_and_options_reach_the_session(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--pgsql-schema=My \"odd\" schema", "--pgsql-options=-c work_mem=7MB"));
	assert_string_equal(ask(&s, "SHOW search_path"), "\"My \"\"odd\"\" schema\"");
	assert_string_equal(ask(&s, "SHOW work_mem"), "7MB");
	assert_string_equal(ask(&s, "SHOW application_name"), "ioltp");
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(failures_are_what_they_are),
	    cmocka_unit_test(ignored_errors_are_to_be_retried),
	    cmocka_unit_test(serialization_failures_are_retried_by_default),
	    cmocka_unit_test(failed_transactions_end_in_a_rollback),
	    cmocka_unit_test(lost_connections_come_back),
	    cmocka_unit_test(lost_in_commit_is_unknown),
	    cmocka_unit_test(what_fails_at_the_own_commit_fails_the_statement),
	    cmocka_unit_test(lost_outside_of_a_transaction),
	    cmocka_unit_test(a_server_that_hangs_is_lost),
	    cmocka_unit_test(pipelines_run_in_order),
	    cmocka_unit_test(the_first_failure_of_a_pipeline_is_its_outcome),
	    cmocka_unit_test(long_pipelines_do_not_jam),
	    cmocka_unit_test(pipelines_prepare_what_is_old),
	    cmocka_unit_test(pipelines_can_be_lost),
	    cmocka_unit_test(refused_connections_say_why),
	    cmocka_unit_test(wrong_options_are_refused),
	    cmocka_unit_test(clients_are_spread_over_targets),
	    cmocka_unit_test(schema_and_options_reach_the_session),
	};

	if (no_server())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void)
{
	puts("SKIP: built without the PostgreSQL driver");
	return 77;
}

#endif
