/* SPDX-License-Identifier: MIT */
/* The driver layer: parameters, emulation, bulk loads, pipelines and pending calls. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver_fixture.h"

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
