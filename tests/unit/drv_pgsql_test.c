/* SPDX-License-Identifier: MIT */
/* Statements, parameters and results of the PostgreSQL driver, on a real server. */
#ifdef HAVE_PGSQL

#include "pgsql_fixture.h"

static const char types_table[] =
    "DROP TABLE IF EXISTS types; CREATE TABLE types (id serial, i2 smallint, i4 integer, i8 "
    "bigint, "
    "f4 real, f8 double precision, vc varchar(200), ch char(5), d date, ts timestamp, tm time)";
static const char types_insert[] = "INSERT INTO types (i2, i4, i8, f4, f8, vc, ch, d, ts, tm) "
                                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char types_select[] =
    "SELECT i2, i4, i8, f4, f8, vc, ch, d, ts, tm FROM types ORDER BY id";

enum { NTYPES = 10 };

static void fill_types(struct sql_param *p, int64_t i2, int64_t i4, int64_t i8, double f4,
                       double f8, const char *vc)
{
	p[0] = int_param(SQL_TYPE_SMALLINT, i2);
	p[1] = int_param(SQL_TYPE_INT, i4);
	p[2] = int_param(SQL_TYPE_BIGINT, i8);
	p[3] = double_param(SQL_TYPE_FLOAT, f4);
	p[4] = double_param(SQL_TYPE_DOUBLE, f8);
	p[5] = text_param(SQL_TYPE_VARCHAR, vc);
	p[6] = text_param(SQL_TYPE_CHAR, "ab");
	p[7] = text_param(SQL_TYPE_DATE, "2024-02-29");
	p[8] = text_param(SQL_TYPE_TIMESTAMP, "2024-02-29 23:59:58.123456");
	p[9] = text_param(SQL_TYPE_TIME, "12:34:56");
}

static const char types_rows[] =
    "-32768|-2147483648|-9223372036854775808|-1.5|0.1|it's \\ \"x\" ?|ab   |2024-02-29|2024-02-29 "
    "23:59:58.123456|12:34:56\n"
    "~|~|~|~|~|~|~|~|~|~\n"
    "32767|2147483647|9223372036854775807|0.1|1e+300||ab   |2024-02-29|2024-02-29 "
    "23:59:58.123456|12:34:56";

/* The second of three executions has NULLs only: they must not send the last values again, nor
 * stay.
 */
static void insert_types(struct setting *s)
{
	struct sql_param p[NTYPES];
	struct sql_stmt *stmt = prepared(s, types_insert);

	fill_types(p, INT16_MIN, INT32_MIN, INT64_MIN, -1.5, 0.1, "it's \\ \"x\" ?");
	assert_true(bind(stmt, p, NTYPES));
	execute(s, stmt);
	assert_int_equal(s->conn->affected, 1);
	for (unsigned i = 0; i < NTYPES; i++)
		p[i].is_null = 1;
	execute(s, stmt);
	fill_types(p, INT16_MAX, INT32_MAX, INT64_MAX, 0.1, 1e300, "");
	execute(s, stmt);
	sql_stmt_close(stmt);
}

static void all_types_and_nulls_come_back(void **state)
{
	const char *const modes[] = {"--db-ps-mode=auto", "--db-ps-mode=disable"};
	struct setting s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sql_stmt *stmt;

		set_up(&s, ARGS(modes[i]));
		run(&s, types_table);
		insert_types(&s);
		assert_string_equal(ask(&s, types_select), types_rows);
		stmt = prepared(&s, types_select);
		assert_string_equal(execute(&s, stmt), types_rows);
		assert_string_equal(execute(&s, stmt), types_rows);
		sql_stmt_close(stmt);
		tear_down(&s);
	}
}

static void statements_can_be_bound_to_other_types(void **state)
{
	struct sql_param p[1] = {int_param(SQL_TYPE_SMALLINT, 7)};
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	stmt = prepared(&s, "SELECT pg_typeof(?)");
	assert_true(bind(stmt, p, 1));
	assert_string_equal(execute(&s, stmt), "smallint");
	p[0] = int_param(SQL_TYPE_BIGINT, 7);
	assert_true(bind(stmt, p, 1));
	assert_string_equal(execute(&s, stmt), "bigint");
	p[0] = double_param(SQL_TYPE_DOUBLE, 7);
	assert_true(bind(stmt, p, 1));
	assert_string_equal(execute(&s, stmt), "double precision");
	p[0] = text_param(SQL_TYPE_DATE, "2020-01-01");
	assert_true(bind(stmt, p, 1));
	assert_string_equal(execute(&s, stmt), "date");
	sql_stmt_close(stmt);
	tear_down(&s);
}

