/* SPDX-License-Identifier: MIT */
/* What goes wrong on a server, and what callers are told. */
#include "drv_mysql_fixture.h"

/* A second connection, as the server's root: it kills, and sets what users may not. */
static void root_open(struct db *db)
{
	db_open(db, ARGS("--mysql-user=root", "--mysql-password="));
}

static void kill_connection(struct sql_conn *conn, struct db *root, const char *how)
{
	char id[32], text[64];

	value_of(conn, "SELECT CONNECTION_ID()", id, sizeof(id));
	snprintf(text, sizeof(text), "KILL %s %s", how, id);
	run(root->conn, text);
}

static void errors_are_classified(void **state)
{
	static const struct {
		const char *option;
		enum sql_outcome duplicate, missing;
	} cases[] = {
	    {"--mysql-ignore-errors=1213,1020,1205", SQL_FATAL, SQL_FATAL},
	    {"--mysql-ignore-errors=1062", SQL_RETRY, SQL_FATAL},
	    {"--mysql-ignore-errors=23000", SQL_RETRY, SQL_FATAL},
	    {"--mysql-ignore-errors=42S02,1213", SQL_FATAL, SQL_RETRY},
	    {"--mysql-ignore-errors=all", SQL_RETRY, SQL_RETRY},
	    {"--mysql-ignore-errors=", SQL_FATAL, SQL_FATAL},
	};
	struct db db;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		db_open(&db, ARGS(cases[i].option));
		run(db.conn, "CREATE OR REPLACE TABLE one (id INT PRIMARY KEY)");
		run(db.conn, "INSERT INTO one VALUES (1)");
		refused(db.conn, "INSERT INTO one VALUES (1)", cases[i].duplicate, 1062);
		assert_string_equal(db.conn->error.state, "23000");
		assert_non_null(strstr(db.conn->error.text, "Duplicate entry"));
		refused(db.conn, "SELECT * FROM nowhere", cases[i].missing, 1146);
		assert_value(db.conn, "SELECT 1", "1");
		db_close(&db);
	}
}

static void lock_waits_are_retried(void **state)
{
	struct db a, b;

	(void)state;
	db_open(&a, ARGS());
	db_open(&b, ARGS());
	run(a.conn, "CREATE OR REPLACE TABLE locked (id INT PRIMARY KEY, v INT)");
	run(a.conn, "INSERT INTO locked VALUES (1, 0), (2, 0)");
	run(a.conn, "BEGIN");
	run(a.conn, "UPDATE locked SET v = 1 WHERE id = 1");
	run(b.conn, "SET innodb_lock_wait_timeout = 1");
	run(b.conn, "BEGIN");
	run(b.conn, "UPDATE locked SET v = 2 WHERE id = 2");
	refused(b.conn, "UPDATE locked SET v = 2 WHERE id = 1", SQL_RETRY, 1205);
	/* The server rolled back the statement only: the half transaction must go. */
	assert_true(sql_in_transaction(b.conn));
	assert_true(sql_rollback(b.conn));
	assert_false(sql_in_transaction(b.conn));
	run(a.conn, "COMMIT");
	assert_value(a.conn, "SELECT SUM(v) FROM locked", "1");
	run(a.conn, "DROP TABLE locked");
	db_close(&b);
	db_close(&a);
}

static void assert_lost(struct sql_conn *conn, enum sql_outcome outcome)
{
	assert_int_equal(conn->error.outcome, outcome);
	assert_false(conn->connected);
}

