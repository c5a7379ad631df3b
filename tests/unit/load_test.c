/* SPDX-License-Identifier: MIT */
#include "load_fixture.h"
#include "sqlite_setting.h"

#define ROWS 25300u

static struct sql_env env_of(const struct driver_ops *ops, struct store *store)
{
	return (struct sql_env){.ops = ops, .impl = store};
}

/* All of a table by so many threads, which must go well. */
static void load(const struct driver_ops *ops, struct store *store, unsigned threads, uint64_t seed,
                 const char *table, uint64_t rows, const struct kv *params)
{
	struct sql_env env = env_of(ops, store);
	struct load_board *board = load_board_new(threads, seed, &uniform, NULL);
	struct loading all[8];
	struct load_figures f;

	assert_non_null(board);
	loading_start(all, threads, board, &env, table, rows, params);
	loading_join(all, threads);
	for (unsigned i = 0; i < threads; i++) {
		assert_string_equal(all[i].err.text, "");
		assert_int_equal(all[i].rc, 0);
	}
	load_board_figures(board, &f);
	assert_int_equal(f.rows_done, rows);
	assert_int_equal(f.rows_total, rows);
	assert_int_equal(f.finished, 1);
	assert_false(f.failed);
	assert_int_equal(store->nrows, rows);
	load_board_free(board);
}

static void assert_complete(const struct store *store, uint64_t rows)
{
	for (uint64_t id = 1; id <= rows; id++)
		assert_int_equal(store->rows[id].copies, 1);
	assert_int_equal(store->rows[0].copies, 0);
	if (rows + 1 < STORE_ROWS)
		assert_int_equal(store->rows[rows + 1].copies, 0);
}

static void assert_groups(const char *text, unsigned groups)
{
	assert_int_equal(strlen(text), groups * 12 - 1);
	for (unsigned i = 0; text[i] != '\0'; i++) {
		if (i % 12 == 11)
			assert_int_equal(text[i], '-');
		else
			assert_in_range(text[i], '0', '9');
	}
}

static void test_rows_are_as_sysbench_makes_them(void **state)
{
	struct store store;
	struct kv params = KV_INIT;
	unsigned digits[10] = {0};
	int64_t k_least = INT64_MAX, k_most = 0;

	(void)state;
	kv_double(&params, "k_range", 500);
	store_init(&store);
	load(&store_ops, &store, 1, 1, "sbtest1", ROWS, &params);
	assert_complete(&store, ROWS);
	for (unsigned id = 1; id <= ROWS; id++) {
		const struct stored *row = &store.rows[id];

		assert_groups(row->c, 10);
		assert_groups(row->pad, 5);
		digits[row->c[id % 11] - '0']++;
		k_least = row->k < k_least ? row->k : k_least;
		k_most = row->k > k_most ? row->k : k_most;
	}
	assert_int_equal(k_least, 1);
	assert_int_equal(k_most, 500);
	/* Each digit a tenth of the time: 2530 expected, standard deviation 48. */
	for (unsigned i = 0; i < 10; i++)
		assert_in_range(digits[i], 2300, 2760);
	store_fini(&store);
	kv_fini(&params);
}

static void test_content_is_that_of_one_thread(void **state)
{
	struct store one, four, single;

	(void)state;
	store_init(&one);
	store_init(&four);
	store_init(&single);
	load(&store_ops, &one, 1, 42, "sbtest1", ROWS, NULL);
	load(&store_ops, &four, 4, 42, "sbtest1", ROWS, NULL);
	load(&store_ops_one_writer, &single, 3, 42, "sbtest1", ROWS, NULL);
	assert_memory_equal(one.rows, four.rows, STORE_ROWS * sizeof(*one.rows));
	assert_memory_equal(one.rows, single.rows, STORE_ROWS * sizeof(*one.rows));
	store_fini(&one);
	store_fini(&four);
	store_fini(&single);
}

