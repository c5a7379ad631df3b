/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/driver.h"

struct setting {
	struct opt_set *options;
	struct clock clock;
	struct sql_env *env;
	struct sql_conn *conn;
};

static struct opt_set *options_with(const char *const *args)
{
	struct opt_set *options = opt_set_new();
	struct err err = ERR_INIT;

	opt_set_add(options, "SQL", sql_options);
	opt_set_add(options, driver_null.options_title, driver_null.options);
	for (; *args != NULL; args++)
		assert_int_equal(opt_parse_arg(options, *args, &err), 0);
	return options;
}

static void set_up(struct setting *s, const char *const *args, enum clock_kind kind, unsigned owner)
{
	struct err err = ERR_INIT;

	memset(s, 0, sizeof(*s));
	s->options = options_with(args);
	clock_init(&s->clock, kind);
	assert_int_equal(sql_env_open(&s->env, &driver_null, s->options, &s->clock, NULL, 42, &err),
	                 0);
	s->conn = sql_conn_new(s->env, owner, false);
	sql_connect(s->conn);
	assert_true(s->conn->connected);
}

static void tear_down(struct setting *s)
{
	sql_conn_free(s->conn);
	sql_env_close(s->env);
	opt_set_free(s->options);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void selects_return_the_rows_asked_for(void **state)
{
	struct sql_result *result;
	struct sql_stmt *stmt;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--null-rows=3"), CLOCK_KIND_SYSTEM, 0);
	sql_query(s.conn, "SELECT c FROM t", 15, &result);
	assert_non_null(result);
	assert_int_equal(result->nfields, 1);
	assert_int_equal(result->nrows, 3);
	for (int i = 0; i < 3; i++) {
		assert_true(sql_fetch(result));
		assert_string_equal(result->values[0].text, "null");
		assert_int_equal(result->values[0].len, 4);
	}
	assert_false(sql_fetch(result));
	sql_result_free(result);
	stmt = sql_prepare(s.conn, "SELECT c FROM t", 15);
	for (int round = 0; round < 2; round++) {
		int rows = 0;

		sql_execute(stmt);
		assert_true(stmt->has_rows);
		while (sql_fetch(stmt->result))
			rows++;
		assert_int_equal(rows, 3);
	}
	sql_stmt_close(stmt);
	stmt = sql_prepare(s.conn, "UPDATE t SET a=1", 16);
	sql_execute(stmt);
	assert_false(stmt->has_rows);
	assert_int_equal(s.conn->affected, 1);
	sql_stmt_close(stmt);
	sql_query(s.conn, "CREATE TABLE t(a INT)", 21, &result);
	assert_null(result);
	assert_int_equal(s.conn->affected, 0);
	tear_down(&s);
}

static void zero_rows_is_a_result_without_rows(void **state)
{
	struct sql_result *result;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--null-rows=0"), CLOCK_KIND_SYSTEM, 0);
	sql_query(s.conn, "SELECT 1", 8, &result);
	assert_non_null(result);
	assert_false(sql_fetch(result));
	sql_result_free(result);
	tear_down(&s);
}

static void transactions_are_followed(void **state)
{
	struct sql_result *result;
	struct sql_stmt *begin, *commit;
	struct setting s;

	(void)state;
	set_up(&s, ARGS(), CLOCK_KIND_SYSTEM, 0);
	begin = sql_prepare(s.conn, "BEGIN", 5);
	commit = sql_prepare(s.conn, "COMMIT", 6);
	assert_false(sql_in_transaction(s.conn));
	sql_execute(begin);
	assert_true(sql_in_transaction(s.conn));
	sql_query(s.conn, "SELECT 1", 8, &result);
	sql_result_free(result);
	assert_true(sql_in_transaction(s.conn));
	sql_execute(commit);
	assert_false(sql_in_transaction(s.conn));
	sql_query(s.conn, "START TRANSACTION", 17, &result);
	assert_true(sql_in_transaction(s.conn));
	assert_true(sql_rollback(s.conn));
	assert_false(sql_in_transaction(s.conn));
	sql_execute(begin);
	sql_connect(s.conn);
	assert_false(sql_in_transaction(s.conn));
	sql_bulk_begin(s.conn, &(struct bulk_table){.name = "t"});
	assert_true(sql_in_transaction(s.conn));
	sql_bulk_row(s.conn, NULL);
	sql_bulk_end(s.conn, true);
	assert_false(sql_in_transaction(s.conn));
	sql_stmt_close(begin);
	sql_stmt_close(commit);
	tear_down(&s);
}

static void bad_delays_are_refused(void **state)
{
	static const char *const specs[] = {
	    "5ms",       "fixed",       "fixed:",         "fixed:x",
	    "exp:-5ms",  "gauss:5ms",   "uniform:5ms",    "uniform:5ms-1ms",
	    "uniform:-", "fixed:5msms", "uniform:1ms-5x", "Fixed:1ms"};
	struct clock clock;

	(void)state;
	clock_init(&clock, CLOCK_KIND_SYSTEM);
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct err err = ERR_INIT;
		struct sql_env *env;
		char arg[64];
		struct opt_set *options;

		snprintf(arg, sizeof(arg), "--null-latency=%s", specs[i]);
		options = options_with(ARGS(arg));
		if (sql_env_open(&env, &driver_null, options, &clock, NULL, 1, &err) != -EINVAL)
			fail_msg("%s was taken", arg);
		assert_non_null(strstr(err.text, arg));
		opt_set_free(options);
	}
}

