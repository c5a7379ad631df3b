/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raw/condition.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MIB      (1ull << 20)

static const char *text_of(const struct kv *kv, const char *key)
{
	const struct kv_item *item = kv_find(kv, key);

	return item != NULL ? item->text : "(none)";
}

static void test_nothing_done(void **state)
{
	struct condition c = {0};
	struct kv kv = KV_INIT;

	(void)state;
	condition_stamp(&c, &kv);
	assert_string_equal(text_of(&kv, "conditioning"),
	                    "unconditioned: purge, fill, precondition");
	assert_string_equal(text_of(&kv, "unconditioned"), "purge, fill, precondition");
	assert_string_equal(text_of(&kv, "purge"), "skipped");
	assert_string_equal(text_of(&kv, "steady_state"), "(none)");
	kv_fini(&kv);
}

static void test_some_done(void **state)
{
	struct condition c = {.dependent_asked = true};
	struct kv kv = KV_INIT;

	(void)state;
	condition_skipped(&c, CONDITION_PURGE, "a %s cannot be", "file");
	condition_done(&c, CONDITION_FILL, "1 GiB in 3 s");
	condition_done(&c, CONDITION_INDEPENDENT, "2 x");
	condition_stamp(&c, &kv);
	assert_string_equal(text_of(&kv, "conditioning"), "unconditioned: purge, steady_state; "
	                                                  "fill: 1 GiB in 3 s; precondition: 2 x");
	assert_string_equal(text_of(&kv, "purge"), "skipped: a file cannot be");
	assert_string_equal(text_of(&kv, "fill"), "1 GiB in 3 s");
	kv_fini(&kv);
}

static void test_all_done(void **state)
{
	struct condition c = {0};
	struct kv kv = KV_INIT;

	(void)state;
	condition_done(&c, CONDITION_PURGE, "format");
	condition_done(&c, CONDITION_FILL, "f");
	condition_done(&c, CONDITION_INDEPENDENT, "i");
	condition_done(&c, CONDITION_DEPENDENT, "after 5 rounds");
	condition_stamp(&c, &kv);
	assert_string_equal(text_of(&kv, "conditioning"),
	                    "purge: format; fill: f; precondition: i; "
	                    "steady_state: after 5 rounds");
	assert_string_equal(text_of(&kv, "unconditioned"), "(none)");
	kv_fini(&kv);
}

static void test_fresh(void **state)
{
	struct condition c = {.fresh_asked = true};
	struct kv kv = KV_INIT;

	(void)state;
	condition_stamp(&c, &kv);
	assert_string_equal(text_of(&kv, "conditioning"), "unconditioned: purge");
	kv_fini(&kv);
	condition_done(&c, CONDITION_PURGE, "format");
	condition_stamp(&c, &kv);
	assert_string_equal(text_of(&kv, "conditioning"), "purge: format");
	assert_string_equal(text_of(&kv, "fill"), "(none)");
	kv_fini(&kv);
}

static void test_parse(void **state)
{
	struct condition_spec s;
	struct err err = ERR_INIT;
	static const char *const wrong[] = {
	    "", "x", "0x", "-1x", "2x,", "2x,100", "2x,4k,rand,seq", "much", "0", "2x,1t", "1001x"};

	(void)state;
	assert_int_equal(condition_spec_parse(&s, "none", "precondition", &err), 0);
	assert_true(s.capacities == 0 && s.bytes == 0);
	assert_int_equal(condition_writes(&s, 100 * MIB), 0);
	assert_int_equal(condition_spec_parse(&s, "2x", "precondition", &err), 0);
	assert_true(s.capacities == 2 && s.io_bytes == 131072 && !s.random);
	assert_int_equal(condition_spec_parse(&s, "1.5x,4k,rand", "precondition", &err), 0);
	assert_true(s.capacities == 1.5 && s.io_bytes == 4096 && s.random);
	assert_int_equal(condition_spec_parse(&s, "10m,seq,1m", "precondition", &err), 0);
	assert_true(s.capacities == 0 && s.bytes == 10 * MIB && s.io_bytes == MIB && !s.random);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		err = ERR_INIT;
		if (condition_spec_parse(&s, wrong[i], "precondition", &err) != -EINVAL ||
		    strncmp(err.text, "--precondition=", 15) != 0)
			fail_msg("'%s' is not refused: %s", wrong[i], err.text);
	}
}