static void test_rows_follow_seed_table_and_number(void **state)
{
	struct kv params = KV_INIT;
	struct store base, seed, table, longer;

	(void)state;
	kv_int(&params, "k_range", 1000);
	store_init(&base);
	store_init(&seed);
	store_init(&table);
	store_init(&longer);
	load(&store_ops, &base, 1, 1, "sbtest1", 100, &params);
	load(&store_ops, &seed, 1, 2, "sbtest1", 100, &params);
	load(&store_ops, &table, 1, 1, "sbtest2", 100, &params);
	load(&store_ops, &longer, 1, 1, "sbtest1", ROWS, &params);
	for (unsigned id = 1; id <= 100; id++) {
		assert_string_not_equal(base.rows[id].c, seed.rows[id].c);
		assert_string_not_equal(base.rows[id].c, table.rows[id].c);
		assert_string_not_equal(base.rows[id].c, base.rows[id - 1].c);
		assert_memory_equal(&base.rows[id], &longer.rows[id], sizeof(base.rows[id]));
	}
	store_fini(&base);
	store_fini(&seed);
	store_fini(&table);
	store_fini(&longer);
	kv_fini(&params);
}

static void test_one_writer_writes_in_order(void **state)
{
	struct store store;

	(void)state;
	store_init(&store);
	load(&store_ops_one_writer, &store, 4, 1, "sbtest1", 60000, NULL);
	assert_complete(&store, 60000);
	assert_true(store.in_order);
	assert_int_equal(store.open_most, 1);
	store_fini(&store);
}

static void test_retries_lose_and_double_nothing(void **state)
{
	const struct driver_ops *const ops[] = {&store_ops, &store_ops_one_writer};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct store plain, store;

		store_init(&plain);
		store_init(&store);
		atomic_store(&store.row_retries, 3);
		atomic_store(&store.commit_retries, 2);
		atomic_store(&store.begin_retries, 2);
		load(ops[i], &plain, 1, 7, "sbtest1", ROWS, NULL);
		load(ops[i], &store, 3, 7, "sbtest1", ROWS, NULL);
		assert_int_equal(store.aborted, 3);
		assert_int_equal(store.open, 0);
		assert_memory_equal(plain.rows, store.rows, STORE_ROWS * sizeof(*store.rows));
		store_fini(&plain);
		store_fini(&store);
	}
}

static void test_retries_are_counted(void **state)
{
	struct store store;
	struct sql_env env = env_of(&store_ops, &store);
	struct load_board *board = load_board_new(1, 1, &uniform, NULL);
	struct loading one;
	struct load_figures f;

	(void)state;
	store_init(&store);
	atomic_store(&store.row_retries, 2);
	atomic_store(&store.commit_retries, 1);
	loading_start(&one, 1, board, &env, "sbtest1", 5000, NULL);
	loading_join(&one, 1);
	assert_int_equal(one.rc, 0);
	load_board_figures(board, &f);
	assert_int_equal(f.retries, 3);
	load_board_free(board);
	store_fini(&store);
}

static void test_failure_stops_all(void **state)
{
	const struct driver_ops *const ops[] = {&store_ops, &store_ops_one_writer};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct store store;
		struct sql_env env = env_of(ops[i], &store);
		struct load_board *board = load_board_new(4, 1, &uniform, NULL);
		struct loading all[4], late;
		struct load_figures f;
		unsigned failed = 0;

		store_init(&store);
		store.fail_id = 31234;
		loading_start(all, 4, board, &env, "sbtest9", 60000, NULL);
		loading_join(all, 4);
		for (unsigned t = 0; t < 4; t++) {
			if (all[t].rc == 0) /* found no chunk left before the failure */
				continue;
			assert_int_equal(all[t].err.status, EXIT_RUN);
			assert_non_null(strstr(all[t].err.text, "sbtest9: "));
			if (all[t].rc == -EIO) {
				failed++;
				assert_non_null(
				    strstr(all[t].err.text, "the disk is full (13, 53100)"));
				assert_non_null(strstr(all[t].err.text, "..")); /* the rows */
			} else {
				assert_int_equal(all[t].rc, -ECANCELED);
			}
		}
		assert_int_equal(failed, 1);
		assert_int_equal(store.open, 0);
		assert_true(store.nrows < 60000);
		assert_int_equal(store.rows[31234].copies, 0);
		load_board_figures(board, &f);
		assert_true(f.failed);
		assert_int_equal(f.rows_total, store.nrows);
		/* Later tables too: the whole load is over. */
		loading_start(&late, 1, board, &env, "sbtest10", 1000, NULL);
		loading_join(&late, 1);
		assert_int_equal(late.rc, -ECANCELED);
		load_board_free(board);
		store_fini(&store);
	}
}

