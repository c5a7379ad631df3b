/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "sqlite_setting.h"

/* ---- opening ---- */

static void expect_refused(const char *path, const char *const *args, const char *says)
{
	struct setting s;

	make_directory(&s);
	if (path != NULL)
		snprintf(s.path, sizeof(s.path), "%s", path);
	assert_int_equal(open_env(&s, args), -EINVAL);
	assert_int_equal(s.err.status, EXIT_USAGE);
	if (strstr(s.err.text, says) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", s.err.text, says);
	close_env(&s);
	remove_directory(&s);
}

static void bad_paths_and_pragmas_are_refused_at_once(void **state)
{
	(void)state;
	expect_refused("/nonexistent/x.db", ARGS(), "directory /nonexistent: No such file");
	expect_refused("/etc/passwd/x.db", ARGS(), "/etc/passwd is no directory");
	expect_refused("/etc/passwd", ARGS(), "not an SQLite database");
	expect_refused("/tmp", ARGS(), "no regular file");
	expect_refused("/dev/null", ARGS(), "no regular file");
	expect_refused(":memory:", ARGS(), "memory");
	expect_refused("", ARGS(), "empty");
	expect_refused(NULL, ARGS("--sqlite-pragma=cache_size"), "NAME=VALUE");
	expect_refused(NULL, ARGS("--sqlite-pragma=a=1;DROP TABLE t"), "NAME=VALUE");
	expect_refused(NULL, ARGS("--sqlite-pragma=busy_timeout=5"), "--sqlite-busy-timeout");
	expect_refused(NULL, ARGS("--sqlite-ignore-errors=x"), "--sqlite-ignore-errors=x");
}

static void expect_no_connection(const char *const *args, const char *says)
{
	struct setting s;

	make_directory(&s);
	assert_int_equal(open_env(&s, args), 0);
	s.conn = sql_conn_new(s.env, 0, false);
	sql_connect(s.conn);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	assert_false(s.conn->connected);
	if (strstr(s.conn->error.text, says) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", s.conn->error.text, says);
	tear_down(&s);
}

static void settings_without_effect_are_errors_that_name_them(void **state)
{
	(void)state;
	expect_no_connection(ARGS("--sqlite-pragma=cache_sise=5"),
	                     "--sqlite-pragma=cache_sise=5: ");
	expect_no_connection(ARGS("--sqlite-pragma=page_size=1000"),
	                     "--sqlite-pragma=page_size=1000: ");
	expect_no_connection(ARGS("--sqlite-pragma=synchronous=5000"),
	                     "--sqlite-pragma=synchronous=5000: ");
	expect_no_connection(ARGS("--sqlite-mmap-size=8T"), "--sqlite-mmap-size=8796093022208: ");
	expect_no_connection(ARGS("--sqlite-pragma=journal_mode=wall"),
	                     "--sqlite-pragma=journal_mode=wall: ");
}

static void settings_take_effect(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	assert_string_equal(ask_sql(s.conn, "PRAGMA journal_mode"), "wal");
	assert_string_equal(ask_sql(s.conn, "PRAGMA synchronous"), "2");
	tear_down(&s);
	set_up(&s, ARGS("--sqlite-journal-mode=truncate", "--sqlite-synchronous=extra",
	                "--sqlite-cache-size=8M", "--sqlite-mmap-size=1M",
	                "--sqlite-pragma=page_size=8192", "--sqlite-pragma=auto_vacuum=full",
	                "--sqlite-pragma=temp_store=memory", "--sqlite-pragma=foreign_keys=on",
	                "--sqlite-pragma=main.wal_autocheckpoint=0",
	                "--sqlite-pragma=encoding='UTF-16le'", "--sqlite-pragma=secure_delete=fast",
	                "--sqlite-pragma=optimize=0xfffe", "--sqlite-pragma=cache_spill=on"));
	assert_string_equal(ask_sql(s.conn, "PRAGMA journal_mode"), "truncate");
	assert_string_equal(ask_sql(s.conn, "PRAGMA synchronous"), "3");
	assert_string_equal(ask_sql(s.conn, "PRAGMA cache_size"), "-8192");
	assert_string_equal(ask_sql(s.conn, "PRAGMA mmap_size"), "1048576");
	assert_string_equal(ask_sql(s.conn, "PRAGMA page_size"), "8192");
	assert_string_equal(ask_sql(s.conn, "PRAGMA auto_vacuum"), "1");
	assert_string_equal(ask_sql(s.conn, "PRAGMA temp_store"), "2");
	assert_string_equal(ask_sql(s.conn, "PRAGMA foreign_keys"), "1");
	assert_string_equal(ask_sql(s.conn, "PRAGMA wal_autocheckpoint"), "0");
	assert_string_equal(ask_sql(s.conn, "PRAGMA encoding"), "UTF-16le");
	tear_down(&s);
}

/* ---- values ---- */

struct row {
	struct sql_param i, d, t, n;
};

static void fill(struct row *row, int64_t i, double d, char *text, size_t len)
{
	memset(row, 0, sizeof(*row));
	row->i = (struct sql_param){.type = SQL_TYPE_BIGINT, .i = i};
	row->d = (struct sql_param){.type = SQL_TYPE_DOUBLE, .d = d};
	row->t = (struct sql_param){.type = SQL_TYPE_VARCHAR, .buf = text, .len = len};
	row->n = (struct sql_param){.type = SQL_TYPE_INT, .is_null = 1, .i = 5};
}

/* Inserts by a statement and compares what a statement and a text read back. */
static void round_trip(struct sql_conn *conn, int64_t i, double d, char *text, size_t len)
{
	static const char insert[] = "INSERT INTO v(i, d, t, n) VALUES (?, ?, ?, ?)";
	static const char select[] = "SELECT i, d, t, n, typeof(d), length(t) FROM v";
	struct sql_stmt *in = sql_prepare(conn, insert, strlen(insert)),
	                *out = sql_prepare(conn, select, strlen(select));
	struct sql_result *result;
	struct row row;
	struct sql_param *params[] = {&row.i, &row.d, &row.t, &row.n};
	char expected[64];

	fill(&row, i, d, text, len);
	run_sql(conn, "DELETE FROM v");
	assert_int_equal(sql_bind(in, params, 4), 0);
	sql_execute(in);
	assert_int_equal(conn->error.outcome, SQL_OK);
	assert_int_equal(conn->affected, 1);
	assert_false(in->has_rows);
	sql_execute(out);
	sql_query(conn, select, strlen(select), &result);
	assert_true(out->has_rows);
	assert_int_equal(out->result->nfields, 6);
	assert_int_equal(out->result->nrows, 1);
	assert_true(sql_fetch(out->result));
	assert_true(sql_fetch(result));
	snprintf(expected, sizeof(expected), "%lld", (long long)i);
	assert_string_equal(out->result->values[0].text, expected);
	assert_true(strtod(out->result->values[1].text, NULL) == d);
	assert_string_equal(out->result->values[4].text, "real");
	assert_int_equal(out->result->values[2].len, len);
	assert_memory_equal(out->result->values[2].text, text, len);
	assert_null(out->result->values[3].text);
	for (unsigned f = 0; f < 6; f++) {
		assert_int_equal(out->result->values[f].len, result->values[f].len);
		if (f != 3)
			assert_memory_equal(out->result->values[f].text, result->values[f].text,
			                    result->values[f].len + 1);
	}
	assert_null(result->values[3].text);
	assert_false(sql_fetch(out->result));
	assert_false(sql_fetch(result));
	sql_result_free(result);
	sql_stmt_close(in);
	sql_stmt_close(out);
}

static void round_trips(const char *const *args)
{
	const size_t big_len = 1 << 20;
	char *big = malloc(big_len);
	struct setting s;

	for (size_t i = 0; i < big_len; i++)
		big[i] = (char)('a' + i % 26);
	big[77] = '\'';
	big[78] = '?';
	big[79] = '\\';
	set_up(&s, args);
	run_sql(s.conn, "CREATE TABLE v(i BIGINT, d DOUBLE, t TEXT, n INT)");
	round_trip(s.conn, 0, 0.5, (char[]){""}, 0);
	round_trip(s.conn, INT64_MAX, 1e300, (char[]){"it's \"x\" \\ ? -- /*"}, 19);
	round_trip(s.conn, INT64_MIN, -5, (char[]){"\xc3\xa4\n\t"}, 4);
	round_trip(s.conn, -1, 0.1, big, big_len);
	tear_down(&s);
	free(big);
}

static void values_survive_prepared_and_as_text(void **state)
{
	(void)state;
	round_trips(ARGS());
	round_trips(ARGS("--db-ps-mode=disable"));
	round_trips(ARGS("--sqlite-pretend=mysql"));
	round_trips(ARGS("--sqlite-pretend=mysql", "--db-ps-mode=disable"));
	round_trips(ARGS("--sqlite-pretend=pgsql", "--db-ps-mode=disable"));
}

static void a_nul_byte_in_a_text_survives(void **state)
{
	static const char insert[] = "INSERT INTO v VALUES (?)";
	static const char *const modes[] = {"--db-ps-mode=auto", "--db-ps-mode=disable"};

	(void)state;
	for (int m = 0; m < 2; m++) {
		struct sql_param text = {.type = SQL_TYPE_CHAR, .buf = (char[]){"a\0b"}, .len = 3};
		struct sql_param *params[] = {&text};
		struct sql_stmt *stmt;
		struct setting s;

		set_up(&s, ARGS(modes[m]));
		run_sql(s.conn, "CREATE TABLE v(t TEXT)");
		stmt = sql_prepare(s.conn, insert, strlen(insert));
		sql_bind(stmt, params, 1);
		sql_execute(stmt);
		assert_string_equal(ask_sql(s.conn, "SELECT hex(t) || typeof(t) FROM v"),
		                    "610062text");
		text.max = 1;
		run_sql(s.conn, "DELETE FROM v");
		sql_execute(stmt);
		assert_string_equal(ask_sql(s.conn, "SELECT hex(t) FROM v"), "61");
		sql_stmt_close(stmt);
		tear_down(&s);
	}
}

static void many_rows_come_in_order(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt;
	struct setting s;
	static const char select[] =
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000) "
	    "SELECT i, i*2 FROM n";

	(void)state;
	set_up(&s, ARGS());
	stmt = sql_prepare(s.conn, select, strlen(select));
	for (int round = 0; round < 2; round++) {
		sql_execute(stmt);
		assert_int_equal(stmt->result->nrows, 5000);
		for (int i = 1; i <= 5000; i++) {
			assert_true(sql_fetch(stmt->result));
			assert_int_equal(atoi(stmt->result->values[1].text), 2 * i);
		}
		assert_false(sql_fetch(stmt->result));
	}
	sql_query(s.conn, "SELECT 1 WHERE 0", 16, &result);
	assert_non_null(result); /* columns, no rows */
	assert_int_equal(result->nrows, 0);
	assert_false(sql_fetch(result));
	sql_result_free(result);
	sql_query(s.conn, "CREATE TABLE t(a)", 17, &result);
	assert_null(result);
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void a_changed_table_changes_the_columns_of_a_statement(void **state)
{
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	stmt = sql_prepare(s.conn, "SELECT * FROM t", 15);
	sql_execute(stmt);
	assert_int_equal(stmt->result->nfields, 1);
	run_sql(s.conn, "ALTER TABLE t ADD COLUMN b DEFAULT 'x'");
	sql_execute(stmt); /* SQLite notices while it steps */
	sql_execute(stmt);
	assert_int_equal(stmt->result->nfields, 2);
	assert_true(sql_fetch(stmt->result));
	assert_string_equal(stmt->result->values[1].text, "x");
	sql_stmt_close(stmt);
	tear_down(&s);
}

/* ---- texts ---- */

static void texts_of_several_statements_run_all(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn,
	        "; CREATE TABLE t(a); -- x;\n BEGIN; INSERT INTO t VALUES (1), (2) ; COMMIT ;; ");
	assert_false(sql_in_transaction(s.conn));
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "2");
	assert_string_equal(ask_sql(s.conn, "UPDATE t SET a=a+1; SELECT max(a) FROM t; SELECT 9"),
	                    "3");
	assert_int_equal(try_sql(s.conn, "DELETE FROM t; SELEC; DELETE FROM u"), SQL_FATAL);
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "0");
	run_sql(s.conn, "CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a=5; SELECT 1; END");
	run_sql(s.conn, "INSERT INTO t VALUES (1)");
	assert_string_equal(ask_sql(s.conn, "SELECT a FROM t"), "5");
	run_sql(s.conn, "");
	run_sql(s.conn, " /* nothing */ ");
	assert_null(sql_prepare(s.conn, "SELECT 1; SELECT 2", 18));
	assert_null(sql_prepare(s.conn, "SELECT :a", 9));
	tear_down(&s);
}

