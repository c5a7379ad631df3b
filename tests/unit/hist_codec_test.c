/* SPDX-License-Identifier: MIT */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hist.h"
#include "base/hist_codec.h"
#include "base/rng.h"
#include "hist_fixture.h"

/*
 * Written by HdrHistogram for Java 2.1.11, highest trackable value 24 h: i^4 * 1000, i^3 times
 * each, i = 1 .. 20, with 1, 2 and 3 digits; plain and compressed.
 */
static const char *const java_plain[] = {
    ("HISTEwAAADoAAAAAAAAAAQAAAAAAAAABAABOlJFPAAA/8AAAAAAAAN0BAn0QRTY1gAEl+gEdsAMb"
     "rgUXgAgRsgsR0A8N5hQNgBsNqiIL8CoJ3jQLgEAF4kwJkFsJlmsFgH0="),
    ("HISTEwAAAEQAAAAAAAAAAgAAAAAAAAABAABOlJFPAAA/8AAAAAAAAPMHAv0HEMUENrUDgAG5AvoB"
     "iQKwA+UBrgXNAYAImQGyC50B0A+LAeYUe4Abc6oib/AqW940b4BAR+JMT5BbXZZrPYB9"),
    ("HISTEwAAAE0AAAAAAAAAAwAAAAAAAAABAABOlJFPAAA/8AAAAAAAAM8PAs0/EL8kNrsbgAHlE/oB"
     "1xCwA8MOrgX1DIAI3wmyC4MK0A/rCOYU6QeAG7kHqiKHB/Aq5QXeNI0HgEDRBOJMiwWQW4MGlmv9"
     "A4B9"),
};
static const char *const java_compressed[] = {
    ("HISTFAAAAFt4nJNpmSzMwMBgxQABjAjab8pEfwYG+w8QgbuMTLUCrmamDYyqvxhlNzBLr2MVb+AQ"
     "3MQteIGf95kIb4M07yol7g9anPdMuBscWB/5cE6I5pyWzdpQCwBEoRXz"),
    ("HISTFAAAAGl4nJNpmSzMwMDgwgABTFCakYHBb8pEfwYG+w8Qgc/sTH/ZBY6ymG1lbmDcyfSLsZNp"
     "A/NTxnWsZxkbOGYybuKey3iBv5vxmUh1g3TxKqX8D1rR90zyGxzcH/n4T4iOnZZt21ALAOq1HsU="),
    ("HISTFAAAAHN4nJNpmSzMwMDgywABzFCakYHBb8pEfwYG+w8QgfP8TGftBfarmO2WbmB8KvyL8brA"
     "BubDfOtYv/I0cNzn3MTdzHWB/zXHM5GX7A3SO9lXKbWzf9B6ynrPpJe9weEiyyOfbtYJ0c1s07L/"
     "MjfUAgBY0yOh"),
};

/* i^4 * 1000 once each, 2 digits, lowest discernible value 1000 (in fact 512). */
static const char java_unit_1000[] =
    "HISTEwAAADEAAAAAAAAAAgAAAAAAAAPoAABOlJFPAAA/8AAAAAAAAAACOQL7AQK1AwK5AgKJAgLl"
    "AQLNAQKZAQKdAQKLAQJ7AnMCbwJbAm8CRwJPAl0CPQI=";

/* The same with 3 digits, highest trackable value 1 h. */
static const char java_hour[] =
    "HISTEwAAADwAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAM8PAs0/Ar8kArsbAuUTAtcQ"
    "AsMOAvUMAt8JAoMKAusIAukHArkHAocHAuUFAo0HAtEEAosFAoMGAv0DAg==";

static const char java_empty[] = "HISTEwAAAAEAAAAAAAAAAwAAAAAAAAABAABOlJFPAAA/8AAAAAAAAAA=";

