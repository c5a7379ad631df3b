/* SPDX-License-Identifier: MIT */
/* Threads of one process on one database: nobody starves, nothing is lost. Run under TSan, too. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sql/drv_sqlite.h"
#include "sqlite_setting.h"

enum { THREADS = 8, ACCOUNTS = 10, ROUNDS = 100 };

struct player {
	pthread_t thread;
	struct sql_env *env;
	pthread_barrier_t *start;
	const char *begin;
	unsigned number;
	bool autocommit;
	/* what came of it; checked by the main thread, as cmocka is not for threads */
	bool connected;
	unsigned done, retries, fatal;
	struct sql_error error;
	uint64_t waits;
};

static bool run_text(struct sql_conn *conn, const char *text)
{
	struct sql_result *result;

	sql_query(conn, text, strlen(text), &result);
	sql_result_free(result);
	return conn->error.outcome == SQL_OK;
}

static bool run_stmt(struct sql_stmt *stmt)
{
	sql_execute(stmt);
	return stmt->conn->error.outcome == SQL_OK;
}

/* Reads, then moves one from an account to another. */
static bool transfer(struct player *p, struct sql_conn *conn, struct sql_stmt **st)
{
	if (!run_text(conn, p->begin) || !run_stmt(st[0]) || !run_stmt(st[1]) || !run_stmt(st[2]))
		return false;
	return run_text(conn, "COMMIT");
}

static void note(struct player *p, struct sql_conn *conn, bool ok)
{
	if (ok) {
		p->done++;
		return;
	}
	p->error = conn->error;
	if (conn->error.outcome == SQL_RETRY)
		p->retries++;
	else
		p->fatal++;
	if (!sql_rollback(conn))
		p->fatal++;
}

static void *play(void *arg)
{
	static const char *const texts[] = {"SELECT sum(amount) FROM account",
	                                    "UPDATE account SET amount=amount-1 WHERE id=?",
	                                    "UPDATE account SET amount=amount+1 WHERE id=?"};
	struct player *p = arg;
	struct sql_conn *conn = sql_conn_new(p->env, p->number, false);
	struct sql_param from = {.type = SQL_TYPE_INT}, to = {.type = SQL_TYPE_INT};
	struct sql_param *from_param[] = {&from}, *to_param[] = {&to};
	struct sql_stmt *st[3] = {0};
	struct rng rng;

	rng_init(&rng, 1, p->number, RNG_KEYS);
	pthread_barrier_wait(p->start); /* all connect, and create the file, at once */
	sql_connect(conn);
	p->connected = conn->connected;
	p->error = conn->error;
	for (int i = 0; i < 3 && p->connected; i++)
		st[i] = sql_prepare(conn, texts[i], strlen(texts[i]));
	if (st[2] != NULL) {
		sql_bind(st[1], from_param, 1);
		sql_bind(st[2], to_param, 1);
	}
	while (st[2] != NULL && p->done < ROUNDS && p->fatal == 0 && p->retries < 100000) {
		from.i = (int64_t)rng_below(&rng, ACCOUNTS);
		to.i = (int64_t)rng_below(&rng, ACCOUNTS);
		if (p->autocommit)
			note(p, conn, run_stmt(st[2]));
		else
			note(p, conn, transfer(p, conn, st));
	}
	p->waits = conn->lock.waits;
	for (int i = 0; i < 3; i++)
		sql_stmt_close(st[i]);
	sql_conn_free(conn);
	return NULL;
}