static void test_amounts(void **state)
{
	struct condition_spec twice = {.capacities = 2, .io_bytes = 131072};
	struct condition_spec half = {.capacities = 0.5, .io_bytes = 131072};
	struct condition_spec bytes = {.bytes = 10 * MIB, .io_bytes = 4096};
	struct condition_spec random = {.capacities = 4, .io_bytes = 4096, .random = true};

	(void)state;
	assert_int_equal(condition_writes(&twice, 100 * MIB), 1600);
	/* 100 MiB and 64 KiB: whole writes in each lap; the tail is written apart. */
	assert_int_equal(condition_writes(&twice, 100 * MIB + 65536), 1600);
	assert_int_equal(condition_writes(&half, 100 * MIB), 400);
	assert_int_equal(condition_writes(&half, 65536), 1);
	assert_int_equal(condition_writes(&bytes, 100 * MIB), 2560);
	assert_true(condition_fills(&twice, 100 * MIB));
	assert_false(condition_fills(&half, 100 * MIB));
	assert_false(condition_fills(&bytes, 100 * MIB));
	assert_true(condition_fills(&bytes, 10 * MIB));
	/* At random some addresses are missed, however much is written. */
	assert_false(condition_fills(&random, 100 * MIB));
}

static void test_profiles(void **state)
{
	struct raw_profile *p = calloc(1, sizeof(*p));
	struct condition_spec spec = {.capacities = 1, .io_bytes = 131072};
	struct condition_spec half = {.capacities = 0.5, .io_bytes = 131072};
	struct err err = ERR_INIT;

	(void)state;
	assert_non_null(p);
	condition_profile(p, &spec);
	assert_int_equal(profile_check(p, 100 * MIB, 512, &err), 0);
	assert_int_equal(p->streams[0].pattern, IO_SEQUENTIAL);
	assert_true(p->streams[0].read_share == 0);
	assert_int_equal(p->streams[0].write_sizes.bytes[0], 131072);
	assert_int_equal(condition_tail(p, &spec, 100 * MIB, 512), 0);
	/* 3 blocks of 4 KiB, and half a one that no I/O reaches. */
	assert_int_equal(condition_tail(p, &spec, 100 * MIB + 14336, 4096), 3);
	assert_int_equal(p->streams[0].offset.bytes, 100 * MIB);
	assert_int_equal(p->streams[0].span.bytes, 12288);
	assert_int_equal(p->streams[0].write_sizes.bytes[0], 4096);
	assert_int_equal(condition_tail(p, &half, 100 * MIB + 14336, 4096), 0);
	free(p);
}

static void test_progress(void **state)
{
	char buf[128];

	(void)state;
	assert_string_equal(
	    condition_progress(buf, sizeof(buf), "fill", 256 * MIB, 1024 * MIB, 2000000000),
	    "fill: 25.0 %, 256 MiB of 1 GiB, 134 MB/s, 6 s left");
	assert_string_equal(condition_progress(buf, sizeof(buf), "fill", 0, 1024 * MIB, 0),
	                    "fill: 0.0 %, 0 B of 1 GiB, 0 MB/s, unknown time left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_done), cmocka_unit_test(test_some_done),
	    cmocka_unit_test(test_all_done),     cmocka_unit_test(test_parse),
	    cmocka_unit_test(test_amounts),      cmocka_unit_test(test_profiles),
	    cmocka_unit_test(test_progress),     cmocka_unit_test(test_fresh),
	};

	return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
