/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"

static void test_available(void **state)
{
	cpu_set_t mask;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	assert_in_range(cpu_available(), 1, (unsigned)CPU_COUNT(&mask));
}

/* Pins itself to each CPU of the process in turn; returns NULL when that worked. */
static void *pin_around(void *arg)
{
	const unsigned *cpus = arg;
	cpu_set_t seen, mask;
	int last = -1;

	CPU_ZERO(&seen);
	for (unsigned n = 0; n < 2 * *cpus; n++) {
		if (cpu_pin_self(n) != 0 || sched_getaffinity(0, sizeof(mask), &mask) != 0)
			return arg;
		if (CPU_COUNT(&mask) != 1 || !CPU_ISSET((size_t)sched_getcpu(), &mask))
			return arg;
		/* In the mask's order, and round again. */
		if (n % *cpus != 0 && sched_getcpu() <= last)
			return arg;
		last = sched_getcpu();
		CPU_OR(&seen, &seen, &mask);
	}
	return CPU_COUNT(&seen) == (int)*cpus ? NULL : arg;
}

static void test_pin(void **state)
{
	cpu_set_t mask, after;
	pthread_t thread;
	unsigned cpus;
	void *failed;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	cpus = (unsigned)CPU_COUNT(&mask);
	assert_int_equal(pthread_create(&thread, NULL, pin_around, &cpus), 0);
	pthread_join(thread, &failed);
	assert_null(failed);
	/* One thread's pin is not the process's. */
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_memory_equal(&mask, &after, sizeof(mask));
}

static void test_usage(void **state)
{
	struct cpu_usage before, after, process;

	(void)state;
	cpu_usage_thread(&before);
	do {
		for (volatile unsigned i = 0; i < 1000000; i++)
			;
		cpu_usage_thread(&after);
	} while (after.user_ns + after.system_ns <= before.user_ns + before.system_ns);
	cpu_usage_process(&process);
	assert_true(process.user_ns + process.system_ns >= after.user_ns - before.user_ns);
	assert_true(after.ctx_voluntary >= before.ctx_voluntary);
	assert_true(after.ctx_involuntary >= before.ctx_involuntary);
	/* A running program needs more than 256 KiB and has less than the address space. */
	assert_in_range(process.max_rss_bytes, 256u << 10, 1ull << 46);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_available),
	    cmocka_unit_test(test_pin),
	    cmocka_unit_test(test_usage),
	};

	return cmocka_run_group_tests_name("cpu", tests, NULL, NULL);
}
