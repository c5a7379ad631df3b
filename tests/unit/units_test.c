/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "base/units.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct amount_case {
	const char *text;
	int rc;
	uint64_t value;
};

static void check_amounts(int (*parse)(const char *, uint64_t *), const struct amount_case *cases,
                          size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = 77;
		int rc = parse(cases[i].text, &value);

		if (rc != cases[i].rc)
			fail_msg("\"%s\": %d, expected %d", cases[i].text, rc, cases[i].rc);
		/* What was refused leaves the caller's variable alone. */
		if (value != (rc == 0 ? cases[i].value : 77))
			fail_msg("\"%s\" gave %llu", cases[i].text, (unsigned long long)value);
	}
}

static void test_int(void **state)
{
	static const struct {
		const char *text;
		int rc;
		int64_t value;
	} cases[] = {
	    {"0", 0, 0},
	    {"123", 0, 123},
	    {"-5", 0, -5},
	    {"+5", 0, 5},
	    {"-0", 0, 0},
	    {"0x10", 0, 16},
	    {"-0xfF", 0, -255},
	    {"010", 0, 10},
	    {"9223372036854775807", 0, INT64_MAX},
	    {"-9223372036854775808", 0, INT64_MIN},
	    {"0x7fffffffffffffff", 0, INT64_MAX},
	    {"-0x8000000000000000", 0, INT64_MIN},
	    {"9223372036854775808", -ERANGE, 0},
	    {"-9223372036854775809", -ERANGE, 0},
	    {"0x8000000000000000", -ERANGE, 0},
	    {"99999999999999999999999", -ERANGE, 0},
	    {"99999999999999999999999x", -EINVAL, 0},
	    {"", -EINVAL, 0},
	    {"-", -EINVAL, 0},
	    {"+", -EINVAL, 0},
	    {"--5", -EINVAL, 0},
	    {"0x", -EINVAL, 0},
	    {"x10", -EINVAL, 0},
	    {" 5", -EINVAL, 0},
	    {"5 ", -EINVAL, 0},
	    {"10x", -EINVAL, 0},
	    {"1a", -EINVAL, 0},
	    {"1.0", -EINVAL, 0},
	    {"1e3", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t value = 77;
		int rc = units_parse_int(cases[i].text, &value);

		if (rc != cases[i].rc || value != (rc == 0 ? cases[i].value : 77))
			fail_msg("\"%s\": %d, %lld", cases[i].text, rc, (long long)value);
	}
}

static void test_double(void **state)
{
	static const char *const wrong[] = {"",  " 1", "1 ",   "inf", "-inf", "nan", "-nan",
	                                    ".", "-",  "1..2", "1x",  "e5",   "1,5", "+-1"};
	static const char *const outside[] = {"1e309", "-1e309", "1e-400"};
	double value = 0;

	(void)state;
	assert_int_equal(units_parse_double("0.5", &value), 0);
	assert_true(value == 0.5);
	assert_int_equal(units_parse_double("1e6", &value), 0);
	assert_true(value == 1e6);
	assert_int_equal(units_parse_double("-.25", &value), 0);
	assert_true(value == -0.25);
	assert_int_equal(units_parse_double("1e308", &value), 0);
	assert_true(value == 1e308);
	assert_int_equal(units_parse_double("0", &value), 0);
	assert_true(value == 0);
	value = 77;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		if (units_parse_double(wrong[i], &value) != -EINVAL)
			fail_msg("\"%s\" was not refused", wrong[i]);
	}
	for (size_t i = 0; i < COUNT(outside); i++) {
		if (units_parse_double(outside[i], &value) != -ERANGE)
			fail_msg("\"%s\" was not refused", outside[i]);
	}
	assert_true(value == 77);
}

