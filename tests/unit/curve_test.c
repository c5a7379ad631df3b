/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "raw/curve.h"

static void test_ranges(void **state)
{
	struct curve c = {0};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(curve_parse(&c, "10-120,10", &err), 0);
	assert_int_equal(c.n, 12);
	assert_true(c.per_cent[0] == 10 && c.per_cent[11] == 120);
	assert_int_equal(curve_parse(&c, "0.1-0.9,0.1", &err), 0);
	assert_int_equal(c.n, 9);
	assert_true(fabs(c.per_cent[8] - 0.9) < 1e-9);
	assert_int_equal(curve_parse(&c, "50-50,10", &err), 0);
	assert_int_equal(c.n, 1);
	assert_int_equal(curve_parse(&c, "10-25,10", &err), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(curve_parse(&c, "100, 50,80", &err), 0);
	assert_int_equal(c.n, 3);
	assert_true(c.per_cent[1] == 50);
}

static void test_bad_ranges(void **state)
{
	static const char *const bad[] = {"",      "10-5,1",   "10-20",   "0-100,10",  "10-20,0",
	                                  "-10",   "10,x",     "10-20,x", "10-20,1,1", "0",
	                                  "10,-5", "1-1000,1", "a-b,c",   "10-20,-1"};
	struct curve c = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = ERR_INIT;

		if (curve_parse(&c, bad[i], &err) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(err.status, EXIT_USAGE);
		assert_non_null(strstr(err.text, "--curve="));
	}
}

static void test_saturation(void **state)
{
	struct curve_outcome o = {.offered_per_s = 1000, .achieved_per_s = 1000};

	(void)state;
	assert_false(curve_saturated(&o));
	o.achieved_per_s = 995;
	assert_false(curve_saturated(&o));
	o.achieved_per_s = 985;
	assert_true(curve_saturated(&o));
}

/* A target that does 1000 per s in 1 ms each until it is full. */
struct model {
	double rates[16];
	unsigned n, fails_at;
};

static void run_model(void *ctx, unsigned i, double rate_per_s, struct curve_outcome *o)
{
	struct model *m = ctx;

	assert_int_equal(i, m->n);
	m->rates[m->n++] = rate_per_s;
	o->offered_per_s = rate_per_s;
	o->achieved_per_s = rate_per_s < 1000 ? rate_per_s : 1000;
	o->mean_latency_ns = rate_per_s < 1000 ? 1e6 / (1 - rate_per_s / 1000) : 1e9;
	o->failed = m->n == m->fails_at;
}

static void test_run(void **state)
{
	struct curve c = {0};
	struct model m = {0};
	struct err err = ERR_INIT;

	(void)state;
	curve_parse(&c, "50-120,10", &err);
	assert_int_equal(curve_run(&c, 1000, run_model, &m), 8);
	assert_true(fabs(m.rates[0] - 500) < 1e-9 && fabs(m.rates[7] - 1200) < 1e-9);
	/* The point that breaks the rule is the last: 90 % has 10 ms. */
	m = (struct model){0};
	c.stop_latency_ns = 9000000;
	assert_int_equal(curve_run(&c, 1000, run_model, &m), 5);
	/* A run that was stopped ends the curve. */
	m = (struct model){.fails_at = 2};
	assert_int_equal(curve_run(&c, 1000, run_model, &m), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ranges),
	    cmocka_unit_test(test_bad_ranges),
	    cmocka_unit_test(test_saturation),
	    cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