static void affected_rows_are_counted(void **state)
{
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a)");
	assert_int_equal(s.conn->affected, 0);
	run_sql(s.conn, "INSERT INTO t VALUES (1), (2), (3)");
	assert_int_equal(s.conn->affected, 3);
	run_sql(s.conn, "UPDATE t SET a=0 WHERE a>1");
	assert_int_equal(s.conn->affected, 2);
	run_sql(s.conn, "SELECT * FROM t");
	assert_int_equal(s.conn->affected, 0);
	stmt = sql_prepare(s.conn, "DELETE FROM t WHERE a=9", 23);
	sql_execute(stmt);
	assert_int_equal(s.conn->affected, 0);
	sql_stmt_close(stmt);
	tear_down(&s);
}

/* ---- errors ---- */

static void errors_say_what_to_do(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	assert_int_equal(try_sql(s.conn, "SELECT * FROM sbtest1"), SQL_FATAL);
	assert_non_null(strstr(s.conn->error.text, "no such table: sbtest1"));
	assert_non_null(strstr(s.conn->error.text, "run `prepare` first?"));
	assert_string_equal(s.conn->error.state, "42S02");
	assert_int_equal(try_sql(s.conn, "SELEC"), SQL_FATAL);
	assert_string_equal(s.conn->error.state, "42000");
	run_sql(s.conn, "CREATE TABLE t(a INTEGER PRIMARY KEY)");
	run_sql(s.conn, "INSERT INTO t VALUES (1)");
	assert_int_equal(try_sql(s.conn, "INSERT INTO t VALUES (1)"), SQL_FATAL);
	assert_int_equal(s.conn->error.code, SQLITE_CONSTRAINT_PRIMARYKEY);
	assert_string_equal(s.conn->error.state, "23000");
	assert_int_equal(try_sql(s.conn, "COMMIT"), SQL_FATAL);
	assert_true(s.conn->connected);
	run_sql(s.conn, "PRAGMA max_page_count=10");
	assert_int_equal(try_sql(s.conn, "CREATE TABLE b AS SELECT zeroblob(1000000)"), SQL_FATAL);
	assert_int_equal(s.conn->error.code, SQLITE_FULL);
	assert_non_null(strstr(s.conn->error.text, s.path));
	assert_non_null(strstr(s.conn->error.text, "free space"));
	tear_down(&s);
}