static void test_size(void **state)
{
	static const struct amount_case cases[] = {
	    {"0", 0, 0},
	    {"4096", 0, 4096},
	    {"4k", 0, 4096},
	    {"4K", 0, 4096},
	    {"4kB", 0, 4096},
	    {"4KiB", 0, 4096},
	    {"4kib", 0, 4096},
	    {"512B", 0, 512},
	    {"512b", 0, 512},
	    {"1.5G", 0, 1610612736},
	    {"0.5k", 0, 512},
	    {".5k", 0, 512},
	    {"2T", 0, 2199023255552},
	    {"3M", 0, 3145728},
	    {"1P", 0, 1125899906842624},
	    {"4096.0", 0, 4096},
	    {"0.3G", 0, 322122547},
	    {"0.7G", 0, 751619277},
	    {"18446744073709551615", 0, UINT64_MAX},
	    {"16383P", 0, 16383ull << 50},
	    {"0.00000000000000000000k", 0, 0},
	    {"18446744073709551616", -ERANGE, 0},
	    {"16384P", -ERANGE, 0},
	    {"99999999999999999999999k", -ERANGE, 0},
	    {"0.0001k", -ERANGE, 0},
	    {"1.5", -EINVAL, 0},
	    {"1.5B", -EINVAL, 0},
	    {"", -EINVAL, 0},
	    {"k", -EINVAL, 0},
	    {"-1", -EINVAL, 0},
	    {"+1", -EINVAL, 0},
	    {" 4k", -EINVAL, 0},
	    {"4k ", -EINVAL, 0},
	    {"4 k", -EINVAL, 0},
	    {"4kk", -EINVAL, 0},
	    {"4iB", -EINVAL, 0},
	    {"4ki", -EINVAL, 0},
	    {"4x", -EINVAL, 0},
	    {"4.k", -EINVAL, 0},
	    {"1.2.3k", -EINVAL, 0},
	    {"0x10", -EINVAL, 0},
	    {"1e3", -EINVAL, 0},
	    {"10s", -EINVAL, 0},
	};

	(void)state;
	check_amounts(units_parse_size, cases, COUNT(cases));
}

static void test_time(void **state)
{
	static const struct amount_case cases[] = {
	    {"0", 0, 0},
	    {"10", 0, 10000000000},
	    {"0.5", 0, 500000000},
	    {"0.1", 0, 100000000},
	    {"0.3s", 0, 300000000},
	    {"10s", 0, 10000000000},
	    {"100ms", 0, 100000000},
	    {"5us", 0, 5000},
	    {"20ns", 0, 20},
	    {"2m", 0, 120000000000},
	    {"1h", 0, 3600000000000},
	    {"1h30m", 0, 5400000000000},
	    {"1m30s500ms", 0, 90500000000},
	    {"1.5h", 0, 5400000000000},
	    {"0.25us", 0, 250},
	    {"1.0000000004", 0, 1000000000},
	    {"5124095h", 0, 18446742000000000000ull},
	    {"18446744073709551615ns", 0, UINT64_MAX},
	    {"5124096h", -ERANGE, 0},
	    {"18446744073709551616ns", -ERANGE, 0},
	    {"5124095h99999m", -ERANGE, 0},
	    {"5124096h1x", -EINVAL, 0},
	    {"0.0000000001", -ERANGE, 0},
	    {"0.5ns", -EINVAL, 0},
	    {"", -EINVAL, 0},
	    {"s", -EINVAL, 0},
	    {"-1s", -EINVAL, 0},
	    {" 1s", -EINVAL, 0},
	    {"1s ", -EINVAL, 0},
	    {"1 s", -EINVAL, 0},
	    {"1x", -EINVAL, 0},
	    {"1S", -EINVAL, 0},
	    {"1M", -EINVAL, 0},
	    {"1sec", -EINVAL, 0},
	    {"1h30", -EINVAL, 0},
	    {"30m1h", -EINVAL, 0},
	    {"1s1s", -EINVAL, 0},
	    {"1e3", -EINVAL, 0},
	    {"1,5s", -EINVAL, 0},
	};

	(void)state;
	check_amounts(units_parse_time, cases, COUNT(cases));
}

