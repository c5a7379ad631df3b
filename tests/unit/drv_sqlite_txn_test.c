/* SPDX-License-Identifier: MIT */
/* Transactions of the SQLite driver: how they begin, and what stands in their way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "sqlite_setting.h"

/* ---- transactions ---- */

static void rollback_undoes_and_commit_keeps(void **state)
{
	struct sql_stmt *begin, *insert, *commit;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a INTEGER PRIMARY KEY)");
	begin = sql_prepare(s.conn, "BEGIN", 5);
	insert = sql_prepare(s.conn, "INSERT INTO t VALUES (NULL)", 27);
	commit = sql_prepare(s.conn, "COMMIT", 6);
	sql_execute(begin);
	assert_true(sql_in_transaction(s.conn));
	sql_execute(insert);
	assert_true(sql_rollback(s.conn));
	assert_false(sql_in_transaction(s.conn));
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "0");
	sql_execute(begin);
	sql_execute(insert);
	sql_execute(commit);
	assert_false(sql_in_transaction(s.conn));
	run_sql(s.conn, "START TRANSACTION");
	sql_execute(insert);
	run_sql(s.conn, "ROLLBACK WORK");
	run_sql(s.conn, "BEGIN WORK");
	sql_execute(insert);
	sql_disconnect(s.conn); /* rolls back */
	sql_connect(s.conn);
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "1");
	sql_execute(insert); /* prepared again by itself */
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "2");
	run_sql(s.conn, "SAVEPOINT a");
	assert_true(sql_in_transaction(s.conn));
	sql_execute(insert);
	run_sql(s.conn, "ROLLBACK TO a");
	assert_true(sql_in_transaction(s.conn));
	run_sql(s.conn, "RELEASE a");
	assert_false(sql_in_transaction(s.conn));
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "2");
	sql_stmt_close(begin);
	sql_stmt_close(insert);
	sql_stmt_close(commit);
	tear_down(&s);
}

static void transaction(struct setting *s, const char *inside)
{
	run_sql(s->conn, "BEGIN");
	run_sql(s->conn, inside);
	run_sql(s->conn, "COMMIT");
}

static bool begins_immediate(struct setting *s, const char *begin)
{
	bool immediate;

	run_sql(s->conn, begin);
	immediate = !others_can_write(s);
	run_sql(s->conn, "ROLLBACK");
	return immediate;
}

static void a_type_that_only_reads_is_begun_deferred(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a)");
	s.conn->txn_hint = 5;
	for (int i = 0; i < 16; i++) {
		assert_true(begins_immediate(&s, "BEGIN"));
		transaction(&s, "SELECT * FROM t");
	}
	assert_false(begins_immediate(&s, "BEGIN"));
	assert_true(begins_immediate(&s, "BEGIN IMMEDIATE"));
	assert_true(begins_immediate(&s, "BEGIN EXCLUSIVE"));
	s.conn->txn_hint = 6;
	assert_true(begins_immediate(&s, "START TRANSACTION"));
	assert_false(begins_immediate(&s, "START TRANSACTION READ ONLY"));
	assert_false(begins_immediate(&s, "BEGIN DEFERRED"));
	s.conn->txn_hint = 5;
	assert_false(begins_immediate(&s, "BEGIN"));
	transaction(&s, "INSERT INTO t VALUES (1)"); /* learnt otherwise */
	assert_true(begins_immediate(&s, "BEGIN"));
	tear_down(&s);
	set_up(&s, ARGS("--sqlite-begin=deferred"));
	assert_false(begins_immediate(&s, "BEGIN"));
	assert_true(begins_immediate(&s, "BEGIN IMMEDIATE"));
	tear_down(&s);
}

static void an_old_snapshot_cannot_write(void **state)
{
	struct sql_conn *other;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	other = sql_conn_new(s.env, 1, false);
	sql_connect(other);
	run_sql(s.conn, "BEGIN DEFERRED");
	run_sql(s.conn, "SELECT * FROM t");
	run_sql(other, "UPDATE t SET a=2");
	assert_int_equal(try_sql(s.conn, "UPDATE t SET a=3"), SQL_RETRY);
	assert_int_equal(s.conn->error.code, SQLITE_BUSY_SNAPSHOT);
	assert_true(sql_in_transaction(s.conn));
	run_sql(other, "UPDATE t SET a=a+1"); /* the turn was given back */
	assert_true(sql_rollback(s.conn));
	/* While another writes, an upgrade fails at once; an untouched transaction waits. */
	run_sql(s.conn, "BEGIN DEFERRED");
	run_sql(s.conn, "SELECT * FROM t");
	run_sql(other, "BEGIN");
	assert_int_equal(try_sql(s.conn, "UPDATE t SET a=4"), SQL_RETRY);
	assert_int_equal(s.conn->lock.timeouts, 0);
	assert_true(sql_rollback(s.conn));
	run_sql(other, "ROLLBACK");
	run_sql(s.conn, "BEGIN DEFERRED");
	run_sql(s.conn, "UPDATE t SET a=5");
	run_sql(s.conn, "COMMIT");
	assert_string_equal(ask_sql(other, "SELECT a FROM t"), "5");
	sql_conn_free(other);
	tear_down(&s);
}

