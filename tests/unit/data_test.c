/* SPDX-License-Identifier: MIT */
/* What is written is measured as a drive with compression or deduplication would see it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raw/data.h"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define WRITES 512u

/* All that so many writes of one buffer put on a drive; the caller frees it. */
static uint8_t *written(double compress_ratio, double dedupe_ratio, size_t bytes, unsigned n)
{
	uint8_t *all = malloc(bytes * n);
	uint8_t *buf = malloc(bytes);
	struct data d;

	assert_int_equal(data_init(&d, compress_ratio, dedupe_ratio, 11, 0), 0);
	data_first(&d, buf, bytes);
	for (unsigned i = 0; i < n; i++) {
		data_next(&d, buf, bytes);
		memcpy(all + i * bytes, buf, bytes);
	}
	free(buf);
	data_fini(&d);
	return all;
}

static int compare_blocks(const void *a, const void *b)
{
	return memcmp(*(uint8_t *const *)a, *(uint8_t *const *)b, DATA_BLOCK_BYTES);
}

static unsigned distinct_blocks(const uint8_t *all, size_t bytes)
{
	unsigned n = (unsigned)(bytes / DATA_BLOCK_BYTES), distinct = 1;
	const uint8_t **blocks = malloc(n * sizeof(*blocks));

	for (unsigned i = 0; i < n; i++)
		blocks[i] = all + (size_t)i * DATA_BLOCK_BYTES;
	qsort(blocks, n, sizeof(*blocks), compare_blocks);
	for (unsigned i = 1; i < n; i++)
		distinct += compare_blocks(&blocks[i - 1], &blocks[i]) != 0;
	free(blocks);
	return distinct;
}

#ifdef HAVE_ZLIB
/* How much smaller zlib makes it in pieces of `piece` bytes. */
static double ratio(const uint8_t *all, size_t bytes, size_t piece)
{
	uLong room = compressBound(piece);
	Bytef *out = malloc(room);
	size_t sum = 0;

	for (size_t at = 0; at < bytes; at += piece) {
		uLongf len = room;

		assert_int_equal(compress2(out, &len, all + at, piece, 6), Z_OK);
		sum += len < piece ? len : piece;
	}
	free(out);
	return (double)bytes / (double)sum;
}

static void test_incompressible(void **state)
{
	uint8_t *all = written(1, 1, 4096, WRITES);

	(void)state;
	assert_true(ratio(all, 4096 * WRITES, 4096) < 1.001);
	/* Nor does it help to look back over many writes of the same buffer. */
	assert_true(ratio(all, 4096 * WRITES, 32768) < 1.001);
	free(all);
}

static void test_compress_ratios_hold(void **state)
{
	static const double ratios[] = {1.5, 2, 3, 4};
	static const size_t sizes[] = {4096, 65536};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 2; k++) {
			uint8_t *all = written(ratios[i], 1, sizes[k], 32);
			double got = ratio(all, sizes[k] * 32, 4096);

			assert_true(got > 0.95 * ratios[i] && got < 1.05 * ratios[i]);
			assert_int_equal(distinct_blocks(all, sizes[k] * 32),
			                 sizes[k] * 32 / DATA_BLOCK_BYTES);
			free(all);
		}
	}
}

static void test_both_ratios_hold(void **state)
{
	uint8_t *all = written(2, 2, 8192, 1000);
	double got = ratio(all, 8192 * 1000, 4096);

	(void)state;
	assert_true(got > 1.9 && got < 2.1);
	assert_in_range(distinct_blocks(all, 8192 * 1000), 1000, 1000 + DATA_COPIES_COUNT);
	free(all);
}
#endif

static void test_all_blocks_differ(void **state)
{
	uint8_t *all = written(1, 1, 16384, WRITES);

	(void)state;
	assert_int_equal(distinct_blocks(all, 16384 * WRITES), 4 * WRITES);
	free(all);
}

static void test_dedupe_ratios_hold(void **state)
{
	static const double ratios[] = {1.25, 2, 4};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *all = written(1, ratios[i], 4096, 4000);
		unsigned fresh = (unsigned)(4000 / ratios[i]);

		assert_in_range(distinct_blocks(all, 4096 * 4000), fresh,
		                fresh + DATA_COPIES_COUNT + 1);
		free(all);
	}
}

/* Two workers must copy the same contents, and make different new ones. */
static void test_workers(void **state)
{
	uint8_t a[8192], b[8192];
	struct data x, y;

	(void)state;
	assert_int_equal(data_init(&x, 1, 64, 3, 0), 0);
	assert_int_equal(data_init(&y, 1, 64, 3, 1), 0);
	assert_memory_equal(x.copies, y.copies, DATA_COPIES_COUNT * DATA_BLOCK_BYTES);
	data_first(&x, a, sizeof(a));
	data_first(&y, b, sizeof(b));
	assert_memory_not_equal(a, b, 512);
	data_fini(&x);
	data_fini(&y);
}

static void test_small_ios(void **state)
{
	uint8_t before[512], buf[512];
	struct data d;

	(void)state;
	assert_int_equal(data_init(&d, 64, 1, 3, 0), 0);
	data_first(&d, buf, sizeof(buf));
	memcpy(before, buf, sizeof(buf));
	data_next(&d, buf, sizeof(buf));
	assert_memory_not_equal(before, buf, 8);
	for (unsigned i = 8; i < 512; i++)
		assert_int_equal(buf[i], 0);
	data_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_ZLIB
	    cmocka_unit_test(test_incompressible),    cmocka_unit_test(test_compress_ratios_hold),
	    cmocka_unit_test(test_both_ratios_hold),
#endif
	    cmocka_unit_test(test_all_blocks_differ), cmocka_unit_test(test_dedupe_ratios_hold),
	    cmocka_unit_test(test_workers),           cmocka_unit_test(test_small_ios),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