/* Time of n statements on a real clock: only lower bounds, which a slow machine cannot break. */
static uint64_t elapsed_ns(const char *latency, unsigned n)
{
	struct sql_result *result;
	struct setting s;
	uint64_t begun_ns, ns;

	set_up(&s, ARGS(latency), CLOCK_KIND_SYSTEM, 0);
	begun_ns = clock_now_ns(&s.clock);
	for (unsigned i = 0; i < n; i++) {
		sql_query(s.conn, "UPDATE t", 8, &result);
		assert_int_equal(s.conn->error.outcome, SQL_OK);
	}
	ns = clock_now_ns(&s.clock) - begun_ns;
	tear_down(&s);
	return ns;
}

static void delays_are_waited(void **state)
{
	(void)state;
	assert_true(elapsed_ns("--null-latency=fixed:2ms", 5) >= 10000000);
	assert_true(elapsed_ns("--null-latency=uniform:1ms-3ms", 5) >= 5000000);
	/* 200 draws of mean 100 us: under a quarter of the mean would be a one in 10^50 draw */
	assert_true(elapsed_ns("--null-latency=exp:100us", 200) >= 5000000);
}

static unsigned failures(double rate, unsigned owner, unsigned n, uint64_t *pattern)
{
	struct sql_result *result;
	struct setting s;
	unsigned failed = 0;
	char arg[64];

	snprintf(arg, sizeof(arg), "--null-error-rate=%g", rate);
	set_up(&s, ARGS(arg), CLOCK_KIND_SYSTEM, owner);
	*pattern = 0;
	for (unsigned i = 0; i < n; i++) {
		sql_query(s.conn, "UPDATE t", 8, &result);
		if (s.conn->error.outcome == SQL_RETRY) {
			assert_int_equal(s.conn->error.code, 1213);
			assert_string_equal(s.conn->error.state, "40001");
			failed++;
			*pattern = (*pattern * 31) + i;
		} else {
			assert_int_equal(s.conn->error.outcome, SQL_OK);
		}
	}
	tear_down(&s);
	return failed;
}

static void errors_come_at_the_rate_and_repeat_with_the_seed(void **state)
{
	uint64_t a, b, c;

	(void)state;
	assert_int_equal(failures(0, 0, 1000, &a), 0);
	assert_int_equal(failures(1, 0, 1000, &a), 1000);
	assert_in_range(failures(0.1, 0, 20000, &a), 1800, 2200); /* 4.7 sigma */
	failures(0.1, 0, 20000, &b);
	failures(0.1, 1, 20000, &c);
	assert_true(a == b);
	assert_true(a != c);
}

static void rollback_never_fails_and_a_failed_begin_begins_nothing(void **state)
{
	struct sql_result *result;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--null-error-rate=1"), CLOCK_KIND_SYSTEM, 0);
	sql_query(s.conn, "BEGIN", 5, &result);
	assert_int_equal(s.conn->error.outcome, SQL_RETRY);
	assert_false(sql_in_transaction(s.conn));
	sql_query(s.conn, "ROLLBACK", 8, &result);
	assert_int_equal(s.conn->error.outcome, SQL_OK);
	assert_true(s.conn->connected);
	tear_down(&s);
}

static void facts_say_that_nothing_is_stored(void **state)
{
	struct kv facts = KV_INIT;
	struct setting s;
	bool durable = true;

	(void)state;
	set_up(&s, ARGS("--null-latency=exp:5ms"), CLOCK_KIND_SYSTEM, 0);
	sql_facts(s.conn, &facts, &durable);
	assert_false(durable);
	assert_string_equal(kv_find(&facts, "engine")->text, "null");
	assert_string_equal(kv_find(&facts, "latency")->text, "exp:5ms");
	assert_non_null(kv_find(&facts, "durability_note"));
	kv_fini(&facts);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(selects_return_the_rows_asked_for),
	    cmocka_unit_test(zero_rows_is_a_result_without_rows),
	    cmocka_unit_test(transactions_are_followed),
	    cmocka_unit_test(bad_delays_are_refused),
	    cmocka_unit_test(delays_are_waited),
	    cmocka_unit_test(errors_come_at_the_rate_and_repeat_with_the_seed),
	    cmocka_unit_test(rollback_never_fails_and_a_failed_begin_begins_nothing),
	    cmocka_unit_test(facts_say_that_nothing_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