static void killed_connections_are_lost(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt, *empty;
	struct db db, root;

	(void)state;
	db_open(&db, ARGS("--mysql-ignore-errors=all"));
	root_open(&root);
	stmt = prepared(db.conn, "SELECT 'here'");
	empty = prepared(db.conn, "SELECT 1 FROM DUAL WHERE 1 = 0");
	for (int round = 0; round < 3; round++) {
		executed(stmt);
		result = rows_of(db.conn, "SELECT 1 UNION SELECT 2");
		kill_connection(db.conn, &root, "CONNECTION");
		sql_execute(round == 1 ? empty : stmt);
		assert_lost(db.conn, SQL_LOST);
		/* What is left of it gives nothing and does no harm. */
		assert_false(sql_fetch(stmt->result));
		assert_false(sql_fetch(result));
		sql_result_free(result);
		sql_execute(stmt);
		assert_lost(db.conn, SQL_LOST);
		assert_false(sql_rollback(db.conn));
		sql_connect(db.conn);
		assert_true(db.conn->connected);
		executed(stmt); /* is prepared again */
		assert_true(sql_fetch(stmt->result));
		assert_memory_equal(stmt->result->values[0].text, "here", 4);
	}
	kill_connection(db.conn, &root, "CONNECTION");
	sql_query(db.conn, "SELECT 1", 8, &result);
	assert_null(result);
	assert_lost(db.conn, SQL_LOST);
	sql_stmt_close(stmt);
	sql_stmt_close(empty);
	db_close(&root);
	db_close(&db);
}

static void a_lost_commit_is_unknown(void **state)
{
	struct sql_result *result;
	struct sql_stmt *commit, *begin;
	struct db db, root;

	(void)state;
	db_open(&db, ARGS("--mysql-ignore-errors=all"));
	root_open(&root);
	begin = prepared(db.conn, "BEGIN");
	commit = prepared(db.conn, "COMMIT");
	executed(begin);
	kill_connection(db.conn, &root, "CONNECTION");
	sql_execute(commit);
	assert_lost(db.conn, SQL_UNKNOWN);
	sql_connect(db.conn);
	executed(begin);
	kill_connection(db.conn, &root, "CONNECTION");
	sql_query(db.conn, "commit", 6, &result);
	assert_lost(db.conn, SQL_UNKNOWN);
	sql_connect(db.conn);
	executed(begin);
	kill_connection(db.conn, &root, "CONNECTION");
	sql_query(db.conn, "ROLLBACK", 8, &result);
	assert_lost(db.conn, SQL_LOST);
	sql_stmt_close(begin);
	sql_stmt_close(commit);
	db_close(&root);
	db_close(&db);
}

/* KILL QUERY ends a statement, not the connection. */
static void a_killed_query_is_no_loss(void **state)
{
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	stmt = prepared(db.conn, "SELECT SLEEP(20)");
	run(db.conn, "SET max_statement_time = 0.2");
	sql_execute(stmt);
	assert_true(db.conn->connected);
	run(db.conn, "SET max_statement_time = 0");
	sql_stmt_close(stmt);
	refused(db.conn, "KILL QUERY CONNECTION_ID()", SQL_FATAL, 1317);
	assert_value(db.conn, "SELECT 1", "1");
	db_close(&db);
}

static void a_silent_server_is_lost(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS("--mysql-read-timeout=1"));
	sql_query(db.conn, "SELECT SLEEP(30)", 16, &result);
	assert_lost(db.conn, SQL_LOST);
	sql_connect(db.conn);
	stmt = prepared(db.conn, "SELECT SLEEP(30)");
	sql_execute(stmt);
	assert_lost(db.conn, SQL_LOST);
	sql_stmt_close(stmt);
	db_close(&db);
}

/* Connecting with these options on top fails with that number, and these words. */
static void connect_refused(const char *const *args, int code, const char *words)
{
	const char *all[8] = {"--mysql-password=secret"};
	struct sql_conn *conn;
	struct err err;
	struct db db;
	int rc;

	for (int i = 1; *args != NULL; i++)
		all[i] = *args++;
	env_open(&db, all, &rc, &err);
	assert_string_equal(err.text, "");
	conn = sql_conn_new(db.env, 0, false);
	db.conn = conn;
	sql_connect(conn);
	assert_false(conn->connected);
	assert_int_equal(conn->error.code, code);
	if (strstr(conn->error.text, words) == NULL)
		fail_msg("'%s' lacks '%s'", conn->error.text, words);
	assert_null(strstr(conn->error.text, "secret"));
	assert_null(strchr(conn->error.text, '\n'));
	db_close(&db);
}

