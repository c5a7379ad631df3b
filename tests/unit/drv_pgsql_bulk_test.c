/* SPDX-License-Identifier: MIT */
/* Loads through the PostgreSQL driver, on a real server. */
#ifdef HAVE_PGSQL

#include "pgsql_fixture.h"

static struct bulk_value null_value(void)
{
	return (struct bulk_value){.kind = BULK_NULL};
}

static struct bulk_value int_value(int64_t i)
{
	return (struct bulk_value){.kind = BULK_INT, .i = i};
}

static struct bulk_value double_value(double d)
{
	return (struct bulk_value){.kind = BULK_DOUBLE, .d = d};
}

static struct bulk_value text_value(const char *text)
{
	return (struct bulk_value){.kind = BULK_TEXT, .text = text, .len = strlen(text)};
}

static void begin(struct setting *s, const char *name, const char *const *columns, bool whole)
{
	struct bulk_table table = {.name = name, .columns = columns, .fresh = true, .whole = whole};

	while (columns[table.ncolumns] != NULL)
		table.ncolumns++;
	sql_bulk_begin(s->conn, &table);
	assert_outcome(s->conn, SQL_OK);
}

static void row(struct setting *s, const struct bulk_value *values)
{
	sql_bulk_row(s->conn, values);
	assert_outcome(s->conn, SQL_OK);
}

static void end(struct setting *s, bool commit)
{
	sql_bulk_end(s->conn, commit);
	assert_outcome(s->conn, SQL_OK);
}

static const char *const all_columns[] = {"i2", "i4", "i8", "f4", "f8", "t", "vc", "ch", NULL};

static void every_type_is_loaded_in_binary(void **state)
{
	const struct bulk_value rows[][8] = {
	    {int_value(INT16_MIN), int_value(INT32_MIN), int_value(INT64_MIN), double_value(-1.5),
	     double_value(0.1), text_value("a\tb\\N"), text_value(""), text_value("ab")},
	    {null_value(), null_value(), null_value(), null_value(), null_value(), null_value(),
	     null_value(), null_value()},
	    {int_value(INT16_MAX), int_value(INT32_MAX), int_value(INT64_MAX), int_value(3),
	     double_value(1e300), int_value(-77), double_value(0.5), text_value("abcde")},
	};
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s,
	    "DROP TABLE IF EXISTS t; CREATE TABLE t (n serial, i2 smallint, i4 int, i8 bigint, f4 "
	    "real, f8 double precision, t text, vc varchar(9), ch char(5))");
	begin(&s, "t", all_columns, false);
	for (size_t i = 0; i < 3; i++)
		row(&s, rows[i]);
	end(&s, true);
	assert_int_equal(s.conn->affected, 3);
	assert_string_equal(ask(&s, "SELECT i2, i4, i8, f4, f8, t, vc, ch FROM t ORDER BY n"),
	                    "-32768|-2147483648|-9223372036854775808|-1.5|0.1|a\tb\\N||ab   \n"
	                    "~|~|~|~|~|~|~|~\n"
	                    "32767|2147483647|9223372036854775807|3|1e+300|-77|0.5|abcde");
	tear_down(&s);
}

static void other_types_are_loaded_as_text(void **state)
{
	const char *const columns[] = {"n", "d", "num", "t", NULL};
	const struct bulk_value rows[][4] = {
	    {int_value(1), text_value("2024-02-29"), double_value(0.1),
	     text_value("a\tb\nc\r\\d\\N")},
	    {int_value(2), null_value(), int_value(INT64_MIN), text_value("\\.")},
	    {int_value(3), null_value(), text_value("1.50"), null_value()},
	};
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (n int, d date, num numeric, t text)");
	begin(&s, "t", columns, false);
	for (size_t i = 0; i < 3; i++)
		row(&s, rows[i]);
	end(&s, true);
	assert_string_equal(ask(&s, "SELECT d, num, t FROM t ORDER BY n"),
	                    "2024-02-29|0.10000000000000001|a\tb\nc\r\\d\\N\n"
	                    "~|-9223372036854775808|\\.\n~|1.50|~");
	tear_down(&s);
}

static void many_rows_arrive(void **state)
{
	const char *const columns[] = {"i", "t", NULL};
	char text[1000];
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int, t text)");
	memset(text, 'x', sizeof(text));
	for (int load = 0; load < 2; load++) {
		begin(&s, "t", columns, false);
		for (int i = 0; i < 5000; i++) {
			const struct bulk_value values[] = {
			    int_value(i),
			    {.kind = BULK_TEXT, .text = text, .len = (size_t)i % 1000}};

			row(&s, values);
		}
		end(&s, true);
		assert_int_equal(s.conn->affected, 5000);
	}
	assert_string_equal(ask(&s, "SELECT count(*), sum(i), sum(length(t)) FROM t"),
	                    "10000|24995000|4995000");
	tear_down(&s);
}

static void loads_can_be_given_up(void **state)
{
	const char *const columns[] = {"i", NULL};
	const struct bulk_value value = int_value(1);
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	begin(&s, "t", columns, false);
	row(&s, &value);
	end(&s, false);
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	begin(&s, "t", columns, false);
	end(&s, true);
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	tear_down(&s);
}

