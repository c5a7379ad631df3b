/* SPDX-License-Identifier: MIT */
/* Bulk loads on a server: by LOAD DATA, by arrays of rows, by INSERTs. */
#include "drv_mysql_fixture.h"

static const char *const columns[] = {"id", "n", "d", "t", "b"};

static void make_table(struct sql_conn *conn)
{
	run(conn, "CREATE OR REPLACE TABLE bulk (id BIGINT PRIMARY KEY, n BIGINT, d DOUBLE, "
	          "t LONGTEXT, b LONGBLOB, extra INT DEFAULT 5) DEFAULT CHARSET=utf8mb4");
}

static struct bulk_table table_of(bool fresh)
{
	return (struct bulk_table){
	    .name = "bulk", .columns = columns, .ncolumns = 5, .fresh = fresh};
}

static void assert_ok(struct sql_conn *conn)
{
	assert_string_equal(conn->error.text, "");
	assert_int_equal(conn->error.outcome, SQL_OK);
}

static void row(struct sql_conn *conn, int64_t id, const struct bulk_value *rest)
{
	struct bulk_value values[5] = {{.kind = BULK_INT, .i = id}};

	memcpy(values + 1, rest, 4 * sizeof(*rest));
	sql_bulk_row(conn, values);
}

#define TEXT(s)                                                                                    \
	{                                                                                          \
		.kind = BULK_TEXT, .text = (s), .len = sizeof(s) - 1                               \
	}

static const struct bulk_value plain[4] = {
    {.kind = BULK_INT, .i = 1}, {.kind = BULK_DOUBLE, .d = 1.5}, TEXT("t"), TEXT("b")};

static void odd_rows(struct sql_conn *conn)
{
	static const char bytes[] = "\0\1\t\n\r\\N\x1a'\"\\\\\t\t\n";
	const struct bulk_value odd[][4] = {
	    {{.kind = BULK_INT, .i = INT64_MIN},
	     {.kind = BULK_DOUBLE, .d = 0.1},
	     TEXT(bytes),
	     TEXT(bytes)},
	    {{.kind = BULK_NULL}, {.kind = BULK_NULL}, {.kind = BULK_NULL}, {.kind = BULK_NULL}},
	    {{.kind = BULK_INT, .i = INT64_MAX},
	     {.kind = BULK_INT, .i = 7}, /* another kind in the same column */
	     TEXT(""),
	     TEXT("\\N")},
	    {{.kind = BULK_TEXT, .text = "42", .len = 2},
	     {.kind = BULK_DOUBLE, .d = __builtin_inf()},
	     TEXT("\xc3\xbc\xf0\x9f\x98\x80"),
	     TEXT("\xff\xfe\x00")},
	    {{.kind = BULK_INT, .i = 0},
	     {.kind = BULK_DOUBLE, .d = 1.7976931348623157e308},
	     TEXT("NULL"),
	     TEXT("\t")},
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		row(conn, (int64_t)i, odd[i]);
		assert_ok(conn);
	}
}

static void load_odd(struct db *db)
{
	const struct bulk_table table = table_of(true);

	make_table(db->conn);
	sql_bulk_begin(db->conn, &table);
	assert_ok(db->conn);
	odd_rows(db->conn);
	sql_bulk_end(db->conn, true);
	assert_ok(db->conn);
	assert_false(sql_in_transaction(db->conn));
	assert_value(db->conn, "SELECT COUNT(*) FROM bulk WHERE extra = 5", "5");
	assert_value(db->conn,
	             "SELECT CONCAT(n, ' ', d, ' ', HEX(t), ' ', HEX(b)) FROM bulk WHERE id = 0",
	             "-9223372036854775808 0.1 0001090A0D5C4E1A27225C5C09090A "
	             "0001090A0D5C4E1A27225C5C09090A");
	assert_value(db->conn,
	             "SELECT COUNT(*) FROM bulk WHERE id = 1 AND n IS NULL AND d IS NULL "
	             "AND t IS NULL AND b IS NULL",
	             "1");
	assert_value(db->conn,
	             "SELECT CONCAT(n, ' ', d, ' ', t = '', ' ', HEX(b)) FROM bulk WHERE id = 2",
	             "9223372036854775807 7 1 5C4E");
	assert_value(
	    db->conn,
	    "SELECT CONCAT(n, ' ', d IS NULL, ' ', HEX(t), ' ', HEX(b)) FROM bulk WHERE id = 3",
	    "42 1 C3BCF09F9880 FFFE00");
	assert_value(db->conn,
	             "SELECT CONCAT(n, d = 1.7976931348623157e308, t, HEX(b)) FROM bulk "
	             "WHERE id = 4",
	             "01NULL09");
	/* Only the load was spared the checks. */
	assert_value(db->conn, "SELECT @@unique_checks + @@foreign_key_checks", "2");
}