static void listed_errors_can_be_retried(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--sqlite-ignore-errors=19"));
	run_sql(s.conn, "CREATE TABLE t(a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)");
	assert_int_equal(try_sql(s.conn, "INSERT INTO t VALUES (1)"), SQL_RETRY); /* 1555 */
	assert_int_equal(try_sql(s.conn, "SELEC"), SQL_FATAL);
	tear_down(&s);
}

static void a_damaged_file_is_named(void **state)
{
	struct setting s;
	int fd;

	(void)state;
	set_up(&s, ARGS("--sqlite-journal-mode=delete"));
	run_sql(s.conn, "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
	close_env(&s);
	fd = open(s.path, O_WRONLY);
	assert_int_equal(pwrite(fd, "rubbishrubbish", 14, 4096), 14);
	close(fd);
	assert_int_equal(open_env(&s, ARGS("--sqlite-journal-mode=delete")), 0);
	s.conn = sql_conn_new(s.env, 0, false);
	sql_connect(s.conn);
	assert_int_equal(try_sql(s.conn, "SELECT * FROM t"), SQL_FATAL);
	assert_int_equal(s.conn->error.code & 0xff, SQLITE_CORRUPT);
	assert_non_null(strstr(s.conn->error.text, s.path));
	tear_down(&s);
}

/* ---- bulk, pretending, facts ---- */

static void bulk_rows_are_committed_or_dropped_as_one(void **state)
{
	static const char *const columns[] = {"a", "odd \"name\""};
	const struct bulk_table table = {.name = "t", .columns = columns, .ncolumns = 2};
	const struct bulk_table missing = {.name = "u", .columns = columns, .ncolumns = 2};
	struct bulk_value row[2] = {{.kind = BULK_INT, .i = 1},
	                            {.kind = BULK_TEXT, .text = "xyz", .len = 2}};
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run_sql(s.conn, "CREATE TABLE t(a INTEGER PRIMARY KEY, \"odd \"\"name\"\"\")");
	sql_bulk_begin(s.conn, &table);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	assert_false(others_can_write(&s));
	for (int i = 1; i <= 1000; i++) {
		row[0].i = i;
		sql_bulk_row(s.conn, row);
		assert_int_equal(s.conn->error.outcome, SQL_OK);
	}
	sql_bulk_end(s.conn, true);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	assert_true(others_can_write(&s));
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) || max(\"odd \"\"name\"\"\") FROM t"),
	                    "1000xy");
	sql_bulk_begin(s.conn, &table);
	row[0].i = 2000;
	row[1] = (struct bulk_value){.kind = BULK_NULL};
	sql_bulk_row(s.conn, row);
	sql_bulk_end(s.conn, false);
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "1000");
	sql_bulk_begin(s.conn, &table);
	row[0].i = 5; /* there already */
	sql_bulk_row(s.conn, row);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	sql_bulk_end(s.conn, false);
	assert_true(others_can_write(&s));
	sql_bulk_begin(s.conn, &missing);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	assert_false(sql_in_transaction(s.conn));
	assert_true(others_can_write(&s));
	sql_bulk_row(s.conn, row);
	assert_int_equal(s.conn->error.outcome, SQL_FATAL);
	run_sql(s.conn, "BEGIN"); /* inside a transaction it is part of it */
	sql_bulk_begin(s.conn, &table);
	row[0].i = 3000;
	sql_bulk_row(s.conn, row);
	sql_bulk_end(s.conn, true);
	assert_true(sql_in_transaction(s.conn));
	run_sql(s.conn, "ROLLBACK");
	assert_string_equal(ask_sql(s.conn, "SELECT count(*) FROM t"), "1000");
	sql_bulk_begin(s.conn, &table); /* left open */
	tear_down(&s);
}