/* What cannot be read as counts of ns: 4 digits, rotated counters, scaled doubles. */
static const char *const java_others[] = {
    "HISTEwAAAAIAAAAAAAAABAAAAAAAAAABAABOlJFPAAA/8AAAAAAAAAkC",
    "HISTEwAAAAMAAAgAAAAAAwAAAAAAAAABAABOlJFPAAA/8AAAAAAAAMNTAg==",
    ("DHISTgAAAAMAAAAAAA9CQByEkxMAAAADAAAAAAAAAAMAAAAAAAAAAQAAAAB/////P0AAAAAAAAD/"
     "DwI="),
};

static struct hist *new_hist(void)
{
	struct hist *h = hist_new();

	assert_non_null(h);
	return h;
}

/* ---- what we wrote ourselves ---- */

static void check_identity(const struct hist *h)
{
	struct strbuf text = STRBUF_INIT;
	struct hist *back = new_hist();

	assert_int_equal(hist_encode(h, &text), 0);
	assert_int_equal(hist_decode(back, strbuf_str(&text)), 0);
	assert_equal_counts(back, h);
	assert_int_equal(back->lo, h->lo);
	assert_int_equal(back->hi, h->hi);
	if (h->lo <= h->hi) {
		assert_int_equal(hist_index(back->min_ns), hist_index(h->min_ns));
		assert_int_equal(hist_index(back->max_ns), hist_index(h->max_ns));
	}
	/* Again, which must double everything. */
	assert_int_equal(hist_decode(back, strbuf_str(&text)), 0);
	assert_int_equal(hist_count(back), 2 * hist_count(h));
	strbuf_fini(&text);
	hist_free(back);
}

static void test_identity(void **state)
{
	struct hist *h = new_hist();
	struct rng r;

	(void)state;
	rng_init(&r, 31, 0, RNG_KEYS);
	check_identity(h);
	hist_record(h, 0);
	check_identity(h);
	hist_record(h, UINT64_MAX);
	check_identity(h);
	hist_reset(h);
	for (unsigned i = 0; i < 100000; i++)
		hist_record(h, (uint64_t)(1000 * pow(1 - rng_double(&r), -1.5)));
	check_identity(h);
	hist_reset(h);
	/* Each counter, with counts whose words have one to three bytes. */
	for (uint32_t i = 0; i <= hist_index(HIST_MAX_NS); i++)
		for (uint32_t k = 0; k < 1 + i % 97 * (i % 89); k++)
			hist_record(h, hist_value_at(i));
	check_identity(h);
	hist_free(h);
}

/* Words of up to nine bytes. */
static void test_identity_of_large_counts(void **state)
{
	struct hist *h = new_hist();
	struct hist *copy = new_hist();

	(void)state;
	for (unsigned i = 0; i < 63; i++) {
		hist_reset(copy);
		hist_merge(copy, h);
		hist_merge(h, copy);
		hist_record(h, i % 2 != 0 ? i : i * 100000);
		check_identity(h);
	}
	assert_int_equal(hist_count(h), (1ull << 63) - 1);
	hist_free(h);
	hist_free(copy);
}

static void test_appends(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct hist *h = new_hist();

	(void)state;
	strbuf_adds(&text, "\"hist\": \"");
	assert_int_equal(hist_encode(h, &text), 0);
	assert_memory_equal(strbuf_str(&text), "\"hist\": \"HIST", 13);
	assert_int_equal((text.len - 9) % 4, 0);
	strbuf_fini(&text);
	hist_free(h);
}

#ifdef HAVE_ZLIB
/* A million values fit into a report. */
static void test_compressed(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct hist *h = new_hist();
	struct rng r;

	(void)state;
	rng_init(&r, 32, 0, RNG_KEYS);
	for (unsigned i = 0; i < 1000000; i++)
		hist_record(h, (uint64_t)rng_exponential(&r, 1e6));
	assert_int_equal(hist_encode(h, &text), 0);
	assert_memory_equal(strbuf_str(&text), "HISTFA", 6);
	assert_true(text.len < 20000);
	strbuf_fini(&text);
	hist_free(h);
}
#endif

/* ---- what HdrHistogram wrote ---- */

