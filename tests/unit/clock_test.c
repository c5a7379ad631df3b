/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/cpu.h"

#define HOUR_NS 3600000000000ull

static uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void test_kinds(void **state)
{
	struct clock c;

	(void)state;
	clock_init(&c, CLOCK_KIND_SYSTEM);
	assert_string_equal(clock_kind_name(&c), "system");
	assert_true(clock_read_cost_ns(&c) > 0);
	assert_true(clock_drift_ppm(&c) == 0);
	clock_init(&c, CLOCK_KIND_FAKE);
	assert_string_equal(clock_kind_name(&c), "fake");
	assert_true(clock_read_cost_ns(&c) == 0);
	assert_true(clock_drift_ppm(&c) == 0);
	clock_init(&c, CLOCK_KIND_TSC);
	assert_true(c.kind == CLOCK_KIND_TSC || c.kind == CLOCK_KIND_SYSTEM);
	assert_string_equal(clock_kind_name(&c), c.kind == CLOCK_KIND_TSC ? "tsc" : "system");
	print_message("TSC clock became %s, %.1f ns a read, %+.2f ppm\n", clock_kind_name(&c),
	              clock_read_cost_ns(&c), clock_drift_ppm(&c));
}

/* Between two reads of CLOCK_MONOTONIC, apart from the drift that calibration leaves. */
static void check_follows_monotonic(enum clock_kind kind)
{
	struct clock c;

	clock_init(&c, kind);
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t before_ns = mono_ns() - c.base_mono_ns;
		uint64_t now_ns = clock_now_ns(&c);
		uint64_t after_ns = mono_ns() - c.base_mono_ns;
		uint64_t room_ns = 2000 + before_ns / 20000;

		assert_true(now_ns + room_ns >= before_ns);
		assert_true(now_ns <= after_ns + room_ns);
	}
	assert_true(fabs(clock_drift_ppm(&c)) < 100);
}

static void test_follows_monotonic(void **state)
{
	(void)state;
	check_follows_monotonic(CLOCK_KIND_SYSTEM);
	check_follows_monotonic(CLOCK_KIND_TSC);
}

static void test_never_back(void **state)
{
	unsigned cpus = cpu_available();
	cpu_set_t mask;
	struct clock c;
	uint64_t last_ns = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	clock_init(&c, CLOCK_KIND_TSC);
	for (unsigned i = 0; i < 1000000; i++) {
		uint64_t now_ns = clock_now_ns(&c);

		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
		/* From CPU to CPU, too. */
		if (i % 1000 == 0)
			assert_int_equal(sched_setaffinity(0, sizeof(mask), &mask), 0);
		if (i % 1000 == 0 && cpus > 1)
			(void)cpu_pin_self(i / 1000);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(mask), &mask), 0);
}

/* clock_init visits the CPUs; afterwards the thread may run where it could before. */
static void test_affinity_kept(void **state)
{
	cpu_set_t before, after;
	struct clock c;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	clock_init(&c, CLOCK_KIND_TSC);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_memory_equal(&before, &after, sizeof(before));
}

/* A counter that has run for a century is still converted right. */
static void test_long_run(void **state)
{
	const uint64_t ticks_per_s = 5000000000ull;
	const uint64_t century_s = 100ull * 365 * 86400;
	struct clock c = {.kind = CLOCK_KIND_TSC, .shift = 56};
	uint64_t now_ns;

	(void)state;
	if (clock_ticks() == 0)
		skip();
	c.mult = (1ull << 56) / 5; /* 0.2 ns a tick */
	c.base_ticks = clock_ticks() - century_s * ticks_per_s;
	now_ns = clock_now_ns(&c);
	/* Within a second of the century, which the test itself may take. */
	assert_in_range(now_ns / 1000000000ull, century_s - 1, century_s + 1);
}

static void test_fake(void **state)
{
	struct clock c;

	(void)state;
	clock_init(&c, CLOCK_KIND_FAKE);
	assert_int_equal(clock_now_ns(&c), 0);
	c.fake_ns = 12345;
	assert_int_equal(clock_now_ns(&c), 12345);
	assert_int_equal(clock_sleep_until(&c, 12345, NULL), 12345);
}