static void pretending_runs_texts_of_the_servers(void **state)
{
	struct sql_stmt *set;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--sqlite-pretend=mysql"));
	assert_string_equal(sql_script_name(s.env), "mysql");
	run_sql(s.conn,
	        "CREATE TABLE t(id INTEGER NOT NULL AUTO_INCREMENT, v CHAR(20), KEY xid (id)) "
	        "/*! ENGINE = innodb */");
	run_sql(s.conn, "SET NAMES utf8");
	set = sql_prepare(s.conn, "SET autocommit=1", 16);
	assert_non_null(set);
	sql_execute(set);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	sql_stmt_close(set);
	run_sql(s.conn, "INSERT INTO t(v) VALUES ('it\\'s'), (\"two\")");
	assert_string_equal(ask_sql(s.conn, "SELECT v FROM t WHERE id=1 FOR UPDATE"), "it's");
	assert_string_equal(
	    ask_sql(s.conn, "SELECT count(*) FROM sqlite_master WHERE name='t_xid'"), "1");
	run_sql(s.conn, "COMMIT"); /* the servers take it */
	run_sql(s.conn, "ROLLBACK");
	tear_down(&s);
	set_up(&s, ARGS("--sqlite-pretend=pgsql"));
	assert_string_equal(sql_script_name(s.env), "pgsql");
	run_sql(s.conn, "CREATE TABLE t(id SERIAL, v CHAR(20), PRIMARY KEY (id))");
	run_sql(s.conn, "INSERT INTO t(v) VALUES ($$it's$$)");
	assert_string_equal(ask_sql(s.conn, "SELECT v FROM t WHERE id=1"), "it's");
	tear_down(&s);
	set_up(&s, ARGS());
	assert_string_equal(sql_script_name(s.env), "sqlite");
	tear_down(&s);
}

