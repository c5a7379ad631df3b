/* SPDX-License-Identifier: MIT */
/* Values, statements and results on a server. */
#include "drv_mysql_fixture.h"

static const char table_sql[] =
    "CREATE TABLE kinds (id INT PRIMARY KEY, ti TINYINT, tu TINYINT UNSIGNED, si SMALLINT, "
    "mi MEDIUMINT, bi BIGINT, bu BIGINT UNSIGNED, f FLOAT, d DOUBLE, f2 FLOAT(7,3), "
    "d2 DOUBLE(12,4), de DECIMAL(30,10), da DATE, tm TIME, t6 TIME(6), dt DATETIME, "
    "d3 DATETIME(3), ts TIMESTAMP NULL, y YEAR, c CHAR(10), vc VARCHAR(300), tx LONGTEXT, "
    "bl LONGBLOB, bt BIT(12), en ENUM('a','bb'), se SET('x','y'), js JSON, z INT(8) ZEROFILL, "
    "zb BIGINT(20) UNSIGNED ZEROFILL, vb VARBINARY(10), bn BINARY(4)) ENGINE=InnoDB "
    "DEFAULT CHARSET=utf8mb4";

static const char *const rows_sql[] = {
    "INSERT INTO kinds VALUES (1, -128, 255, -32768, -8388608, -9223372036854775808, "
    "18446744073709551615, 0.1, 0.1, 123.4567, 12345.67891, "
    "12345678901234567890.0123456789, '2024-02-29', '-838:59:59', '12:34:56.123456', "
    "'2024-02-29 23:59:59', '2024-02-29 23:59:59.123', '2024-02-29 23:59:59', 2024, 'abc', 'v', "
    "REPEAT('t', 1000000), REPEAT(CHAR(0), 70000), b'101010101010', 'bb', 'x,y', '{\"a\": 1}', "
    "42, 42, X'00FF', 'ab')",
    "INSERT INTO kinds (id) VALUES (2)",
    "INSERT INTO kinds VALUES (3, 0, 0, 0, 0, 0, 0, 1e30, 1e300, 0, 0, 0, '0000-00-00', "
    "'00:00:00', '00:00:00.000001', '0000-00-00', '0000-00-00', '0000-00-00', 0, '', '', '', '', "
    "b'0', 'a', '', 'null', 0, 0, '', '')",
    "INSERT INTO kinds VALUES (4, 1, 1, 1, 1, 1, 1, 1.17549e-38, 2.2250738585072014e-308, -1.5, "
    "-1.5, -0.5, '9999-12-31', '838:59:59', '-00:00:01.5', '9999-12-31', '1000-01-01 00:00:00.5', "
    "'1970-01-02 00:00:01', 1901, '\u00fc\u20ac', '\U0001f600', '\u00fc', '\u00fc', b'1', 'a', "
    "'x', '[]', 123456789, 1, 'a', 'a')",
    "INSERT INTO kinds (id, f, d) VALUES (5, 16777216, 123456789012345680), "
    "(6, 3.4e38, 1.7976931348623157e308), (7, 1234567.8, 0.30000000000000004), "
    "(8, 1e-5, 1e-5), (9, 1e15, 1e15), (10, 1e16, 1e22), (11, -0.0, -0.0)",
};

static void make_kinds(struct sql_conn *conn)
{
	run(conn, "DROP TABLE IF EXISTS kinds");
	run(conn, table_sql);
	run(conn, "SET sql_mode = ''");
	for (size_t i = 0; i < sizeof(rows_sql) / sizeof(rows_sql[0]); i++)
		run(conn, rows_sql[i]);
}