static void test_bool(void **state)
{
	static const char *const yes[] = {"on", "true", "yes", "1", "ON", "True", "YES"};
	static const char *const no[] = {"off", "false", "no", "0", "OFF", "False", "No"};
	static const char *const wrong[] = {"",    "2", "o", "onn", "of", " on",
	                                    "on ", "y", "t", "-1",  "01"};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_int_equal(units_parse_bool(yes[i]), 1);
	for (size_t i = 0; i < COUNT(no); i++)
		assert_int_equal(units_parse_bool(no[i]), 0);
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_int_equal(units_parse_bool(wrong[i]), -EINVAL);
}

static void test_format_size(void **state)
{
	static const struct {
		uint64_t size_bytes;
		const char *text;
	} cases[] = {
	    {0, "0 B"},
	    {512, "512 B"},
	    {1023, "1023 B"},
	    {1024, "1 KiB"},
	    {4096, "4 KiB"},
	    {1536, "1.5 KiB"},
	    {1610612736, "1.5 GiB"},
	    {102400, "100 KiB"},
	    {10 * 1024 + 512, "10.5 KiB"},
	    {1048575, "1 MiB"},
	    {1023 * 1024, "1023 KiB"},
	    {2199023255552, "2 TiB"},
	    {UINT64_MAX, "16 EiB"},
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(units_format_size(buf, sizeof(buf), cases[i].size_bytes),
		                    cases[i].text);
}

static void test_format_time(void **state)
{
	static const struct {
		uint64_t time_ns;
		const char *text;
	} cases[] = {
	    {0, "0 ns"},
	    {20, "20 ns"},
	    {999, "999 ns"},
	    {1000, "1 us"},
	    {1230000, "1.23 ms"},
	    {12345678, "12.3 ms"},
	    {123456789, "123 ms"},
	    {999499, "999 us"},
	    {999600, "1 ms"},
	    {1500000000, "1.5 s"},
	    {59900000000, "59.9 s"},
	    {59960000000, "1 min"},
	    {200000000000, "3 min 20 s"},
	    {119600000000, "2 min"},
	    {3600000000000, "1 h"},
	    {3605000000000, "1 h 5 s"},
	    {5400000000000, "1 h 30 min"},
	    {UINT64_MAX, "5124095 h 34 min 34 s"},
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(units_format_time(buf, sizeof(buf), cases[i].time_ns),
		                    cases[i].text);
}

static void test_format_fits(void **state)
{
	char buf[8];

	(void)state;
	memset(buf, 'x', sizeof(buf));
	units_format_size(buf, 4, 1536);
	assert_string_equal(buf, "1.5");
	assert_int_equal(buf[4], 'x');
	memset(buf, 'x', sizeof(buf));
	units_format_time(buf, 6, 200000000000);
	assert_string_equal(buf, "3 min");
	assert_int_equal(buf[6], 'x');
	assert_ptr_equal(units_format_time(buf, sizeof(buf), 1), buf);
}

/* Whatever is printed without rounding reads back as the same amount, blanks removed. */
static void test_round_trip(void **state)
{
	(void)state;
	for (unsigned shift = 0; shift < 60; shift++) {
		uint64_t before = 1ull << shift, after = 0;
		char text[32], packed[32];
		size_t len = 0;

		units_format_size(text, sizeof(text), before);
		for (const char *c = text; *c != '\0'; c++) {
			if (*c != ' ')
				packed[len++] = *c;
		}
		packed[len] = '\0';
		assert_int_equal(units_parse_size(packed, &after), 0);
		assert_true(before == after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_int),         cmocka_unit_test(test_double),
	    cmocka_unit_test(test_size),        cmocka_unit_test(test_time),
	    cmocka_unit_test(test_bool),        cmocka_unit_test(test_format_size),
	    cmocka_unit_test(test_format_time), cmocka_unit_test(test_format_fits),
	    cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