static void wait_until_waiting(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	while (!store->waiting)
		pthread_cond_wait(&store->changed, &store->lock);
	pthread_mutex_unlock(&store->lock);
}

static void go_on(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	store->go = true;
	pthread_cond_broadcast(&store->changed);
	pthread_mutex_unlock(&store->lock);
}

static void test_cancel_in_the_middle(void **state)
{
	struct store store;
	struct sql_env env = env_of(&store_ops_one_writer, &store);
	struct load_board *board = load_board_new(3, 1, &uniform, NULL);
	struct loading all[3];

	(void)state;
	store_init(&store);
	store.wait_id = 15000;
	loading_start(all, 3, board, &env, "sbtest1", 60000, NULL);
	wait_until_waiting(&store);
	load_board_cancel(board);
	go_on(&store);
	loading_join(all, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(all[i].rc, -ECANCELED);
		assert_non_null(strstr(all[i].err.text, "stopped"));
	}
	/* The chunk in flight was given up, the one before it stays. */
	assert_int_equal(store.nrows, 10000);
	assert_int_equal(store.open, 0);
	load_board_free(board);
	store_fini(&store);
}

static void test_cancel_ends_endless_retries(void **state)
{
	struct store store;
	struct sql_env env = env_of(&store_ops, &store);
	struct load_board *board = load_board_new(1, 1, &uniform, NULL);
	struct loading one;
	struct load_figures f;

	(void)state;
	store_init(&store);
	atomic_store(&store.commit_retries, UINT32_MAX);
	loading_start(&one, 1, board, &env, "sbtest1", 100, NULL);
	do {
		load_board_figures(board, &f);
	} while (f.retries == 0);
	load_board_cancel(board);
	loading_join(&one, 1);
	assert_int_equal(one.rc, -ECANCELED);
	assert_int_equal(store.nrows, 0);
	load_board_free(board);
	store_fini(&store);
}

static void test_bad_arguments(void **state)
{
	static const struct {
		const char *generator, *key;
		double value;
		const char *text;
	} cases[] = {
	    {"nosuch", "k_range", 1, "use one of: bank, oltp"},
	    {"oltp", "k_range", 0, "k_range=0 is out of range"},
	    {"oltp", "k_range", 1.5, "k_range=1.5 is not a whole number"},
	    {"oltp", "tables", -1, "tables=-1 is out of range"},
	    {"bank", "balance", 0.5, "balance=0.5 is not a whole number"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct store store;
		struct sql_env env = env_of(&store_ops, &store);
		struct sql_conn *conn = sql_conn_new(&env, 0, false);
		struct load_board *board = load_board_new(1, 1, &uniform, NULL);
		struct kv params = KV_INIT;
		struct err err = ERR_INIT;

		store_init(&store);
		sql_connect(conn);
		kv_double(&params, cases[i].key, cases[i].value);
		assert_int_equal(load_run(board, conn, cases[i].generator, "t", 10, &params, &err),
		                 -EINVAL);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_non_null(strstr(err.text, cases[i].text));
		kv_fini(&params);
		load_board_free(board);
		sql_conn_free(conn);
		store_fini(&store);
	}
}

static void test_many_tables_on_one_board(void **state)
{
	static const char *const names[] = {"sbtest1", "sbtest2", "empty", "sbtest1"};
	static const uint64_t rows[] = {20000, 3, 0, 500};
	struct store store;
	struct sql_env env = env_of(&store_ops, &store);
	struct load_board *board = load_board_new(2, 1, &uniform, NULL);
	struct loading all[2];
	struct load_figures f;

	(void)state;
	store_init(&store);
	for (unsigned i = 0; i < 4; i++) {
		loading_start(all, 2, board, &env, names[i], rows[i], NULL);
		loading_join(all, 2);
		assert_int_equal(all[0].rc, 0);
		assert_int_equal(all[1].rc, 0);
		load_board_figures(board, &f);
		assert_string_equal(f.table, names[i]);
		assert_int_equal(f.number, i + 1);
		assert_int_equal(f.finished, i + 1);
	}
	assert_int_equal(f.rows_total, 20503);
	assert_int_equal(store.nrows, 20503);
	load_board_free(board);
	store_fini(&store);
}

/* The text of one call of load_board_progress. */
static void assert_progress(struct load_board *board, bool is_tty, const char *expected)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	load_board_progress(board, out, is_tty);
	fclose(out);
	assert_string_equal(text, expected);
}