/* Row by row; the first may be of another connection. */
static void assert_same_rows(struct sql_result *a, struct sql_result *b)
{
	bool more = true;

	assert_int_equal(a->nfields, b->nfields);
	assert_int_equal(a->nrows, b->nrows);
	for (unsigned row = 0; more; row++) {
		more = sql_fetch(a);
		assert_int_equal(more, sql_fetch(b));
		for (unsigned i = 0; more && i < a->nfields; i++) {
			const struct sql_value *x = &a->values[i], *y = &b->values[i];

			if ((x->text == NULL) != (y->text == NULL) || x->len != y->len ||
			    (x->text != NULL && memcmp(x->text, y->text, x->len) != 0))
				fail_msg("row %u, column %u: '%.60s' and '%.60s'", row, i,
				         x->text != NULL ? x->text : "(null)",
				         y->text != NULL ? y->text : "(null)");
		}
	}
}

static void text_and_prepared_give_the_same(void **state)
{
	static const char *const texts[] = {
	    "SELECT * FROM kinds ORDER BY id",
	    "SELECT f*1, d+0, f/3, d/3, de/3, ti/7, AVG(ti), SUM(bi), COUNT(*), MAX(dt), MIN(tm), "
	    "NULL, 1.5, 1.5e0, 'x', TRUE, bt+0, POINT(1,2), CAST(-1 AS UNSIGNED), "
	    "DATE('2024-01-01'), "
	    "TIME('1:2:3.45'), SEC_TO_TIME(-3600) FROM kinds GROUP BY id ORDER BY id",
	    "SELECT id FROM kinds WHERE id < 0",
	};
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	make_kinds(db.conn);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sql_stmt *stmt = prepared(db.conn, texts[i]);

		for (int round = 0; round < 2; round++) {
			struct sql_result *text = rows_of(db.conn, texts[i]);

			executed(stmt);
			assert_true(stmt->has_rows);
			assert_same_rows(text, stmt->result);
			sql_result_free(text);
		}
		sql_stmt_close(stmt);
	}
	run(db.conn, "DROP TABLE kinds");
	db_close(&db);
}

/* Stores `params` by a prepared INSERT and compares columns 1 to n of the row. */
static void round_trip(struct db *db, struct sql_param *params, unsigned n, const char *const *want,
                       const size_t *lens)
{
	struct sql_stmt *insert = prepared(db->conn, "INSERT INTO trip VALUES (?, ?, ?, ?)");
	struct sql_stmt *select = prepared(db->conn, "SELECT i, d, t, b FROM trip");
	struct sql_param *list[4];

	for (unsigned i = 0; i < n; i++)
		list[i] = &params[i];
	assert_int_equal(sql_bind(insert, list, n), 0);
	executed(insert);
	assert_int_equal(db->conn->affected, 1);
	executed(select);
	assert_int_equal(select->result->nrows, 1);
	assert_true(sql_fetch(select->result));
	for (unsigned i = 0; i < n; i++) {
		const struct sql_value *v = &select->result->values[i];

		if (want[i] == NULL) {
			assert_null(v->text);
			continue;
		}
		assert_int_equal(v->len, lens != NULL ? lens[i] : strlen(want[i]));
		assert_memory_equal(v->text, want[i], v->len);
	}
	assert_false(sql_fetch(select->result));
	sql_stmt_close(insert);
	sql_stmt_close(select);
	run(db->conn, "DELETE FROM trip");
}

static void make_trip(struct db *db)
{
	run(db->conn, "DROP TABLE IF EXISTS trip");
	run(db->conn, "CREATE TABLE trip (i BIGINT, d DOUBLE, t LONGTEXT, b LONGBLOB) "
	              "DEFAULT CHARSET=utf8mb4");
}

