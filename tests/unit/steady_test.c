/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "raw/steady.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct steady_rules pts = STEADY_RULES_PTS;

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
		fail_msg("%.12g instead of %.12g", a, b);
}

static void test_rules(void **state)
{
	(void)state;
	assert_int_equal(pts.window, 5);
	assert_int_equal(pts.max_rounds, 25);
	near(pts.range, 0.2);
	near(pts.excursion, 0.1);
}

/* Worked by hand: x = -2..2, sum of x squared = 10. */
static void test_worked_example(void **state)
{
	static const double y[] = {9999, 100, 104, 98, 102, 106};
	struct steady_verdict v;

	(void)state;
	assert_true(steady_judge(&pts, y, COUNT(y), &v));
	assert_int_equal(v.first, 1);
	assert_int_equal(v.n, 5);
	near(v.mean, 102);
	near(v.min, 98);
	near(v.max, 106);
	near(v.range, 8.0 / 102);
	/* -2*100 - 104 + 102 + 2*106 = 10, over 10. */
	near(v.slope, 1);
	near(v.intercept, 100);
	near(v.excursion, 4.0 / 102);
}

/* A fall that stays within 20 % but is no level line. */
static void test_slope_alone_fails(void **state)
{
	static const double y[] = {107.5, 104, 100, 96, 92.5};
	struct steady_verdict v;

	(void)state;
	assert_false(steady_judge(&pts, y, COUNT(y), &v));
	near(v.mean, 100);
	near(v.range, 0.15);
	/* -2*107.5 - 104 + 96 + 2*92.5 = -38, over 10. */
	near(v.slope, -3.8);
	near(v.excursion, 0.152);
}

/* A level line through values that are too far apart. */
static void test_range_alone_fails(void **state)
{
	static const double y[] = {100, 111, 89.5, 111, 100};
	struct steady_verdict v;

	(void)state;
	assert_false(steady_judge(&pts, y, COUNT(y), &v));
	near(v.slope, 0);
	near(v.mean, 102.3);
	near(v.range, 21.5 / 102.3);
}

/* The limits belong to what passes: 20 % and 10 % exactly. */
static void test_limits(void **state)
{
	static const double range[] = {100, 110, 90, 110, 90},
	                    over[] = {100, 110.01, 89.99, 110, 90};
	static const double slope[] = {95, 97.5, 100, 102.5, 105},
	                    steep[] = {94.99, 97.5, 100, 102.5, 105.01};
	struct steady_verdict v;

	(void)state;
	assert_true(steady_judge(&pts, range, 5, &v));
	near(v.range, 0.2);
	assert_false(steady_judge(&pts, over, 5, &v));
	assert_true(steady_judge(&pts, slope, 5, &v));
	near(v.excursion, 0.1);
	assert_false(steady_judge(&pts, steep, 5, &v));
}

static void test_too_few(void **state)
{
	static const double y[] = {100, 100, 100, 100, 100};
	struct steady_verdict v;

	(void)state;
	for (unsigned n = 0; n < 5; n++) {
		assert_false(steady_judge(&pts, y, n, &v));
		assert_int_equal(v.n, n);
		near(v.mean, n == 0 ? 0 : 100);
	}
	assert_true(steady_judge(&pts, y, 5, &v));
}

static void test_no_mean(void **state)
{
	static const double zero[] = {0, 0, 0, 0, 0}, below[] = {-1, -1, -1, -1, -1};
	static const double inf[] = {1, 1, INFINITY, 1, 1}, nan[] = {1, 1, NAN, 1, 1};
	struct steady_verdict v;

	(void)state;
	assert_false(steady_judge(&pts, zero, 5, &v));
	assert_false(steady_judge(&pts, below, 5, &v));
	assert_false(steady_judge(&pts, inf, 5, &v));
	assert_false(steady_judge(&pts, nan, 5, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rules),
	    cmocka_unit_test(test_worked_example),
	    cmocka_unit_test(test_slope_alone_fails),
	    cmocka_unit_test(test_range_alone_fails),
	    cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_too_few),
	    cmocka_unit_test(test_no_mean),
	};

	return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