/* All threads make all their rounds; the sum of what they moved is right. Returns the retries. */
static unsigned play_all(const char *const *args, const char *begin, bool autocommit,
                         uint64_t *waits)
{
	struct player players[THREADS] = {0};
	pthread_barrier_t start;
	unsigned retries = 0;
	struct setting s;
	char sum[32];

	set_up(&s, args);
	run_sql(s.conn, "CREATE TABLE account(id INTEGER PRIMARY KEY, amount INT)");
	for (int i = 0; i < ACCOUNTS; i++)
		run_sql(s.conn, "INSERT INTO account(id, amount) SELECT ifnull(max(id), -1)+1, 100 "
		                "FROM account");
	pthread_barrier_init(&start, NULL, THREADS);
	*waits = 0;
	for (unsigned i = 0; i < THREADS; i++) {
		players[i] = (struct player){.env = s.env,
		                             .start = &start,
		                             .begin = begin,
		                             .number = i + 1,
		                             .autocommit = autocommit};
		assert_int_equal(pthread_create(&players[i].thread, NULL, play, &players[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(players[i].thread, NULL);
	for (int i = 0; i < THREADS; i++) {
		if (!players[i].connected || players[i].fatal != 0 || players[i].done != ROUNDS)
			fail_msg("thread %d: %u done, %u fatal, %u retries: %s", i, players[i].done,
			         players[i].fatal, players[i].retries, players[i].error.text);
		retries += players[i].retries;
		*waits += players[i].waits;
	}
	snprintf(sum, sizeof(sum), "%d", ACCOUNTS * 100 + (autocommit ? THREADS * ROUNDS : 0));
	assert_string_equal(ask_sql(s.conn, "SELECT sum(amount) FROM account"), sum);
	pthread_barrier_destroy(&start);
	tear_down(&s);
	return retries;
}

static void writers_take_turns_and_never_fail(void **state)
{
	uint64_t waits;

	(void)state;
	assert_int_equal(play_all(ARGS("--sqlite-busy-timeout=60s", "--sqlite-synchronous=off"),
	                          "BEGIN", false, &waits),
	                 0);
	assert_true(waits > 0);
	assert_int_equal(play_all(ARGS("--sqlite-busy-timeout=60s", "--sqlite-synchronous=off"),
	                          "BEGIN", true, &waits),
	                 0);
}

static void writers_take_turns_with_a_rollback_journal(void **state)
{
	uint64_t waits;

	(void)state;
	assert_int_equal(
	    play_all(ARGS("--sqlite-busy-timeout=60s", "--sqlite-journal-mode=truncate",
	                  "--sqlite-synchronous=off"),
	             "BEGIN", false, &waits),
	    0);
}

static void deferred_transactions_are_retried_and_get_through(void **state)
{
	uint64_t waits;

	(void)state;
	play_all(ARGS("--sqlite-busy-timeout=60s", "--sqlite-synchronous=off"), "BEGIN DEFERRED",
	         false, &waits);
}

static void fresh_databases_can_be_opened_by_all_at_once(void **state)
{
	(void)state;
	for (int round = 0; round < 5; round++) {
		struct player players[THREADS] = {0};
		pthread_barrier_t start;
		struct setting s;

		make_directory(&s);
		assert_int_equal(open_env(&s, ARGS("--sqlite-synchronous=off")), 0);
		pthread_barrier_init(&start, NULL, THREADS);
		for (unsigned i = 0; i < THREADS; i++) {
			players[i] =
			    (struct player){.env = s.env, .start = &start, .begin = "BEGIN"};
			assert_int_equal(
			    pthread_create(&players[i].thread, NULL, play, &players[i]), 0);
		}
		for (int i = 0; i < THREADS; i++) {
			pthread_join(players[i].thread, NULL);
			if (!players[i].connected)
				fail_msg("%s", players[i].error.text);
		}
		pthread_barrier_destroy(&start);
		tear_down(&s);
	}
}

/* ---- the order ---- */

struct queuer {
	pthread_t thread;
	struct sql_conn *conn;
	unsigned *order; /* where the next one writes its number; guarded by the turn itself */
	unsigned *count;
	unsigned number;
	bool ok;
};

static void *queue_up(void *arg)
{
	struct queuer *q = arg;

	q->ok = run_text(q->conn, "BEGIN IMMEDIATE");
	if (q->ok)
		q->order[(*q->count)++] = q->number;
	q->ok = q->ok && run_text(q->conn, "COMMIT");
	return NULL;
}

/* Waits until n connections stand in the queue. */
static void wait_for_queue(struct sql_env *env, unsigned n)
{
	struct sqlite_turn *turn = &((struct sqlite_env *)env->impl)->turn;
	unsigned waiting;

	do {
		usleep(500);
		waiting = 0;
		pthread_mutex_lock(&turn->mutex);
		for (struct sqlite_waiter *w = turn->first; w != NULL; w = w->next)
			waiting++;
		pthread_mutex_unlock(&turn->mutex);
	} while (waiting < n);
}

static void the_turn_goes_round_in_order_of_arrival(void **state)
{
	struct queuer queuers[THREADS] = {0};
	unsigned order[THREADS], count = 0;
	struct setting s;

	(void)state;
	set_up(&s, ARGS("--sqlite-busy-timeout=60s", "--sqlite-synchronous=off"));
	run_sql(s.conn, "BEGIN");
	for (unsigned i = 0; i < THREADS; i++) {
		queuers[i] = (struct queuer){.conn = sql_conn_new(s.env, i + 1, false),
		                             .order = order,
		                             .count = &count,
		                             .number = i};
		sql_connect(queuers[i].conn);
		assert_true(queuers[i].conn->connected);
		assert_int_equal(pthread_create(&queuers[i].thread, NULL, queue_up, &queuers[i]),
		                 0);
		wait_for_queue(s.env, i + 1);
	}
	run_sql(s.conn, "COMMIT");
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(queuers[i].thread, NULL);
		assert_true(queuers[i].ok);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		assert_int_equal(order[i], i);
		assert_int_equal(queuers[i].conn->lock.waits, 1);
		assert_int_equal(queuers[i].conn->lock.timeouts, 0);
		sql_conn_free(queuers[i].conn);
	}
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writers_take_turns_and_never_fail),
	    cmocka_unit_test(writers_take_turns_with_a_rollback_journal),
	    cmocka_unit_test(deferred_transactions_are_retried_and_get_through),
	    cmocka_unit_test(fresh_databases_can_be_opened_by_all_at_once),
	    cmocka_unit_test(the_turn_goes_round_in_order_of_arrival),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