static void every_value_by_every_way(void **state)
{
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	load_odd(&db);
	/* The statement and the marks in it mean the same in every mode. */
	run(db.conn, "SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES'");
	load_odd(&db);
	db_close(&db);
	db_open(&db, ARGS("--mysql-local-infile=off"));
	load_odd(&db);
	db_close(&db);
}

static void a_server_without_local_infile(void **state)
{
	struct db db, root;

	(void)state;
	db_open(&root, ARGS("--mysql-user=root", "--mysql-password="));
	run(root.conn, "SET GLOBAL local_infile = 0");
	db_open(&db, ARGS());
	load_odd(&db);
	db_close(&db);
	run(root.conn, "SET GLOBAL local_infile = 1");
	db_close(&root);
}

/* Refused in the middle, after the server said that it would take it: the chunk comes again. */
static void local_infile_goes_away(void **state)
{
	const struct bulk_table table = table_of(true);
	struct db db, root;

	(void)state;
	db_open(&root, ARGS("--mysql-user=root", "--mysql-password="));
	db_open(&db, ARGS());
	make_table(db.conn);
	sql_bulk_begin(db.conn, &table);
	run(root.conn, "SET GLOBAL local_infile = 0");
	row(db.conn, 1, plain);
	sql_bulk_end(db.conn, true);
	assert_int_equal(db.conn->error.outcome, SQL_RETRY);
	assert_false(sql_in_transaction(db.conn));
	load_odd(&db);
	run(root.conn, "SET GLOBAL local_infile = 1");
	db_close(&db);
	db_close(&root);
}

static void load_many(struct db *db, int64_t rows)
{
	const struct bulk_table table = table_of(false);
	char pad[1000], want[32];
	struct bulk_value rest[4];

	memset(pad, 'p', sizeof(pad));
	memcpy(rest, plain, sizeof(rest));
	rest[2] = (struct bulk_value){.kind = BULK_TEXT, .text = pad, .len = sizeof(pad)};
	make_table(db->conn);
	sql_bulk_begin(db->conn, &table);
	for (int64_t id = 0; id < rows; id++)
		row(db->conn, id, rest);
	sql_bulk_end(db->conn, true);
	assert_ok(db->conn);
	snprintf(want, sizeof(want), "%lld", (long long)rows);
	assert_value(db->conn, "SELECT COUNT(*) FROM bulk WHERE LENGTH(t) = 1000", want);
}

static void more_than_one_statement_takes(void **state)
{
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	load_many(&db, 20000); /* 20 MB */
	db_close(&db);
	db_open(&db, ARGS("--mysql-local-infile=off"));
	load_many(&db, 5000);
	db_close(&db);
}

static void a_long_value(void **state)
{
	enum { LEN = 1 << 20 };
	static const char *const options[] = {"--mysql-local-infile=on",
	                                      "--mysql-local-infile=off"};
	const struct bulk_table table = table_of(false);
	char *big = malloc(LEN);
	struct db db;

	(void)state;
	memset(big, '\t', LEN);
	for (int i = 0; i < 2; i++) {
		struct bulk_value rest[4];

		memcpy(rest, plain, sizeof(rest));
		rest[3] = (struct bulk_value){.kind = BULK_TEXT, .text = big, .len = LEN};
		db_open(&db, ARGS(options[i]));
		make_table(db.conn);
		sql_bulk_begin(db.conn, &table);
		row(db.conn, 1, plain);
		row(db.conn, 2, rest);
		row(db.conn, 3, plain);
		sql_bulk_end(db.conn, true);
		assert_ok(db.conn);
		assert_value(db.conn, "SELECT SUM(LENGTH(b)) FROM bulk", "1048578");
		db_close(&db);
	}
	free(big);
}