static void check_durable(bool expected, const char *mode, const char *synchronous)
{
	char mode_arg[64], synchronous_arg[64];
	struct kv facts = KV_INIT;
	struct setting s;
	bool durable;

	snprintf(mode_arg, sizeof(mode_arg), "--sqlite-journal-mode=%s", mode);
	snprintf(synchronous_arg, sizeof(synchronous_arg), "--sqlite-synchronous=%s", synchronous);
	set_up(&s, ARGS(mode_arg, synchronous_arg));
	sql_facts(s.conn, &facts, &durable);
	if (durable != expected)
		fail_msg("durable is %d for %s %s", durable, mode, synchronous);
	assert_true((kv_find(&facts, "durability_note") == NULL) == durable);
	assert_string_equal(kv_find(&facts, "journal_mode")->text, mode);
	assert_string_equal(kv_find(&facts, "synchronous")->text, synchronous);
	assert_string_equal(kv_find(&facts, "path")->text, s.path);
	assert_string_equal(kv_find(&facts, "data_directory")->text, s.directory);
	assert_int_equal(kv_find(&facts, "page_size_bytes")->i, 4096);
	assert_string_equal(kv_find(&facts, "version")->text, sqlite3_libversion());
	assert_non_null(strstr(kv_find(&facts, "compile_options")->text, "THREADSAFE="));
	kv_fini(&facts);
	tear_down(&s);
}