static void test_progress(void **state)
{
	struct store store;
	struct sql_env env = env_of(&store_ops_one_writer, &store);
	struct load_board *board = load_board_new(1, 1, &uniform, NULL);
	struct clock clock = {.kind = CLOCK_KIND_FAKE, .fake_ns = 1000};
	struct kv params = KV_INIT;
	struct loading one;
	struct load_figures f;

	(void)state;
	kv_int(&params, "tables", 2);
	store_init(&store);
	store.wait_id = 20001;
	load_board_clock(board, &clock);
	assert_progress(board, false, "");
	loading_start(&one, 1, board, &env, "sbtest1", 50000, &params);
	wait_until_waiting(&store);
	load_board_figures(board, &f);
	assert_true(f.left_s < 0); /* no time has passed: nothing is known */
	clock.fake_ns += 4999999999u;
	assert_progress(board, false, "");
	clock.fake_ns += 5000000001u;
	load_board_figures(board, &f);
	assert_string_equal(f.table, "sbtest1");
	assert_int_equal(f.tables, 2);
	assert_int_equal(f.finished, 0);
	assert_int_equal(f.rows_done, 20000);
	assert_float_equal(f.percent, 40, 1e-9);
	assert_float_equal(f.rows_per_s, 2000, 1e-6);
	assert_float_equal(f.left_s, 15, 1e-6);
	assert_progress(
	    board, false,
	    "ioltp: sbtest1 (1 of 2): 20000 of 50000 rows, 40 %, 2000 rows/s, 15 s left\n");
	assert_progress(board, false, "");
	assert_progress(
	    board, true,
	    "\r\033[Kioltp: sbtest1 (1 of 2): 20000 of 50000 rows, 40 %, 2000 rows/s, 15 s left");
	go_on(&store);
	loading_join(&one, 1);
	assert_progress(board, false, "ioltp: sbtest1: 50000 rows in 10.0 s, 5000 rows/s\n");
	assert_progress(board, false, "");
	clock.fake_ns += 10000000000u;
	loading_start(&one, 1, board, &env, "sbtest2", 50000, &params);
	loading_join(&one, 1);
	assert_progress(board, true,
	                "\r\033[Kioltp: 2 tables, 100000 rows in 20.0 s, 5000 rows/s\n");
	assert_progress(board, true, "");
	load_board_free(board);
	store_fini(&store);
	kv_fini(&params);
}

static void test_progress_after_a_failure_frees_the_line(void **state)
{
	struct store store;
	struct sql_env env = env_of(&store_ops_one_writer, &store);
	struct load_board *board = load_board_new(1, 1, &uniform, NULL);
	struct clock clock = {.kind = CLOCK_KIND_FAKE, .fake_ns = 1000};
	struct loading one;

	(void)state;
	store_init(&store);
	store.wait_id = 10001;
	load_board_clock(board, &clock);
	loading_start(&one, 1, board, &env, "sbtest1", 50000, NULL);
	wait_until_waiting(&store);
	assert_progress(board, true, "\r\033[Kioltp: sbtest1: 10000 of 50000 rows, 20 %, 0 rows/s");
	load_board_cancel(board);
	go_on(&store);
	loading_join(&one, 1);
	assert_progress(board, true, "\n");
	assert_progress(board, true, "");
	load_board_free(board);
	store_fini(&store);
}

