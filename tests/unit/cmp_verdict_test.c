/* SPDX-License-Identifier: MIT */
/* The verdict from facts: each cause, both sides of each limit, and what is missing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/cmp_verdict.h"

/* Nothing is known. */
static struct cmp_facts unknown(void)
{
	return (struct cmp_facts){.has_capture = false,
	                          .clients = 8,
	                          .achieved = 1,
	                          .idle = NAN,
	                          .reach_own = NAN,
	                          .reach_most = NAN,
	                          .device_ios = NAN,
	                          .device_time = NAN,
	                          .flush_time = NAN,
	                          .device_busy = NAN,
	                          .cpu_own = NAN,
	                          .cpu_system = NAN,
	                          .cpu_time = NAN,
	                          .cpu_allowed = NAN,
	                          .lock_time = NAN,
	                          .generator_cpu = NAN,
	                          .generator_time = NAN,
	                          .lateness_p99_ns = NAN,
	                          .service_mean_ns = NAN};
}

/* SQLite with a capture by the VFS and a twin; nothing is near a limit. */
static struct cmp_facts sqlite(void)
{
	struct cmp_facts f = unknown();

	f.has_capture = true;
	f.embedded = true;
	f.idle = 0;
	f.reach_own = 0.4;
	f.reach_most = 0.1;
	f.device_ios = 5;
	f.device_time = 0.3;
	f.flush_time = 0.2;
	f.cpu_own = 0.3;
	f.cpu_system = 0.35;
	f.cpu_time = 0.25;
	f.cpu_allowed = 2;
	f.lock_time = 0;
	f.generator_cpu = 0.3;
	f.generator_time = 0.01;
	f.service_mean_ns = 1e6;
	return f;
}

/* A server with a capture by tracepoints and a twin. */
static struct cmp_facts server(void)
{
	struct cmp_facts f = sqlite();

	f.embedded = false;
	f.device_time = NAN;
	f.flush_time = NAN;
	f.lock_time = NAN;
	f.device_busy = 0.2;
	return f;
}

static struct cmp_verdict judge(struct cmp_facts f)
{
	struct cmp_verdict v;

	cmp_judge(&f, &v);
	assert_true(strlen(v.words) > 20 && strlen(v.words) < sizeof(v.words) - 1);
	assert_null(strstr(v.words, "nan"));
	return v;
}

#define assert_cause(f, cause) assert_int_equal(judge(f).first, cause)

static bool misses(const struct cmp_verdict *v, const char *text)
{
	for (unsigned i = 0; i < v->nmissing; i++) {
		if (strstr(v->missing[i], text) != NULL)
			return true;
	}
	return false;
}

/* ---- the drive ---- */

static void drive_used_up(void **state)
{
	struct cmp_facts f = server();
	struct cmp_verdict v;

	(void)state;
	f.reach_most = 0.8;
	f.reach_own = 0.95;
	v = judge(f);
	assert_int_equal(v.first, CMP_CAUSE_DEVICE);
	assert_non_null(strstr(v.words, "no more to give"));
	assert_int_equal(v.second, CMP_CAUSE_NONE);
	f.reach_most = 0.79;
	f.reach_own = 0.79;
	assert_cause(f, CMP_CAUSE_NONE);
}

/* A replay in memory is as slow as its own CPUs: what it does not give is not the drive's limit. */
static void drive_hardly_used(void **state)
{
	struct cmp_facts f = sqlite();
	struct cmp_verdict v;

	(void)state;
	f.reach_own = f.reach_most = 1.08;
	f.device_time = 0.02;
	f.cpu_own = 0.95;
	f.cpu_time = 0.97;
	v = judge(f);
	assert_int_equal(v.first, CMP_CAUSE_CPU);
	assert_int_equal(v.second, CMP_CAUSE_NONE);
	/* Where the time in I/Os is not known, the replay is all that is known of the drive. */
	f.device_time = NAN;
	assert_cause(f, CMP_CAUSE_DEVICE);
}