/* A text of no type of its own fits any column, and finds the index of a char(n) column. */
static void texts_are_taken_for_what_is_wanted(void **state)
{
	struct sql_param p[2] = {text_param(SQL_TYPE_VARCHAR, "ab"),
	                         text_param(SQL_TYPE_VARCHAR, "2024-02-28")};
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, types_table);
	insert_types(&s);
	stmt = prepared(&s, "SELECT count(*) FROM types WHERE ch = ? AND d > ?");
	assert_true(bind(stmt, p, 2));
	assert_string_equal(execute(&s, stmt), "2");
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void numbers_out_of_range_are_refused(void **state)
{
	struct sql_param p[1] = {int_param(SQL_TYPE_INT, INT64_C(2147483648))};
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	stmt = prepared(&s, "SELECT ?");
	assert_true(bind(stmt, p, 1));
	sql_execute(stmt);
	assert_state(s.conn, SQL_FATAL, "22003");
	p[0].i = 5;
	assert_string_equal(execute(&s, stmt), "5");
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void a_megabyte_comes_back(void **state)
{
	const char *const modes[] = {"--db-ps-mode=auto", "--db-ps-mode=disable"};
	enum { LEN = 1 << 20 };
	char *text = malloc(LEN);

	(void)state;
	for (size_t i = 0; i < LEN; i++)
		text[i] = (char)(1 + i % 127);
	for (int mode = 0; mode < 2; mode++) {
		struct sql_param p = {
		    .type = SQL_TYPE_VARCHAR, .buf = text, .len = LEN, .room = LEN};
		struct sql_result *result;
		struct sql_stmt *stmt;
		struct setting s;

		set_up(&s, ARGS(modes[mode]));
		run(&s, "DROP TABLE IF EXISTS big; CREATE TABLE big (t text)");
		stmt = prepared(&s, "INSERT INTO big VALUES (?)");
		assert_true(bind(stmt, &p, 1));
		execute(&s, stmt);
		sql_stmt_close(stmt);
		sql_query(s.conn, "SELECT t FROM big", 17, &result);
		assert_outcome(s.conn, SQL_OK);
		assert_true(sql_fetch(result));
		assert_int_equal(result->values[0].len, LEN);
		assert_memory_equal(result->values[0].text, text, LEN);
		sql_result_free(result);
		tear_down(&s);
	}
	free(text);
}

static void marks_in_quotes_and_comments_stay(void **state)
{
	static const char text[] =
	    "SELECT '?', \"a?\", $$?$$, $x$ ? $$ ? $x$, E'\\'?', /* ? /* ? */ ? */ "
	    "? -- ?\n, ? FROM (SELECT 1 AS \"a?\") t";
	struct sql_param p[2] = {int_param(SQL_TYPE_INT, 10), int_param(SQL_TYPE_INT, 20)};
	const char *const modes[] = {"--db-ps-mode=auto", "--db-ps-mode=disable"};

	(void)state;
	for (int mode = 0; mode < 2; mode++) {
		struct sql_stmt *stmt;
		struct setting s;

		set_up(&s, ARGS(modes[mode]));
		stmt = prepared(&s, text);
		assert_int_equal(stmt->nparams, 2);
		assert_true(bind(stmt, p, 2));
		assert_string_equal(execute(&s, stmt), "?|1|?| ? $$ ? |'?|10|20");
		sql_stmt_close(stmt);
		tear_down(&s);
	}
}

static void literals_are_quoted_as_the_server_reads_them(void **state)
{
	static const char *const texts[] = {
	    "it's", "\\", "\\'", "'; DROP TABLE x; --", "a\nb\tc\r", "\xc3\xa4\xe2\x82\xac",
	    "$$",   "%s", ""};
	const char *const settings[] = {"--pgsql-options=-c standard_conforming_strings=on",
	                                "--pgsql-options=-c standard_conforming_strings=off"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sql_param p[1];
		struct sql_stmt *stmt;
		struct setting s;

		set_up(&s, ARGS("--db-ps-mode=disable", settings[i]));
		stmt = prepared(&s, "SELECT ?");
		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			p[0] = text_param(SQL_TYPE_VARCHAR, texts[k]);
			assert_true(bind(stmt, p, 1));
			assert_string_equal(execute(&s, stmt), texts[k]);
		}
		sql_stmt_close(stmt);
		tear_down(&s);
	}
}