static void connecting_says_what_to_do(void **state)
{
	char where[200];

	(void)state;
	snprintf(where, sizeof(where), "--mysql-socket=%s", server_socket());
	connect_refused(ARGS(where, "--mysql-password=wrong"), 1045, "check --mysql-user");
	connect_refused(ARGS(where, "--mysql-user=nobody"), 1045, "check --mysql-user");
	connect_refused(
	    ARGS(where, "--mysql-db=not_there", "--mysql-user=root", "--mysql-password="), 1049,
	    "create that database");
	connect_refused(ARGS(where, "--mysql-db=mysql"), 1044, "grant the user");
	connect_refused(ARGS("--mysql-socket=/nonexistent/socket"), 2002, "is the server running?");
	connect_refused(ARGS("--mysql-host=127.0.0.1", "--mysql-port=1"), 2002, "127.0.0.1:1");
	connect_refused(ARGS("--mysql-host=no.such.host.invalid", "--mysql-connect-timeout=2"),
	                2005, "check --mysql-host");
}

static void connections_run_out(void **state)
{
	struct sql_conn *conns[400];
	struct db db, root;
	unsigned n = 0;

	(void)state;
	root_open(&root);
	db_open(&db, ARGS());
	run(root.conn, "SET GLOBAL max_connections = 10");
	do {
		conns[n] = sql_conn_new(db.env, n, false);
		sql_connect(conns[n]);
	} while (conns[n++]->connected && n < 400);
	assert_int_equal(conns[n - 1]->error.code, 1040);
	assert_int_equal(conns[n - 1]->error.outcome, SQL_LOST); /* a later try may do */
	assert_non_null(strstr(conns[n - 1]->error.text, "fewer --threads"));
	sql_disconnect(conns[0]);
	for (unsigned i = 0; i < n; i++)
		sql_conn_free(conns[i]);
	run(root.conn, "SET GLOBAL max_connections = 200");
	db_close(&db);
	db_close(&root);
}

static void statements_that_cannot_be_prepared(void **state)
{
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	assert_null(sql_prepare(db.conn, "SELEKT 1", 8));
	assert_int_equal(db.conn->error.code, 1064);
	assert_int_equal(db.conn->error.outcome, SQL_FATAL);
	assert_null(sql_prepare(db.conn, "SELECT * FROM nowhere", 21));
	assert_int_equal(db.conn->error.code, 1146);
	assert_value(db.conn, "SELECT 1", "1");
	/* Runs as text where the server cannot prepare it. */
	stmt = prepared(db.conn, "LOCK TABLES mysql.user READ");
	sql_stmt_close(stmt);
	db_close(&db);
}

/* A server must not be able to ask for files. */
static void local_files_stay_here(void **state)
{
	struct sql_result *result;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	run(db.conn, "CREATE OR REPLACE TABLE thief (line TEXT)");
	sql_query(db.conn, "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE thief", 53, &result);
	assert_int_not_equal(db.conn->error.outcome, SQL_OK);
	if (!db.conn->connected)
		sql_connect(db.conn);
	assert_value(db.conn, "SELECT COUNT(*) FROM thief", "0");
	run(db.conn, "DROP TABLE thief");
	db_close(&db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(errors_are_classified),
	    cmocka_unit_test(lock_waits_are_retried),
	    cmocka_unit_test(killed_connections_are_lost),
	    cmocka_unit_test(a_lost_commit_is_unknown),
	    cmocka_unit_test(a_killed_query_is_no_loss),
	    cmocka_unit_test(a_silent_server_is_lost),
	    cmocka_unit_test(connecting_says_what_to_do),
	    cmocka_unit_test(connections_run_out),
	    cmocka_unit_test(statements_that_cannot_be_prepared),
	    cmocka_unit_test(local_files_stay_here),
	};

	return have_server() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