/* A client that waits for a drive which could do more in parallel. */
static void drive_latency(void **state)
{
	struct cmp_facts f = sqlite();
	struct cmp_verdict v;

	(void)state;
	f.clients = 1;
	f.reach_own = 0.8;
	f.device_time = 0.45;
	v = judge(f);
	assert_int_equal(v.first, CMP_CAUSE_DEVICE);
	assert_non_null(strstr(v.words, "latency, not for its throughput"));
	assert_non_null(strstr(v.words, "10.0 times"));
	/* Time alone says the same. */
	f.reach_own = NAN;
	f.reach_most = NAN;
	f.device_time = 0.5;
	v = judge(f);
	assert_int_equal(v.first, CMP_CAUSE_DEVICE);
	assert_true(misses(&v, "ioltp twin"));
	f.device_time = 0.49;
	assert_cause(f, CMP_CAUSE_NONE);
}

/* What asks the drive for nothing is not limited by it, whatever a replay of that reaches. */
static void drive_not_asked(void **state)
{
	struct cmp_facts f = sqlite();

	(void)state;
	f.device_ios = 0;
	f.reach_own = 1;
	f.reach_most = 1;
	f.device_time = 0;
	f.cpu_time = 0.97;
	assert_cause(f, CMP_CAUSE_CPU);
	assert_non_null(strstr(judge(f).words, "asked for nothing"));
	assert_int_equal(judge(f).second, CMP_CAUSE_NONE);
}

/* ---- processors ---- */

static void cpu_used_up(void **state)
{
	struct cmp_facts f = server();

	(void)state;
	f.cpu_own = 0.9;
	f.cpu_system = 0.95;
	f.generator_cpu = 0.2;
	assert_cause(f, CMP_CAUSE_CPU);
	f.cpu_own = 0.89;
	f.cpu_system = 0.89;
	assert_int_not_equal(judge(f).first, CMP_CAUSE_CPU);
	/* Kernel threads that work for the run count with it. */
	f.cpu_system = 0.9;
	f.cpu_own = 0.5;
	assert_cause(f, CMP_CAUSE_CPU);
}

/* Within a control group's limit of one CPU of 64. */
static void cpu_limited(void **state)
{
	struct cmp_facts f = sqlite();

	(void)state;
	f.cpu_own = 0.99;
	f.generator_cpu = 0.99;
	f.cpu_system = 0.02;
	f.cpu_allowed = 1;
	f.cpu_time = 0.12;
	assert_cause(f, CMP_CAUSE_CPU);
	assert_non_null(strstr(judge(f).words, "of the 1 CPUs"));
}

/* One client on a machine of many CPUs. */
static void cpu_of_one_client(void **state)
{
	struct cmp_facts f = sqlite();

	(void)state;
	f.clients = 1;
	f.cpu_own = 0.06;
	f.cpu_system = 0.07;
	f.cpu_time = 0.8;
	f.device_time = 0.1;
	f.reach_own = 0.1;
	assert_cause(f, CMP_CAUSE_CPU);
	assert_non_null(strstr(judge(f).words, "as fast as one CPU"));
	/* Half and half is nobody's limit, but where time goes is known: to the larger part. */
	f.cpu_time = 0.49;
	f.device_time = 0.45;
	f.reach_own = 0.45;
	assert_cause(f, CMP_CAUSE_CPU);
	f.device_time = 0.495;
	assert_cause(f, CMP_CAUSE_DEVICE);
	assert_int_equal(judge(f).second, CMP_CAUSE_NONE);
}

/* A busy neighbour does not hide that the drive is waited for, and is named otherwise. */
static void cpu_of_others(void **state)
{
	struct cmp_facts f = sqlite();

	(void)state;
	f.cpu_system = 0.98;
	f.cpu_own = 0.1;
	f.device_time = 0.7;
	assert_cause(f, CMP_CAUSE_DEVICE);
	assert_int_equal(judge(f).second, CMP_CAUSE_CPU);
	f.device_time = 0.1;
	assert_cause(f, CMP_CAUSE_CPU);
	assert_non_null(strstr(judge(f).words, "something else uses it"));
}