static void nul_bytes_are_refused(void **state)
{
	const char *const modes[] = {"--db-ps-mode=auto", "--db-ps-mode=disable"};
	char text[] = "a\0b";
	struct sql_param p = {.type = SQL_TYPE_VARCHAR, .buf = text, .len = 3, .room = 4};
	struct sql_result *result;

	(void)state;
	for (int mode = 0; mode < 2; mode++) {
		struct sql_stmt *stmt;
		struct setting s;

		set_up(&s, ARGS(modes[mode]));
		stmt = prepared(&s, "SELECT ?");
		assert_true(bind(stmt, &p, 1));
		sql_execute(stmt);
		assert_state(s.conn, SQL_FATAL, "22021");
		sql_query(s.conn, "SELECT 1\0", 9, &result);
		assert_state(s.conn, SQL_FATAL, "22021");
		assert_string_equal(ask(&s, "SELECT 1"), "1");
		sql_stmt_close(stmt);
		tear_down(&s);
	}
}

static void long_texts_are_cut_to_their_type(void **state)
{
	struct sql_param p = text_param(SQL_TYPE_CHAR, "abc\xc3\xa4");
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	stmt = prepared(&s, "SELECT ?");
	p.max = 4; /* in the middle of a character */
	assert_true(bind(stmt, &p, 1));
	assert_string_equal(execute(&s, stmt), "abc");
	sql_stmt_close(stmt);
	tear_down(&s);
}

static void several_results_come_one_by_one(void **state)
{
	struct sql_result *result;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	sql_query(s.conn, "SELECT 1; INSERT INTO t VALUES (1), (2); SELECT 2, 3", 53 - 1, &result);
	assert_outcome(s.conn, SQL_OK);
	assert_string_equal(show(&s, result), "1");
	sql_result_free(result);
	assert_true(s.conn->more);
	sql_next_result(s.conn, &result);
	assert_null(result);
	assert_int_equal(s.conn->affected, 2);
	assert_true(s.conn->more);
	sql_next_result(s.conn, &result);
	assert_string_equal(show(&s, result), "2|3");
	sql_result_free(result);
	assert_false(s.conn->more);
	/* Left where they are, they do not meet the next statement. */
	sql_query(s.conn, "SELECT 1; SELECT 2", 18, &result);
	sql_result_free(result);
	assert_string_equal(ask(&s, "SELECT 3"), "3");
	assert_false(s.conn->more);
	/* A failure anywhere is one of the text. */
	assert_int_equal(outcome_of(s.conn, "SELECT 1; SELECT 1/0; SELECT 2"), SQL_FATAL);
	assert_string_equal(s.conn->error.state, "22012");
	assert_false(s.conn->more);
	tear_down(&s);
}

static void rows_and_warnings_are_counted(void **state)
{
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s,
	    "DROP TABLE IF EXISTS t; CREATE TABLE t (i int); INSERT INTO t VALUES (1), (2), (3)");
	run(&s, "UPDATE t SET i = i + 1 WHERE i > 1");
	assert_int_equal(s.conn->affected, 2);
	assert_int_equal(s.conn->warnings, 0);
	stmt = prepared(&s, "DELETE FROM t");
	execute(&s, stmt);
	assert_int_equal(s.conn->affected, 3);
	assert_false(stmt->has_rows);
	sql_stmt_close(stmt);
	stmt = prepared(&s, "INSERT INTO t VALUES (8), (9) RETURNING i");
	assert_string_equal(execute(&s, stmt), "8\n9");
	assert_int_equal(s.conn->affected, 2);
	sql_stmt_close(stmt);
	run(&s, "DO $$ BEGIN RAISE WARNING 'a'; RAISE WARNING 'b'; RAISE NOTICE 'c'; END $$");
	assert_int_equal(s.conn->warnings, 2);
	tear_down(&s);
}

