/* SPDX-License-Identifier: MIT */
#include "sql/drv_sqlite.h"

#include <errno.h>
#include <sqlite3.h>
#include <time.h>

enum {
	BACKOFF_MIN_NS = 50 * 1000,
	BACKOFF_MAX_NS = 10 * 1000 * 1000,
};

/* A bulk load waits this long for one other holder, however many are before it. */
static const uint64_t bulk_holder_limit_ns = 60 * UINT64_C(1000000000);

/* Not the run's clock: a condition variable needs this one, and waits are long. */
static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static struct timespec as_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
	                         .tv_nsec = (long)(ns % 1000000000u)};
}

int sqlite_turn_init(struct sqlite_turn *turn)
{
	*turn = (struct sqlite_turn){0};
	return -pthread_mutex_init(&turn->mutex, NULL);
}

void sqlite_turn_fini(struct sqlite_turn *turn)
{
	pthread_mutex_destroy(&turn->mutex);
}

int sqlite_waiter_init(struct sqlite_waiter *waiter)
{
	pthread_condattr_t attr;
	int rc;

	*waiter = (struct sqlite_waiter){0};
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	rc = -pthread_cond_init(&waiter->cond, &attr);
	pthread_condattr_destroy(&attr);
	return rc;
}

void sqlite_waiter_fini(struct sqlite_waiter *waiter)
{
	pthread_cond_destroy(&waiter->cond);
}

/* ---- the queue; the mutex is held ---- */

static void enqueue(struct sqlite_turn *turn, struct sqlite_waiter *waiter)
{
	waiter->next = NULL;
	waiter->granted = false;
	if (turn->last != NULL)
		turn->last->next = waiter;
	else
		turn->first = waiter;
	turn->last = waiter;
}

static void leave(struct sqlite_turn *turn, struct sqlite_waiter *waiter)
{
	struct sqlite_waiter *before = NULL, *at = turn->first;

	while (at != waiter) {
		before = at;
		at = at->next;
	}
	if (before != NULL)
		before->next = waiter->next;
	else
		turn->first = waiter->next;
	if (turn->last == waiter)
		turn->last = before;
}

/* Waits until granted or until limit_ns is over; with per_holder the limit starts anew with each
 * holder. */
static bool await(struct sqlite_turn *turn, struct sqlite_waiter *waiter, uint64_t limit_ns,
                  bool per_holder)
{
	uint64_t handovers = turn->handovers;
	struct timespec until = as_timespec(now_ns() + limit_ns);

	while (!waiter->granted) {
		const int rc = pthread_cond_timedwait(&waiter->cond, &turn->mutex, &until);

		if (rc != ETIMEDOUT || waiter->granted)
			continue;
		if (!per_holder || handovers == turn->handovers) {
			leave(turn, waiter);
			return false;
		}
		handovers = turn->handovers;
		until = as_timespec(now_ns() + limit_ns);
	}
	return true;
}

/* ---- the turn ---- */

static bool try_take(struct sqlite_turn *turn)
{
	const bool is_free = !turn->taken;

	if (is_free) {
		turn->taken = true;
		turn->handovers++;
	}
	return is_free;
}

static bool take(struct sql_conn *conn, uint64_t limit_ns, bool per_holder)
{
	struct sqlite_turn *turn = &sqlite_env_of(conn)->turn;
	struct sqlite_conn *c = conn->impl;
	uint64_t begun_ns, waited_ns;
	bool got;

	if (c->has_turn)
		return true;
	pthread_mutex_lock(&turn->mutex);
	if (try_take(turn)) {
		pthread_mutex_unlock(&turn->mutex);
		c->has_turn = true;
		return true;
	}
	begun_ns = now_ns();
	enqueue(turn, &c->waiter);
	got = await(turn, &c->waiter, limit_ns, per_holder);
	pthread_mutex_unlock(&turn->mutex);
	waited_ns = now_ns() - begun_ns;
	c->waited_ns += waited_ns;
	c->has_turn = got;
	conn->lock.waits++;
	conn->lock.wait_ns += waited_ns;
	if (!got) {
		conn->lock.timeouts++;
		sqlite_fail_turn(conn);
	}
	return got;
}

bool sqlite_turn_take(struct sql_conn *conn)
{
	return take(conn, sqlite_env_of(conn)->busy_timeout_ns, false);
}

bool sqlite_turn_take_bulk(struct sql_conn *conn)
{
	const uint64_t timeout_ns = sqlite_env_of(conn)->busy_timeout_ns;

	return take(conn, timeout_ns > bulk_holder_limit_ns ? timeout_ns : bulk_holder_limit_ns,
	            true);
}

void sqlite_turn_release(struct sql_conn *conn)
{
	struct sqlite_turn *turn = &sqlite_env_of(conn)->turn;
	struct sqlite_conn *c = conn->impl;
	struct sqlite_waiter *next;

	if (!c->has_turn)
		return;
	c->has_turn = false;
	pthread_mutex_lock(&turn->mutex);
	next = turn->first;
	if (next != NULL) { /* handed on: nobody can come between */
		leave(turn, next);
		next->granted = true;
		turn->handovers++;
		pthread_cond_signal(&next->cond);
	} else {
		turn->taken = false;
	}
	pthread_mutex_unlock(&turn->mutex);
}

bool sqlite_turn_for_write(struct sql_conn *conn)
{
	struct sqlite_turn *turn = &sqlite_env_of(conn)->turn;
	struct sqlite_conn *c = conn->impl;
	bool got;

	if (sqlite3_get_autocommit(c->db))
		return sqlite_turn_take(conn);
	c->txn_wrote = true;
	c->quiet[conn->txn_hint % 64] = 0;
	if (c->has_turn)
		return true;
	if (!c->txn_touched)
		return sqlite_turn_take(conn);
	/* It has read: what another writes meanwhile makes its snapshot old, so waiting would be
	 * for nothing. */
	pthread_mutex_lock(&turn->mutex);
	got = try_take(turn);
	pthread_mutex_unlock(&turn->mutex);
	c->has_turn = got;
	if (!got)
		sqlite_fail_snapshot(conn);
	return got;
}

/* ---- other processes ---- */

int sqlite_busy(void *ctx, int count)
{
	struct sql_conn *conn = ctx;
	struct sqlite_conn *c = conn->impl;
	const uint64_t limit_ns = sqlite_env_of(conn)->busy_timeout_ns;
	uint64_t sleep_ns = BACKOFF_MAX_NS, begun_ns, slept_ns;
	struct timespec ts;

	if (c->waited_ns >= limit_ns) {
		conn->lock.timeouts++;
		return 0;
	}
	if (count == 0)
		conn->lock.waits++;
	if (count < 8)
		sleep_ns = (uint64_t)BACKOFF_MIN_NS << count;
	if (sleep_ns > BACKOFF_MAX_NS)
		sleep_ns = BACKOFF_MAX_NS;
	/* Jitter, so that two that wait for each other do not stay in step. */
	sleep_ns = sleep_ns / 2 + rng_below(&c->rng, sleep_ns / 2 + 1);
	if (sleep_ns > limit_ns - c->waited_ns)
		sleep_ns = limit_ns - c->waited_ns;
	ts = as_timespec(sleep_ns);
	begun_ns = now_ns();
	nanosleep(&ts, NULL);
	slept_ns = now_ns() - begun_ns;
	c->waited_ns += slept_ns;
	conn->lock.wait_ns += slept_ns;
	return 1;
}