static void trip_values(struct db *db)
{
	char quotes[] = "it's \"quoted\" \\ back";
	char binary[] = "\0\1\n\r\32'\\";
	struct sql_param p[4] = {int_param(INT64_MIN),
	                         {.type = SQL_TYPE_DOUBLE, .d = 0.1},
	                         text_param(quotes, sizeof(quotes) - 1),
	                         text_param(binary, sizeof(binary) - 1)};

	round_trip(db, p, 4, ARGS("-9223372036854775808", "0.1", quotes, binary),
	           (const size_t[]){20, 3, sizeof(quotes) - 1, sizeof(binary) - 1});
	for (int i = 0; i < 4; i++)
		p[i].is_null = 1;
	round_trip(db, p, 4, (const char *const[]){NULL, NULL, NULL, NULL}, NULL);
	p[0] = (struct sql_param){.type = SQL_TYPE_TINYINT, .i = INT64_MAX};
	p[1] = (struct sql_param){.type = SQL_TYPE_FLOAT, .d = 1e300};
	p[2] = text_param(NULL, 0);
	p[3] = (struct sql_param){.type = SQL_TYPE_NONE};
	round_trip(db, p, 4, (const char *const[]){"9223372036854775807", "1e300", "", NULL},
	           (const size_t[]){19, 5, 0, 0});
	p[2] = text_param(quotes, sizeof(quotes) - 1);
	p[2].max = 4;
	p[3] = (struct sql_param){.type = SQL_TYPE_DATE, .buf = (char[]){"2024-02-29"}, .len = 10};
	round_trip(db, p, 4, ARGS("9223372036854775807", "1e300", "it's", "2024-02-29"), NULL);
}

static void parameters_go_round(void **state)
{
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	make_trip(&db);
	trip_values(&db);
	db_close(&db);
	db_open(&db, ARGS("--db-ps-mode=disable"));
	trip_values(&db);
	run(db.conn, "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'");
	trip_values(&db);
	run(db.conn, "DROP TABLE trip");
	db_close(&db);
}

static void a_megabyte_goes_round(void **state)
{
	enum { LEN = 1 << 20 };
	char *big = malloc(LEN);
	struct db db;

	(void)state;
	for (int i = 0; i < LEN; i++)
		big[i] = (char)('a' + i % 23);
	for (int disabled = 0; disabled <= 1; disabled++) {
		struct sql_param p[4] = {int_param(1), int_param(2), text_param(big, LEN),
		                         text_param(big, LEN)};

		db_open(&db, ARGS(disabled ? "--db-ps-mode=disable" : "--db-ps-mode=auto"));
		make_trip(&db);
		round_trip(&db, p, 4, ARGS("1", "2", big, big), (const size_t[]){1, 1, LEN, LEN});
		db_close(&db);
	}
	free(big);
}

/* Between executions a parameter may be NULL or not, and its text may move and grow. */
static void parameters_may_move(void **state)
{
	char first[] = "one", second[] = "the second";
	struct sql_param p = text_param(first, 3), other = int_param(7);
	struct sql_param *list[1] = {&p};
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	stmt = prepared(db.conn, "SELECT ?");
	assert_int_equal(sql_bind(stmt, list, 1), 0);
	for (int i = 0; i < 6; i++) {
		static const char *const want[] = {"one", NULL, "the second", "", "on", "7"};

		if (i == 2)
			p = text_param(second, sizeof(second) - 1);
		else if (i == 3)
			p = text_param(NULL, 0);
		else if (i == 4)
			p = text_param(first, 2);
		else if (i == 5)
			p = other;
		p.is_null = i == 1;
		executed(stmt);
		assert_true(sql_fetch(stmt->result));
		if (want[i] == NULL) {
			assert_null(stmt->result->values[0].text);
			continue;
		}
		assert_int_equal(stmt->result->values[0].len, strlen(want[i]));
		assert_memory_equal(stmt->result->values[0].text, want[i], strlen(want[i]));
	}
	sql_stmt_close(stmt);
	db_close(&db);
}