static void copy_in_a_text_cannot_hang(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int); INSERT INTO t SELECT "
	        "generate_series(1, 100000)");
	run(&s, "COPY t TO STDOUT");
	assert_int_equal(s.conn->affected, 100000);
	assert_int_equal(outcome_of(s.conn, "COPY t FROM STDIN"), SQL_FATAL);
	assert_string_equal(s.conn->error.state, "57014");
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "100000");
	tear_down(&s);
}

static void closed_statements_leave_the_server(void **state)
{
	struct sql_param p = int_param(SQL_TYPE_INT, 1);
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	for (int i = 0; i < 500; i++) {
		struct sql_stmt *stmt = prepared(&s, "SELECT ?");

		assert_true(bind(stmt, &p, 1));
		execute(&s, stmt);
		sql_stmt_close(stmt);
	}
	assert_true(atoi(ask(&s, "SELECT count(*) FROM pg_prepared_statements")) <= 32);
	tear_down(&s);
}

/* A table that changes under a statement with "*" makes its plan stale. */
static void stale_plans_are_made_anew(void **state)
{
	struct sql_stmt *stmt, *other;
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
	stmt = prepared(&s, "SELECT * FROM t");
	other = prepared(&s, "SELECT *, 5 FROM t");
	assert_string_equal(execute(&s, stmt), "1");
	run(&s, "ALTER TABLE t ADD COLUMN j int DEFAULT 2");
	assert_string_equal(execute(&s, stmt), "1|2");
	assert_string_equal(execute(&s, other), "1|2|5");
	run(&s, "ALTER TABLE t ADD COLUMN k int DEFAULT 3");
	/* In a transaction, which fails by it, the event is to be run again. */
	run(&s, "BEGIN");
	sql_execute(stmt);
	assert_outcome(s.conn, SQL_RETRY);
	assert_true(sql_rollback(s.conn));
	assert_string_equal(execute(&s, stmt), "1|2|3");
	run(&s, "ALTER TABLE t ADD COLUMN l int DEFAULT 4");
	sql_pipeline_begin(s.conn);
	sql_execute(stmt);
	sql_pipeline_end(s.conn);
	assert_outcome(s.conn, SQL_RETRY);
	assert_string_equal(execute(&s, stmt), "1|2|3|4");
	sql_stmt_close(stmt);
	sql_stmt_close(other);
	tear_down(&s);
}

static void facts_tell_of_durability(void **state)
{
	struct kv facts = KV_INIT;
	struct setting s;
	bool durable;

	(void)state;
	set_up(&s, ARGS());
	sql_facts(s.conn, &facts, &durable);
	assert_outcome(s.conn, SQL_OK);
	assert_string_equal(kv_find(&facts, "engine")->text, "postgresql");
	assert_string_equal(kv_find(&facts, "fsync")->text, "off"); /* of the test's server */
	assert_false(durable);
	assert_non_null(kv_find(&facts, "durability_note"));
	assert_true(kv_find(&facts, "shared_buffers_bytes")->i >= 128 * 1024);
	assert_non_null(kv_find(&facts, "default_transaction_isolation"));
	assert_non_null(kv_find(&facts, "port"));
	kv_fini(&facts);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_types_and_nulls_come_back),
	    cmocka_unit_test(statements_can_be_bound_to_other_types),
	    cmocka_unit_test(texts_are_taken_for_what_is_wanted),
	    cmocka_unit_test(numbers_out_of_range_are_refused),
	    cmocka_unit_test(a_megabyte_comes_back),
	    cmocka_unit_test(marks_in_quotes_and_comments_stay),
	    cmocka_unit_test(literals_are_quoted_as_the_server_reads_them),
	    cmocka_unit_test(nul_bytes_are_refused),
	    cmocka_unit_test(long_texts_are_cut_to_their_type),
	    cmocka_unit_test(several_results_come_one_by_one),
	    cmocka_unit_test(rows_and_warnings_are_counted),
	    cmocka_unit_test(copy_in_a_text_cannot_hang),
	    cmocka_unit_test(closed_statements_leave_the_server),
	    cmocka_unit_test(stale_plans_are_made_anew),
	    cmocka_unit_test(facts_tell_of_durability),
	};

	/* tests/db/pgsql_driver.sh starts a server and runs this again. */
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