/* Each i^4 * 1000 is within the precision of `digits` of where it was counted. */
static void check_java(const char *text, unsigned digits, bool cubes)
{
	struct hist *h = new_hist();
	uint64_t total = 0;

	assert_int_equal(hist_decode(h, text), 0);
	for (uint64_t i = 1; i <= 20; i++) {
		double value = (double)(i * i * i * i) * 1000;
		double room = value * pow(10, -(double)digits);
		uint64_t before = 0;
		uint64_t within = 0;

		total += cubes ? i * i * i : 1;
		for (uint32_t k = h->lo; k <= h->hi; k++) {
			double middle = (double)hist_value_at(k) + (double)hist_width_at(k) / 2;

			before += middle <= value + room ? hist_count_at(h, k) : 0;
			within += fabs(middle - value) <= room ? hist_count_at(h, k) : 0;
		}
		assert_int_equal(within, cubes ? i * i * i : 1);
		assert_int_equal(before, total);
	}
	assert_int_equal(hist_count(h), total);
	assert_true(h->min_ns <= 1000 && h->max_ns >= 160000000);
	assert_true((double)h->max_ns < 160000000 * (1 + pow(10, -(double)digits)));
	hist_free(h);
}

static void test_java(void **state)
{
	(void)state;
	for (unsigned digits = 1; digits <= 3; digits++) {
		check_java(java_plain[digits - 1], digits, true);
#ifdef HAVE_ZLIB
		check_java(java_compressed[digits - 1], digits, true);
#endif
	}
	check_java(java_hour, 3, false);
}

#ifndef HAVE_ZLIB
static void test_java_needs_zlib(void **state)
{
	struct hist *h = new_hist();

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hist_decode(h, java_compressed[i]), -ENOTSUP);
	hist_free(h);
}
#endif

/* With a unit of 512 the lowest value is only known to be below 1024. */
static void test_java_unit(void **state)
{
	struct hist *h = new_hist();

	(void)state;
	assert_int_equal(hist_decode(h, java_unit_1000), 0);
	assert_int_equal(hist_count(h), 20);
	assert_int_equal(h->min_ns, 512);
	assert_int_equal(h->max_ns, 159383552 + 1048576 - 1);
	assert_int_equal(hist_count_at(h, hist_index(512 + 256)), 1);
	assert_int_equal(hist_count_at(h, hist_index(50593792 + 131072)), 1);
	hist_free(h);
}

static void test_java_empty(void **state)
{
	struct hist *h = new_hist();
	struct strbuf text = STRBUF_INIT;

	(void)state;
	assert_int_equal(hist_decode(h, java_empty), 0);
	assert_int_equal(hist_count(h), 0);
	assert_int_equal(h->min_ns, UINT64_MAX);
	assert_int_equal(hist_encode(h, &text), 0);
#ifndef HAVE_ZLIB
	assert_string_equal(strbuf_str(&text), java_empty);
#endif
	strbuf_fini(&text);
	hist_free(h);
}

/* ---- damaged ---- */

/* Whatever the answer, a refusal leaves the histogram alone and an acceptance leaves it consistent.
 */