/* What LOAD DATA would only warn about is an error, and nothing of the chunk stays. */
static void refused_rows_fail_the_load(void **state)
{
	static const char *const options[] = {"--mysql-local-infile=on",
	                                      "--mysql-local-infile=off"};
	const struct bulk_table table = table_of(false);
	const struct bulk_value wrong[4] = {
	    TEXT("no number"), {.kind = BULK_NULL}, TEXT("t"), TEXT("b")};
	struct db db;

	(void)state;
	for (int i = 0; i < 2; i++) {
		db_open(&db, ARGS(options[i]));
		make_table(db.conn);
		run(db.conn, "INSERT INTO bulk (id) VALUES (7)");
		for (int bad = 0; bad < 2; bad++) {
			sql_bulk_begin(db.conn, &table);
			row(db.conn, 1, plain);
			if (bad == 0)
				row(db.conn, 7, plain);
			else
				row(db.conn, 2, wrong);
			row(db.conn, 3, plain);
			sql_bulk_end(db.conn, true);
			assert_int_equal(db.conn->error.outcome, SQL_FATAL);
			assert_int_equal(db.conn->error.code, bad == 0 ? 1062 : 1366);
			assert_true(db.conn->connected);
			assert_false(sql_in_transaction(db.conn));
			assert_value(db.conn, "SELECT SUM(id) FROM bulk", "7");
		}
		db_close(&db);
	}
}

static void a_load_can_be_dropped(void **state)
{
	static const char *const options[] = {"--mysql-local-infile=on",
	                                      "--mysql-local-infile=off"};
	const struct bulk_table table = table_of(true);
	struct bulk_table missing = table_of(true);
	struct db db;

	(void)state;
	for (int i = 0; i < 2; i++) {
		db_open(&db, ARGS(options[i]));
		make_table(db.conn);
		sql_bulk_begin(db.conn, &table);
		for (int64_t id = 0; id < 3000; id++)
			row(db.conn, id, plain);
		sql_bulk_end(db.conn, false);
		assert_ok(db.conn);
		assert_value(db.conn, "SELECT COUNT(*) FROM bulk", "0");
		missing.name = "not`there";
		sql_bulk_begin(db.conn, &missing);
		if (db.conn->error.outcome == SQL_OK) {
			row(db.conn, 1, plain);
			sql_bulk_end(db.conn, true);
		}
		assert_int_equal(db.conn->error.outcome, SQL_FATAL);
		assert_int_equal(db.conn->error.code, 1146);
		sql_bulk_row(db.conn, plain);
		assert_int_equal(db.conn->error.outcome, SQL_FATAL);
		assert_value(db.conn, "SELECT @@unique_checks + @@foreign_key_checks", "2");
		db_close(&db);
	}
}

static void a_load_loses_its_server(void **state)
{
	static const char *const options[] = {"--mysql-local-infile=on",
	                                      "--mysql-local-infile=off"};
	const struct bulk_table table = table_of(true);
	char id[32], text[64];
	struct db db, root;

	(void)state;
	db_open(&root, ARGS("--mysql-user=root", "--mysql-password="));
	for (int i = 0; i < 2; i++) {
		db_open(&db, ARGS(options[i]));
		make_table(db.conn);
		value_of(db.conn, "SELECT CONNECTION_ID()", id, sizeof(id));
		sql_bulk_begin(db.conn, &table);
		row(db.conn, 1, plain);
		snprintf(text, sizeof(text), "KILL %s", id);
		run(root.conn, text);
		sql_bulk_end(db.conn, true);
		assert_true(db.conn->error.outcome == SQL_LOST ||
		            db.conn->error.outcome == SQL_UNKNOWN);
		assert_false(db.conn->connected);
		sql_bulk_row(db.conn, plain);
		assert_int_equal(db.conn->error.outcome, SQL_LOST);
		sql_connect(db.conn);
		load_odd(&db);
		db_close(&db);
	}
	db_close(&root);
}

/* Inside of a transaction of the caller's, its end is the caller's. */
static void a_load_in_a_transaction(void **state)
{
	const struct bulk_table table = table_of(false);
	struct db db;

	(void)state;
	db_open(&db, ARGS());
	make_table(db.conn);
	run(db.conn, "BEGIN");
	sql_bulk_begin(db.conn, &table);
	row(db.conn, 1, plain);
	sql_bulk_end(db.conn, true);
	assert_ok(db.conn);
	assert_true(sql_in_transaction(db.conn));
	run(db.conn, "ROLLBACK");
	assert_value(db.conn, "SELECT COUNT(*) FROM bulk", "0");
	run(db.conn, "DROP TABLE bulk");
	db_close(&db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_value_by_every_way),
	    cmocka_unit_test(a_server_without_local_infile),
	    cmocka_unit_test(local_infile_goes_away),
	    cmocka_unit_test(more_than_one_statement_takes),
	    cmocka_unit_test(a_long_value),
	    cmocka_unit_test(refused_rows_fail_the_load),
	    cmocka_unit_test(a_load_can_be_dropped),
	    cmocka_unit_test(a_load_loses_its_server),
	    cmocka_unit_test(a_load_in_a_transaction),
	};

	return have_server() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