static void drive_and_cpu(void **state)
{
	struct cmp_facts f = server();

	(void)state;
	f.reach_most = 0.95;
	f.cpu_own = 0.91;
	f.cpu_system = 0.91;
	assert_cause(f, CMP_CAUSE_DEVICE);
	assert_int_equal(judge(f).second, CMP_CAUSE_CPU);
	assert_non_null(strstr(judge(f).words, "at a limit too"));
	f.reach_most = 0.81;
	f.cpu_system = 0.99;
	assert_cause(f, CMP_CAUSE_CPU);
	assert_int_equal(judge(f).second, CMP_CAUSE_DEVICE);
}

/* ---- locks ---- */

/* Many writers of SQLite: the one that may write waits for the drive, the others for it. */
static void locks(void **state)
{
	struct cmp_facts f = sqlite();

	(void)state;
	f.lock_time = 0.85;
	f.device_time = 0.12;
	f.cpu_time = 0.03;
	f.reach_own = 0.9;
	assert_cause(f, CMP_CAUSE_LOCK);
	assert_int_equal(judge(f).second, CMP_CAUSE_DEVICE);
	assert_non_null(strstr(judge(f).words, "80 % of the time outside of lock waits"));
	/* A drive that has no more to give is what they all wait for in the end. */
	f.reach_most = 0.9;
	assert_cause(f, CMP_CAUSE_DEVICE);
	assert_int_equal(judge(f).second, CMP_CAUSE_LOCK);
	/* Not when the holder computes, nor when nobody knows. */
	f.device_time = NAN;
	assert_null(strstr(judge(f).words, "lower latency"));
	f = sqlite();
	f.lock_time = 0.85;
	f.device_time = 0.03;
	f.cpu_time = 0.12;
	assert_cause(f, CMP_CAUSE_LOCK);
	assert_null(strstr(judge(f).words, "lower latency"));
	f = sqlite();
	f.lock_time = 0.49;
	assert_cause(f, CMP_CAUSE_LOCK); /* the largest of 0.49 + 0.3 + 0.25 */
	f.device_time = 0.1;
	f.cpu_time = 0.1;
	assert_cause(f, CMP_CAUSE_NONE);
}

/* A server does not tell its lock waits: what is idle tells them. */
static void locks_by_exclusion(void **state)
{
	struct cmp_facts f = server();

	(void)state;
	assert_cause(f, CMP_CAUSE_LOCK);
	assert_non_null(strstr(judge(f).words, "by exclusion"));
	f.clients = 1;
	assert_cause(f, CMP_CAUSE_NONE);
	f = server();
	f.reach_own = 0.5;
	assert_cause(f, CMP_CAUSE_NONE);
	f = server();
	f.cpu_system = 0.7;
	assert_cause(f, CMP_CAUSE_NONE);
	/* Without a twin, the kernel's view of the drive. */
	f = server();
	f.reach_own = NAN;
	assert_cause(f, CMP_CAUSE_LOCK);
	f.device_busy = 0.6;
	assert_cause(f, CMP_CAUSE_NONE);
	/* SQLite counts its waits: idle without them is no lock. */
	assert_cause(sqlite(), CMP_CAUSE_NONE);
}

/* ---- the generator and the load ---- */