static void rows_affected_and_warnings(void **state)
{
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	run(db.conn, "CREATE OR REPLACE TABLE few (id INT PRIMARY KEY, v INT)");
	run(db.conn, "INSERT INTO few VALUES (1, 1), (2, 2), (3, 3)");
	assert_int_equal(db.conn->affected, 3);
	run(db.conn, "UPDATE few SET v = 9 WHERE id > 1");
	assert_int_equal(db.conn->affected, 2);
	stmt = prepared(db.conn, "UPDATE few SET v = 8 WHERE id < 3");
	executed(stmt);
	assert_int_equal(db.conn->affected, 2);
	assert_int_equal(db.conn->warnings, 0);
	executed(stmt); /* as they are already */
	assert_int_equal(db.conn->affected, 0);
	sql_stmt_close(stmt);
	run(db.conn, "DROP TABLE IF EXISTS not_there");
	assert_int_equal(db.conn->warnings, 1);
	stmt = prepared(db.conn, "SELECT 1/0");
	executed(stmt);
	assert_int_equal(db.conn->warnings, 1);
	sql_stmt_close(stmt);
	run(db.conn, "SELECT 1");
	assert_int_equal(db.conn->warnings, 0);
	run(db.conn, "DROP TABLE few");
	db_close(&db);
}

static void next_value(struct sql_conn *conn, const char *want)
{
	struct sql_result *result;

	assert_true(conn->more);
	sql_next_result(conn, &result);
	assert_int_equal(conn->error.outcome, SQL_OK);
	if (want == NULL) {
		assert_null(result);
		return;
	}
	assert_non_null(result);
	assert_int_equal(result->nrows, 1);
	assert_true(sql_fetch(result));
	assert_string_equal(result->values[0].text, want);
	assert_false(sql_fetch(result));
	sql_result_free(result);
}

static void several_results(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	run(db.conn, "DROP PROCEDURE IF EXISTS three");
	run(db.conn, "CREATE PROCEDURE three() BEGIN SELECT 'a'; SELECT REPEAT('b', 300), 2; "
	             "SELECT 'c'; END");
	result = rows_of(db.conn, "CALL three()");
	assert_true(sql_fetch(result));
	assert_string_equal(result->values[0].text, "a");
	sql_result_free(result);
	sql_next_result(db.conn, &result);
	assert_int_equal(result->nfields, 2);
	sql_result_free(result);
	next_value(db.conn, "c");
	next_value(db.conn, NULL); /* what CALL itself did */
	assert_false(db.conn->more);

	stmt = prepared(db.conn, "CALL three()");
	for (int round = 0; round < 3; round++) {
		executed(stmt);
		assert_true(stmt->has_rows);
		if (round == 0) {
			assert_true(sql_fetch(stmt->result));
			assert_memory_equal(stmt->result->values[0].text, "a", 1);
		}
		assert_true(db.conn->more);
		if (round == 2)
			break; /* closed with results that wait */
		sql_next_result(db.conn, &result);
		assert_int_equal(result->nfields, 2);
		assert_false(sql_fetch(stmt->result)); /* the statement's own are gone */
		assert_true(sql_fetch(result));
		assert_int_equal(result->values[0].len, 300);
		assert_string_equal(result->values[1].text, "2");
		sql_result_free(result);
		if (round == 1)
			continue; /* the next execution passes over the rest */
		next_value(db.conn, "c");
		next_value(db.conn, NULL);
		assert_false(db.conn->more);
	}
	sql_stmt_close(stmt);
	assert_value(db.conn, "SELECT 5", "5");
	/* Results that nobody reads do not stand in the way, an error among them does not pass. */
	run(db.conn, "SELECT 1; SELECT 2; SELECT 3");
	assert_value(db.conn, "SELECT 6", "6");
	run(db.conn, "SELECT 1; SELECT nonsense");
	refused(db.conn, "SELECT 7", SQL_FATAL, 1054);
	assert_value(db.conn, "SELECT 8", "8");
	run(db.conn, "DROP PROCEDURE three");
	db_close(&db);
}