static void facts_say_what_a_power_cut_may_take(void **state)
{
	(void)state;
	check_durable(true, "wal", "full");
	check_durable(true, "wal", "extra");
	check_durable(false, "wal", "normal");
	check_durable(false, "wal", "off");
	check_durable(false, "delete", "full");
	check_durable(true, "delete", "extra");
	check_durable(true, "truncate", "full");
	check_durable(true, "persist", "full");
	check_durable(false, "memory", "full");
	check_durable(false, "off", "full");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bad_paths_and_pragmas_are_refused_at_once),
	    cmocka_unit_test(settings_without_effect_are_errors_that_name_them),
	    cmocka_unit_test(settings_take_effect),
	    cmocka_unit_test(values_survive_prepared_and_as_text),
	    cmocka_unit_test(a_nul_byte_in_a_text_survives),
	    cmocka_unit_test(many_rows_come_in_order),
	    cmocka_unit_test(a_changed_table_changes_the_columns_of_a_statement),
	    cmocka_unit_test(texts_of_several_statements_run_all),
	    cmocka_unit_test(affected_rows_are_counted),
	    cmocka_unit_test(errors_say_what_to_do),
	    cmocka_unit_test(listed_errors_can_be_retried),
	    cmocka_unit_test(a_damaged_file_is_named),
	    cmocka_unit_test(bulk_rows_are_committed_or_dropped_as_one),
	    cmocka_unit_test(pretending_runs_texts_of_the_servers),
	    cmocka_unit_test(facts_say_what_a_power_cut_may_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