static void failures_show_at_the_end(void **state)
{
	const char *const columns[] = {"i", NULL};
	const struct bulk_value value = int_value(1), large = int_value(INT64_MAX),
	                        text = text_value("x");
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int PRIMARY KEY)");
	begin(&s, "t", columns, false);
	row(&s, &value);
	row(&s, &value);
	sql_bulk_end(s.conn, true);
	assert_state(s.conn, SQL_FATAL, "23505");
	/* What the client sees itself fails at once; the load ends by giving up. */
	begin(&s, "t", columns, false);
	sql_bulk_row(s.conn, &large);
	assert_state(s.conn, SQL_FATAL, "22003");
	end(&s, false);
	begin(&s, "t", columns, false);
	sql_bulk_row(s.conn, &text);
	assert_state(s.conn, SQL_FATAL, "42804");
	end(&s, false);
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	sql_bulk_row(s.conn, &value);
	assert_outcome(s.conn, SQL_FATAL);
	sql_bulk_end(s.conn, true);
	assert_outcome(s.conn, SQL_FATAL);
	/* Types are asked for again when the table was made anew. */
	run(&s, "DROP TABLE t; CREATE TABLE t (i text)");
	begin(&s, "t", columns, false);
	row(&s, &text);
	end(&s, true);
	run(&s, "DROP TABLE t; CREATE TABLE t (i bigint)");
	begin(&s, "t", columns, false);
	row(&s, &large);
	sql_bulk_end(s.conn, true);
	assert_outcome(s.conn, SQL_FATAL);
	begin(&s, "t", columns, false);
	row(&s, &large);
	end(&s, true);
	assert_string_equal(ask(&s, "SELECT * FROM t"), "9223372036854775807");
	tear_down(&s);
}

static void missing_tables_are_named(void **state)
{
	const char *const columns[] = {"i"};
	const struct bulk_table table = {
	    .name = "no_such_table", .columns = columns, .ncolumns = 1};
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	sql_bulk_begin(s.conn, &table);
	assert_state(s.conn, SQL_FATAL, "42P01");
	assert_string_equal(ask(&s, "SELECT 1"), "1");
	tear_down(&s);
}

/* Pages of table t that no VACUUM must look at. */
static const char *frozen_pages(struct setting *s)
{
	run(s, "ANALYZE t");
	return ask(s, "SELECT relallvisible FROM pg_class WHERE relname = 't'");
}

static void load_two(struct setting *s, bool whole, bool commit)
{
	const char *const columns[] = {"i", NULL};
	const struct bulk_value value = int_value(2);

	begin(s, "t", columns, whole);
	row(s, &value);
	end(s, commit);
	assert_false(sql_in_transaction(s->conn));
}

static void whole_tables_are_loaded_frozen(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	load_two(&s, false, true);
	assert_string_equal(frozen_pages(&s), "0");
	run(&s, "TRUNCATE t");
	load_two(&s, true, false);
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	load_two(&s, true, true);
	assert_string_equal(ask(&s, "SELECT i FROM t"), "2");
	assert_string_equal(frozen_pages(&s), "1");
	/* Rows that should not be there stay. */
	load_two(&s, true, true);
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "2");
	tear_down(&s);
}

static void whole_loads_inside_a_transaction_are_a_part_of_it(void **state)
{
	const char *const columns[] = {"i", NULL};
	const struct bulk_value value = int_value(2);
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int)");
	run(&s, "BEGIN");
	begin(&s, "t", columns, true);
	row(&s, &value);
	end(&s, true);
	assert_true(sql_in_transaction(s.conn));
	run(&s, "ROLLBACK");
	assert_string_equal(ask(&s, "SELECT count(*) FROM t"), "0");
	tear_down(&s);
}

static void failed_whole_loads_leave_no_transaction(void **state)
{
	const char *const columns[] = {"i", NULL};
	const struct bulk_table table = {
	    .name = "t", .columns = columns, .ncolumns = 1, .fresh = true, .whole = true};
	const struct bulk_value value = int_value(2);
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s, "DROP TABLE IF EXISTS t; CREATE TABLE t (i int PRIMARY KEY)");
	begin(&s, "t", columns, true);
	row(&s, &value);
	row(&s, &value);
	sql_bulk_end(s.conn, true);
	assert_state(s.conn, SQL_FATAL, "23505");
	assert_false(sql_in_transaction(s.conn));
	load_two(&s, true, true); /* the columns are known now */
	run(&s, "DROP TABLE t");
	sql_bulk_begin(s.conn, &table);
	assert_state(s.conn, SQL_FATAL, "42P01");
	assert_false(sql_in_transaction(s.conn));
	tear_down(&s);
}

static void odd_names_are_quoted(void **state)
{
	const char *const columns[] = {"a \"b\"", "User", NULL};
	const struct bulk_value values[] = {int_value(1), int_value(2)};
	struct setting s;

	(void)state;
	set_up(&s, ARGS());
	run(&s,
	    "DROP TABLE IF EXISTS \"my table\"; CREATE TABLE \"my table\" (\"a \"\"b\"\"\" int, "
	    "\"user\" int)");
	begin(&s, "my table", columns, false);
	row(&s, values);
	end(&s, true);
	assert_string_equal(ask(&s, "SELECT * FROM \"my table\""), "1|2");
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_type_is_loaded_in_binary),
	    cmocka_unit_test(other_types_are_loaded_as_text),
	    cmocka_unit_test(many_rows_arrive),
	    cmocka_unit_test(loads_can_be_given_up),
	    cmocka_unit_test(failures_show_at_the_end),
	    cmocka_unit_test(missing_tables_are_named),
	    cmocka_unit_test(whole_tables_are_loaded_frozen),
	    cmocka_unit_test(whole_loads_inside_a_transaction_are_a_part_of_it),
	    cmocka_unit_test(failed_whole_loads_leave_no_transaction),
	    cmocka_unit_test(odd_names_are_quoted),
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