#define TABLE_SQL "CREATE TABLE sbtest1 (id INTEGER PRIMARY KEY, k INTEGER, c TEXT, pad TEXT)"

/* Loads sbtest1 by so many threads; how many of them failed, and the first failure in *err. */
static unsigned load_sqlite(struct setting *s, unsigned threads, uint64_t rows, struct err *err)
{
	struct load_board *board = load_board_new(threads, 11, &uniform, NULL);
	struct loading all[4];
	unsigned failed = 0;

	loading_start(all, threads, board, s->env, "sbtest1", rows, NULL);
	loading_join(all, threads);
	for (unsigned i = 0; i < threads; i++) {
		failed += all[i].rc != 0;
		if (all[i].rc == -EIO)
			*err = all[i].err;
	}
	load_board_free(board);
	return failed;
}

static void test_sqlite_rows_are_the_same_by_any_threads(void **state)
{
	struct setting one, four;
	struct err err = ERR_INIT;
	char attach[160];

	(void)state;
	set_up(&one, ARGS("--sqlite-synchronous=off"));
	set_up(&four, ARGS("--sqlite-synchronous=off"));
	run_sql(one.conn, TABLE_SQL);
	run_sql(four.conn, TABLE_SQL);
	assert_int_equal(load_sqlite(&one, 1, ROWS, &err), 0);
	assert_int_equal(load_sqlite(&four, 4, ROWS, &err), 0);
	snprintf(attach, sizeof(attach), "ATTACH '%s' AS other", four.path);
	run_sql(one.conn, attach);
	assert_string_equal(ask_sql(one.conn, "SELECT COUNT(*) FROM sbtest1"), "25300");
	assert_string_equal(ask_sql(one.conn, "SELECT COUNT(*) FROM other.sbtest1"), "25300");
	assert_string_equal(ask_sql(one.conn, "SELECT COUNT(*) FROM (SELECT * FROM sbtest1 EXCEPT "
	                                      "SELECT * FROM other.sbtest1)"),
	                    "0");
	run_sql(one.conn, "DETACH other");
	tear_down(&one);
	tear_down(&four);
}

static void test_sqlite_refusal_in_the_middle(void **state)
{
	struct setting s;
	struct err err = ERR_INIT;

	(void)state;
	set_up(&s, ARGS("--sqlite-synchronous=off"));
	run_sql(s.conn, TABLE_SQL);
	run_sql(s.conn, "CREATE TRIGGER refuse BEFORE INSERT ON sbtest1 WHEN NEW.id = 25000 "
	                "BEGIN SELECT RAISE(ABORT, 'no row 25000 here'); END");
	assert_true(load_sqlite(&s, 3, 60000, &err) >= 1);
	assert_int_equal(err.status, EXIT_RUN);
	assert_non_null(strstr(err.text, "sbtest1: rows 20001..30000 were not loaded"));
	assert_non_null(strstr(err.text, "no row 25000 here"));
	/* Whole chunks before it, nothing of it, nothing after it. */
	assert_string_equal(ask_sql(s.conn, "SELECT COUNT(*) || ' ' || MAX(id) FROM sbtest1"),
	                    "20000 20000");
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_as_sysbench_makes_them),
	    cmocka_unit_test(test_content_is_that_of_one_thread),
	    cmocka_unit_test(test_rows_follow_seed_table_and_number),
	    cmocka_unit_test(test_one_writer_writes_in_order),
	    cmocka_unit_test(test_retries_lose_and_double_nothing),
	    cmocka_unit_test(test_retries_are_counted),
	    cmocka_unit_test(test_failure_stops_all),
	    cmocka_unit_test(test_cancel_in_the_middle),
	    cmocka_unit_test(test_cancel_ends_endless_retries),
	    cmocka_unit_test(test_bad_arguments),
	    cmocka_unit_test(test_many_tables_on_one_board),
	    cmocka_unit_test(test_progress),
	    cmocka_unit_test(test_progress_after_a_failure_frees_the_line),
	    cmocka_unit_test(test_sqlite_rows_are_the_same_by_any_threads),
	    cmocka_unit_test(test_sqlite_refusal_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