static void generator(void **state)
{
	struct cmp_facts f = server();

	(void)state;
	f.generator_cpu = 0.9;
	assert_cause(f, CMP_CAUSE_GENERATOR);
	f.generator_cpu = 0.89;
	assert_cause(f, CMP_CAUSE_LOCK);
	assert_int_equal(judge(f).second, CMP_CAUSE_GENERATOR);
	f.generator_cpu = 0.1;
	f.generator_time = 0.5;
	assert_cause(f, CMP_CAUSE_GENERATOR);
	/* Starved while it should follow a schedule. */
	f = server();
	f.open_loop = true;
	f.achieved = 0.9;
	f.lateness_p99_ns = 2e6;
	assert_cause(f, CMP_CAUSE_GENERATOR);
	assert_non_null(strstr(judge(f).words, "2 ms or more late"));
	f.lateness_p99_ns = 49999;
	f.service_mean_ns = 1e5;
	assert_int_not_equal(judge(f).first, CMP_CAUSE_GENERATOR);
	/* A drive at its limit does not clear a starved generator. */
	f.lateness_p99_ns = 2e6;
	f.reach_most = 0.9;
	assert_cause(f, CMP_CAUSE_GENERATOR);
	assert_int_equal(judge(f).second, CMP_CAUSE_DEVICE);
}

static void offered(void **state)
{
	struct cmp_facts f = server();

	(void)state;
	f.open_loop = true;
	f.achieved = 0.99;
	f.reach_most = 0.3;
	assert_cause(f, CMP_CAUSE_OFFERED);
	assert_non_null(strstr(judge(f).words, "30 % of what the drive gives"));
	f.reach_most = 0.9;
	assert_int_equal(judge(f).second, CMP_CAUSE_DEVICE);
	f.achieved = 0.98;
	assert_cause(f, CMP_CAUSE_DEVICE);
	/* Think times. */
	f = sqlite();
	f.idle = 0.5;
	assert_cause(f, CMP_CAUSE_OFFERED);
	f.idle = 0.49;
	assert_cause(f, CMP_CAUSE_NONE);
}

static void modelled(void **state)
{
	struct cmp_facts f = unknown();
	struct cmp_verdict v;

	(void)state;
	f.modelled = true;
	f.cpu_time = 0.01;
	v = judge(f);
	assert_int_equal(v.first, CMP_CAUSE_NONE);
	assert_true(misses(&v, "null driver"));
	f.generator_cpu = 0.95;
	assert_cause(f, CMP_CAUSE_GENERATOR);
	/* Others on the machine starve it, with no database among them. */
	f.generator_cpu = 0.6;
	f.cpu_system = 0.9;
	assert_cause(f, CMP_CAUSE_GENERATOR);
	assert_int_equal(judge(f).second, CMP_CAUSE_NONE);
	assert_non_null(strstr(judge(f).words, "CPUs were 90 % busy"));
	f.cpu_system = 0.89;
	assert_cause(f, CMP_CAUSE_NONE);
	/* With a database on the machine they may be its own. */
	f = server();
	f.cpu_system = 0.9;
	assert_cause(f, CMP_CAUSE_CPU);
}

/* ---- what is missing ---- */

static void nothing_known(void **state)
{
	struct cmp_verdict v = judge(unknown());

	(void)state;
	assert_int_equal(v.first, CMP_CAUSE_NONE);
	assert_int_equal(v.second, CMP_CAUSE_NONE);
	assert_int_equal(v.nfigures, 0);
	assert_true(misses(&v, "--capture"));
	assert_true(misses(&v, "saturation"));
	assert_true(misses(&v, "server's CPU time"));
	assert_true(misses(&v, "lock waits"));
	v = judge(sqlite());
	assert_int_equal(v.nmissing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(drive_hardly_used),
	    cmocka_unit_test(drive_used_up),
	    cmocka_unit_test(drive_latency),
	    cmocka_unit_test(drive_not_asked),
	    cmocka_unit_test(cpu_used_up),
	    cmocka_unit_test(cpu_limited),
	    cmocka_unit_test(cpu_of_one_client),
	    cmocka_unit_test(cpu_of_others),
	    cmocka_unit_test(drive_and_cpu),
	    cmocka_unit_test(locks),
	    cmocka_unit_test(locks_by_exclusion),
	    cmocka_unit_test(generator),
	    cmocka_unit_test(offered),
	    cmocka_unit_test(modelled),
	    cmocka_unit_test(nothing_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