static int check_decode(struct hist *h, const struct hist *untouched, const char *text)
{
	/* Exactly as long as it is: a sanitizer sees any read behind it. */
	char *exact = strdup(text);
	int rc;

	assert_non_null(exact);
	rc = hist_decode(h, exact);
	free(exact);
	if (rc != 0) {
		assert_true(rc == -EINVAL || rc == -ENOTSUP);
		assert_equal_hists(h, untouched);
		return rc;
	}
	for (uint32_t i = 0; i < HIST_COUNTS; i++)
		assert_true(hist_count_at(h, i) == 0 || (i >= h->lo && i <= h->hi));
	assert_true(hist_count(h) == 0 || hist_percentile_ns(h, 50) >= h->min_ns);
	assert_true(hist_count(h) == 0 || hist_percentile_ns(h, 50) <= h->max_ns);
	hist_reset(h);
	hist_merge(h, untouched);
	return 0;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void damage(struct rng *r, char *text)
{
	size_t len = strlen(text);
	unsigned changes = (unsigned)rng_below(r, 4) + 1;

	for (unsigned k = 0; k < changes; k++) {
		char *p = &text[rng_below(r, len)];

		switch (rng_below(r, 8)) {
		case 0:
			*p = (char)rng_below(r, 256);
			break;
		case 1:
			*p = '=';
			break;
		case 2: /* a chunk of ones: long words, huge counts */
			memset(p, '/', strnlen(p, 1 + rng_below(r, 12)));
			break;
		default:
			*p = base64_digits[rng_below(r, 64)];
		}
	}
	/* Cut off, mostly at a multiple of four, where base64 does not notice. */
	if (rng_below(r, 4) == 0)
		text[rng_below(r, len) & ~(size_t)(rng_below(r, 4) != 0 ? 3 : 0)] = '\0';
}

static void test_damaged(void **state)
{
	struct strbuf own = STRBUF_INIT;
	struct hist *untouched = new_hist();
	struct hist *h = new_hist();
	const char *texts[8];
	unsigned refused = 0;
	unsigned n = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 33, 0, RNG_KEYS);
	for (unsigned i = 0; i < 1000; i++)
		hist_record(untouched, 1 + rng_below(&r, 1000000));
	hist_merge(h, untouched);
	assert_int_equal(hist_encode(h, &own), 0);
	texts[n++] = strbuf_str(&own);
	texts[n++] = java_unit_1000;
	texts[n++] = java_empty;
	for (unsigned i = 0; i < 3; i++) {
		texts[n++] = java_plain[i];
		if (i < 2)
			texts[n++] = java_compressed[i];
	}
	for (unsigned i = 0; i < 10000; i++) {
		char *text = strdup(texts[i % n]);

		assert_non_null(text);
		damage(&r, text);
		refused += check_decode(h, untouched, text) != 0;
		free(text);
	}
	/* Some damage to a count only changes the count; most is seen. */
	assert_true(refused > 5000 && refused < 10000);
	strbuf_fini(&own);
	hist_free(untouched);
	hist_free(h);
}

static void test_not_a_histogram(void **state)
{
	static const char *const texts[] = {
	    "",
	    "=",
	    "==",
	    "====",
	    "A===",
	    "HIST",
	    "HISTEwAA",
	    "HISTFAAA",
	    "HISTFAAAAAA=",
	    "HISTFAAAAAA=HISTFAAAAAA=",
	    "not a histogram, not even base64",
	    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	    "////////////////////////////////////////////////////////////////",
	};
	struct hist *untouched = new_hist();
	struct hist *h = new_hist();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_true(check_decode(h, untouched, texts[i]) < 0);
	for (size_t i = 0; i < sizeof(java_others) / sizeof(java_others[0]); i++)
		assert_int_equal(check_decode(h, untouched, java_others[i]), -EINVAL);
	hist_free(untouched);
	hist_free(h);
}

/* Every text that is cut short is refused: none of them has all of its payload. */
static void test_cut_short(void **state)
{
	struct hist *untouched = new_hist();
	struct hist *h = new_hist();
	char *text = strdup(java_plain[2]);

	(void)state;
	assert_non_null(text);
	for (size_t len = strlen(text) - 1; len > 0; len--) {
		text[len] = '\0';
		assert_true(check_decode(h, untouched, text) < 0);
	}
	free(text);
	hist_free(untouched);
	hist_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_identity),
	    cmocka_unit_test(test_identity_of_large_counts),
	    cmocka_unit_test(test_appends),
#ifdef HAVE_ZLIB
	    cmocka_unit_test(test_compressed),
#else
	    cmocka_unit_test(test_java_needs_zlib),
#endif
	    cmocka_unit_test(test_java),
	    cmocka_unit_test(test_java_unit),
	    cmocka_unit_test(test_java_empty),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_not_a_histogram),
	    cmocka_unit_test(test_cut_short),
	};

	return cmocka_run_group_tests_name("hist_codec", tests, NULL, NULL);
}