static void *move_fake(void *arg)
{
	struct clock *c = arg;

	for (uint64_t t = 1; t <= 1000; t++)
		__atomic_store_n(&c->fake_ns, t, __ATOMIC_RELAXED);
	return NULL;
}

static void test_fake_moved_by_another(void **state)
{
	pthread_t thread;
	struct clock c;

	(void)state;
	clock_init(&c, CLOCK_KIND_FAKE);
	assert_int_equal(pthread_create(&thread, NULL, move_fake, &c), 0);
	assert_in_range(clock_sleep_until(&c, 500, NULL), 500, 1000);
	pthread_join(thread, NULL);
}

static void check_never_early(enum clock_kind kind)
{
	static const uint64_t waits_ns[] = {0, 1, 100, 10000, 60000, 300000, 2000000, 60000000};
	struct clock c;

	clock_init(&c, kind);
	for (size_t i = 0; i < sizeof(waits_ns) / sizeof(waits_ns[0]); i++) {
		uint64_t when_ns = clock_now_ns(&c) + waits_ns[i];
		uint64_t woke_ns = clock_sleep_until(&c, when_ns, NULL);

		assert_true(woke_ns >= when_ns);
		assert_true(clock_now_ns(&c) >= woke_ns);
	}
	/* The past is no reason to wait, or to return another time than now. */
	assert_true(clock_sleep_until(&c, 0, NULL) >= 60000000);
}

static void test_sleep_never_early(void **state)
{
	(void)state;
	check_never_early(CLOCK_KIND_SYSTEM);
	check_never_early(CLOCK_KIND_TSC);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void test_sleep_survives_signals(void **state)
{
	struct itimerval often = {{0, 1000}, {0, 1000}};
	struct itimerval never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm};
	struct clock c;
	uint64_t when_ns;
	uint64_t woke_ns;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	clock_init(&c, CLOCK_KIND_SYSTEM);
	setitimer(ITIMER_REAL, &often, NULL);
	when_ns = clock_now_ns(&c) + 20000000;
	woke_ns = clock_sleep_until(&c, when_ns, NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(woke_ns >= when_ns);
}

static void test_stop_set_before(void **state)
{
	const volatile int stop = 1;
	struct clock c;

	(void)state;
	clock_init(&c, CLOCK_KIND_TSC);
	assert_true(clock_sleep_until(&c, HOUR_NS, &stop) < HOUR_NS);
	clock_init(&c, CLOCK_KIND_FAKE);
	assert_int_equal(clock_sleep_until(&c, HOUR_NS, &stop), 0);
}

struct sleeper {
	struct clock c;
	int stop;
	uint64_t woke_ns;
};

static void *sleep_an_hour(void *arg)
{
	struct sleeper *s = arg;

	s->woke_ns = clock_sleep_until(&s->c, HOUR_NS, &s->stop);
	return NULL;
}

static void test_stop_while_asleep(void **state)
{
	static const enum clock_kind kinds[] = {CLOCK_KIND_SYSTEM, CLOCK_KIND_TSC, CLOCK_KIND_FAKE};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct sleeper s = {.stop = 0};
		struct timespec nap = {0, 5000000};
		pthread_t thread;

		clock_init(&s.c, kinds[i]);
		assert_int_equal(pthread_create(&thread, NULL, sleep_an_hour, &s), 0);
		nanosleep(&nap, NULL);
		__atomic_store_n(&s.stop, 1, __ATOMIC_RELAXED);
		/* The test would hang for an hour if `stop` were not seen. */
		pthread_join(thread, NULL);
		assert_true(s.woke_ns < HOUR_NS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_follows_monotonic),
	    cmocka_unit_test(test_never_back),
	    cmocka_unit_test(test_affinity_kept),
	    cmocka_unit_test(test_long_run),
	    cmocka_unit_test(test_fake),
	    cmocka_unit_test(test_fake_moved_by_another),
	    cmocka_unit_test(test_sleep_never_early),
	    cmocka_unit_test(test_sleep_survives_signals),
	    cmocka_unit_test(test_stop_set_before),
	    cmocka_unit_test(test_stop_while_asleep),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