static void a_turn_held_by_the_same_thread_times_out(void **state)
{
	struct sql_conn *other;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--sqlite-busy-timeout=50ms"));
	run_sql(s.conn, "CREATE TABLE t(a)");
	other = sql_conn_new(s.env, 1, false);
	sql_connect(other);
	run_sql(s.conn, "BEGIN");
	assert_int_equal(try_sql(other, "INSERT INTO t VALUES (1)"), SQL_RETRY);
	assert_int_equal(other->error.code, SQLITE_BUSY);
	assert_int_equal(other->lock.waits, 1);
	assert_int_equal(other->lock.timeouts, 1);
	assert_true(other->lock.wait_ns >= 50000000);
	assert_int_equal(try_sql(other, "BEGIN"), SQL_RETRY);
	assert_false(sql_in_transaction(other));
	run_sql(other, "SELECT * FROM t"); /* readers do not wait */
	sql_disconnect(s.conn);            /* gives the turn back */
	run_sql(other, "INSERT INTO t VALUES (1)");
	sql_conn_free(other);
	tear_down(&s);
}

/* ---- another process ---- */

/* Holds the write lock of the database until the pipe is closed. */
static pid_t lock_elsewhere(struct setting *s, const char *sql, int *release_fd)
{
	int ready[2], release[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(release), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		sqlite3 *db;
		int rc;

		close(release[1]);
		rc = sqlite3_open(s->path, &db);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
		if (write(ready[1], rc == SQLITE_OK ? "y" : "n", 1) != 1 ||
		    read(release[0], &byte, 1) != 0)
			_exit(1);
		sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
		_exit(0);
	}
	close(release[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	close(ready[0]);
	*release_fd = release[1];
	return pid;
}

static void release(pid_t pid, int fd)
{
	int status;

	close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void another_program_s_lock_is_waited_for_and_named(void **state)
{
	struct setting s;
	pid_t pid;
	int fd;

	(void)state;
	set_up(&s, ARGS("--sqlite-busy-timeout=60ms"));
	run_sql(s.conn, "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	sql_disconnect(s.conn); /* locks do not go with fork */
	pid = lock_elsewhere(&s, "BEGIN IMMEDIATE; UPDATE t SET a=2", &fd);
	sql_connect(s.conn);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	assert_string_equal(ask_sql(s.conn, "SELECT a FROM t"), "1");
	assert_int_equal(try_sql(s.conn, "UPDATE t SET a=3"), SQL_RETRY);
	assert_int_equal(s.conn->error.code, SQLITE_BUSY);
	assert_non_null(strstr(s.conn->error.text, s.path));
	assert_non_null(strstr(s.conn->error.text, "locked by another program (waited "));
	assert_non_null(strstr(s.conn->error.text, "--sqlite-busy-timeout"));
	assert_int_equal(s.conn->lock.waits, 1);
	assert_int_equal(s.conn->lock.timeouts, 1);
	assert_true(s.conn->lock.wait_ns >= 60000000);
	assert_int_equal(try_sql(s.conn, "BEGIN"), SQL_RETRY);
	assert_false(sql_in_transaction(s.conn));
	release(pid, fd);
	run_sql(s.conn, "UPDATE t SET a=a+1"); /* the turn came back after both failures */
	assert_string_equal(ask_sql(s.conn, "SELECT a FROM t"), "3");
	tear_down(&s);
}

static void a_commit_that_is_busy_leaves_the_transaction_open(void **state)
{
	struct setting s;
	pid_t pid;
	int fd;

	(void)state;
	set_up(&s, ARGS("--sqlite-busy-timeout=30ms", "--sqlite-journal-mode=delete"));
	run_sql(s.conn, "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	sql_disconnect(s.conn);
	pid = lock_elsewhere(&s, "BEGIN; SELECT * FROM t", &fd);
	sql_connect(s.conn);
	run_sql(s.conn, "BEGIN");
	run_sql(s.conn, "UPDATE t SET a=2");
	assert_int_equal(try_sql(s.conn, "COMMIT"), SQL_RETRY);
	assert_true(sql_in_transaction(s.conn));
	assert_true(sql_rollback(s.conn));
	release(pid, fd);
	run_sql(s.conn, "UPDATE t SET a=a+1");
	assert_string_equal(ask_sql(s.conn, "SELECT a FROM t"), "2");
	tear_down(&s);
}

static void a_journal_mode_that_cannot_be_entered_is_named(void **state)
{
	struct setting s;
	pid_t pid;
	int fd;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a)");
	close_env(&s);
	pid = lock_elsewhere(&s, "BEGIN; SELECT * FROM t", &fd);
	assert_int_equal(
	    open_env(&s, ARGS("--sqlite-journal-mode=delete", "--sqlite-busy-timeout=20ms")), 0);
	s.conn = sql_conn_new(s.env, 0, false);
	sql_connect(s.conn);
	assert_int_not_equal(s.conn->error.outcome, SQL_OK);
	assert_false(s.conn->connected);
	assert_non_null(strstr(s.conn->error.text, s.path));
	release(pid, fd);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rollback_undoes_and_commit_keeps),
	    cmocka_unit_test(a_type_that_only_reads_is_begun_deferred),
	    cmocka_unit_test(an_old_snapshot_cannot_write),
	    cmocka_unit_test(a_turn_held_by_the_same_thread_times_out),
	    cmocka_unit_test(another_program_s_lock_is_waited_for_and_named),
	    cmocka_unit_test(a_commit_that_is_busy_leaves_the_transaction_open),
	    cmocka_unit_test(a_journal_mode_that_cannot_be_entered_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