static void transactions_are_seen(void **state)
{
	struct sql_stmt *begin, *commit;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	begin = prepared(db.conn, "BEGIN");
	commit = prepared(db.conn, "COMMIT");
	for (int i = 0; i < 2; i++) {
		assert_false(sql_in_transaction(db.conn));
		executed(begin);
		assert_true(sql_in_transaction(db.conn));
		executed(commit);
	}
	run(db.conn, "BEGIN");
	assert_true(sql_in_transaction(db.conn));
	assert_true(sql_rollback(db.conn));
	assert_false(sql_in_transaction(db.conn));
	sql_stmt_close(begin);
	sql_stmt_close(commit);
	db_close(&db);
}

static void many_rows_and_columns(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct sql_stmt *stmt;
	struct db db;
	unsigned rows;

	(void)state;
	db_open(&db, ARGS());
	stmt = prepared(db.conn, "SELECT seq, REPEAT('x', seq MOD 2000) FROM seq_1_to_5000");
	for (int round = 0; round < 2; round++) {
		executed(stmt);
		for (rows = 0; sql_fetch(stmt->result); rows++)
			assert_int_equal(stmt->result->values[1].len, (rows + 1) % 2000);
		assert_int_equal(rows, 5000);
	}
	sql_stmt_close(stmt);
	strbuf_adds(&sb, "SELECT 0");
	for (int i = 1; i < 1000; i++)
		strbuf_addf(&sb, ", %d", i);
	stmt = prepared(db.conn, strbuf_str(&sb));
	executed(stmt);
	assert_int_equal(stmt->result->nfields, 1000);
	assert_true(sql_fetch(stmt->result));
	assert_memory_equal(stmt->result->values[999].text, "999", 3);
	sql_stmt_close(stmt);
	strbuf_fini(&sb);
	db_close(&db);
}

/* A table that changes between executions gives other columns. */
static void columns_may_change(void **state)
{
	struct sql_stmt *stmt;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	run(db.conn, "CREATE OR REPLACE TABLE shape (a INT)");
	run(db.conn, "INSERT INTO shape VALUES (1)");
	stmt = prepared(db.conn, "SELECT * FROM shape");
	executed(stmt);
	assert_true(sql_fetch(stmt->result));
	run(db.conn, "ALTER TABLE shape ADD b VARCHAR(10) DEFAULT 'new', ADD c INT");
	executed(stmt);
	assert_int_equal(stmt->result->nfields, 3);
	assert_true(sql_fetch(stmt->result));
	assert_memory_equal(stmt->result->values[1].text, "new", 3);
	assert_null(stmt->result->values[2].text);
	sql_stmt_close(stmt);
	run(db.conn, "DROP TABLE shape");
	db_close(&db);
}

static void facts_tell_durability(void **state)
{
	struct kv facts = KV_INIT;
	bool durable = false;
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	sql_facts(db.conn, &facts, &durable);
	assert_true(durable);
	assert_string_equal(kv_find(&facts, "engine")->text, "mysql");
	assert_int_equal(kv_find(&facts, "innodb_flush_log_at_trx_commit")->i, 1);
	assert_non_null(kv_find(&facts, "version"));
	assert_non_null(kv_find(&facts, "vendor"));
	assert_non_null(kv_find(&facts, "data_directory"));
	assert_non_null(kv_find(&facts, "transaction_isolation"));
	assert_true(kv_find(&facts, "innodb_buffer_pool_size_bytes")->i >= 5 << 20);
	assert_string_equal(kv_find(&facts, "tls_cipher")->text, "none");
	assert_null(kv_find(&facts, "durability_note"));
	kv_fini(&facts);
	db_close(&db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_and_prepared_give_the_same),
	    cmocka_unit_test(parameters_go_round),
	    cmocka_unit_test(a_megabyte_goes_round),
	    cmocka_unit_test(parameters_may_move),
	    cmocka_unit_test(rows_affected_and_warnings),
	    cmocka_unit_test(several_results),
	    cmocka_unit_test(transactions_are_seen),
	    cmocka_unit_test(many_rows_and_columns),
	    cmocka_unit_test(columns_may_change),
	    cmocka_unit_test(facts_tell_durability),
	};

	return have_server() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
