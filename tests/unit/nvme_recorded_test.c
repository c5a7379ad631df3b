/* SPDX-License-Identifier: MIT */
/*
 * Pages as a drive sent them: QEMU 7.2's emulated NVMe drive (-device nvme,serial=IOLTP1 on 16
 * MiB), read with the admin commands Identify (CNS 01h and 00h) and Get Log Page (LID 02h) after 16
 * MiB were written and read. The made-up pages are in nvme_parse_test.c.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raw/nvme_parse.h"

/* 16 bytes at an offset; all others are zero. */
struct row {
	unsigned at;
	const char *hex;
};

/* clang-format off */
static const struct row controller_page[] = {
    {0, "361bf41a494f4c545031202020202020"},
    {16, "202020202020202051454d55204e564d"},
    {32, "65204374726c20202020202020202020"},
    {48, "20202020202020202020202020202020"},
    {64, "372e322e323220200600545200070000"},
    {80, "00040100000000000000000000010000"},
    {96, "00800000000000000000000000000001"},
    {256, "0a010303030700000000570175010000"},
    {512, "66440000000100005d01000000070000"},
    {528, "00000000000003000100000000000000"},
    {768, "6e716e2e323031392d30382e6f72672e"},
    {784, "71656d753a494f4c5450310000000000"},
    {2048, "c4090000100000000400000000000000"},
};

static const struct row namespace_page[] = {
    {0, "00800000000000000080000000000000"},
    {16, "0080000000000000140700031f000000"},
    {32, "00010000000000000000000000000000"},
    {64, "00000000070007000000000000000000"},
    {128, "00000900080009001000090040000900"},
    {144, "00000c0008000c0010000c0040000c00"},
};

static const struct row health_page[] = {
    {0, "00430100000000000000000000000000"},
    {32, "21000000000000000000000000000000"},
    {48, "21000000000000000000000000000000"},
    {64, "22000000000000000000000000000000"},
    {80, "20000000000000000000000000000000"},
};
/* clang-format on */

#define ROWS(page) (page), sizeof(page) / sizeof((page)[0])

/* On the heap and no larger than said, so that the address sanitizer sees a read beyond it. */
static unsigned char *page_of(const struct row *rows, size_t n, size_t bytes)
{
	unsigned char *page = calloc(1, bytes != 0 ? bytes : 1);

	assert_non_null(page);
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < 16 && rows[i].at + k < bytes; k++) {
			unsigned value;

			assert_int_equal(sscanf(rows[i].hex + (size_t)2 * k, "%2x", &value), 1);
			page[rows[i].at + k] = (unsigned char)value;
		}
	}
	return page;
}

static void test_controller(void **state)
{
	unsigned char *page = page_of(ROWS(controller_page), 4096);
	struct nvme_info_ctrl c;

	(void)state;
	assert_int_equal(nvme_parse_ctrl(&c, page, 4096), 0);
	assert_int_equal(c.vendor_id, 0x1b36);
	assert_int_equal(c.controller_id, 0);
	assert_string_equal(c.serial, "IOLTP1");
	assert_string_equal(c.model, "QEMU NVMe Ctrl");
	assert_string_equal(c.firmware, "7.2.22");
	assert_string_equal(c.subnqn, "nqn.2019-08.org.qemu:IOLTP1");
	assert_int_equal(c.version, 0x00010400);
	assert_int_equal(c.mdts, 7);
	assert_int_equal(c.namespaces_max, 256);
	assert_true(c.can_format && c.can_manage_namespaces && c.write_cache);
	assert_false(c.format_is_all || c.erase_is_all || c.format_can_crypto);
	assert_false(c.sanitize_crypto || c.sanitize_block || c.sanitize_overwrite);
	assert_int_equal(c.warning_temperature_c, 70);
	assert_int_equal(c.critical_temperature_c, 100);
	assert_true(nvme_u128_is_zero(c.total_bytes));
	assert_int_equal(c.npower_states, 1);
	assert_true(c.power_states[0].max_power_w > 24.99 && c.power_states[0].max_power_w < 25.01);
	assert_int_equal(c.power_states[0].entry_us, 16);
	assert_int_equal(c.power_states[0].exit_us, 4);
	free(page);
}

static void test_namespace(void **state)
{
	unsigned char *page = page_of(ROWS(namespace_page), 4096);
	struct nvme_info_ns n;

	(void)state;
	assert_int_equal(nvme_parse_ns(&n, page, 4096), 0);
	assert_int_equal(n.size_blocks, 32768);
	assert_int_equal(n.capacity_blocks, 32768);
	assert_int_equal(n.used_blocks, 32768);
	assert_int_equal(n.nformats, 8);
	assert_int_equal(n.format, 0);
	assert_int_equal(n.formats[0].data_bytes, 512);
	assert_int_equal(n.formats[0].metadata_bytes, 0);
	assert_int_equal(n.formats[3].data_bytes, 512);
	assert_int_equal(n.formats[3].metadata_bytes, 64);
	assert_int_equal(n.formats[4].data_bytes, 4096);
	assert_int_equal(n.formats[7].metadata_bytes, 64);
	assert_true(n.deallocate_reads_zero && !n.thin && !n.metadata_extended);
	assert_string_equal(n.nguid, "");
	assert_string_equal(n.eui64, "");
	free(page);
}

static void test_health(void **state)
{
	unsigned char *page = page_of(ROWS(health_page), 512);
	struct nvme_health h;

	(void)state;
	assert_int_equal(nvme_parse_health(&h, page, 512), 0);
	assert_int_equal(h.critical_warning, 0);
	assert_int_equal(h.temperature_c[0], 50);
	assert_int_equal(h.temperature_c[1], INT16_MIN);
	assert_int_equal(h.used_pct, 0);
	/* 16 MiB are 32.8 units, and a unit begun is counted. */
	assert_true(h.written_units.lo == 33 && h.written_units.hi == 0);
	assert_true(h.read_units.lo == 33 && h.read_commands.lo == 34 && h.write_commands.lo == 32);
	assert_true(nvme_u128_is_zero(h.media_errors) && nvme_u128_is_zero(h.power_on_h));
	free(page);
}

/* A drive that sends less than it should, and a page that is another log's. */
static void test_cut_short(void **state)
{
	static const size_t lengths[] = {0, 1, 2, 511, 4095};
	struct nvme_info_ctrl c;
	struct nvme_info_ns n;
	struct nvme_health h;
	struct nvme_ocp o;
	unsigned char *page;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		page = page_of(ROWS(controller_page), lengths[i]);
		assert_int_equal(nvme_parse_ctrl(&c, page, lengths[i]), -EMSGSIZE);
		free(page);
		page = page_of(ROWS(namespace_page), lengths[i]);
		assert_int_equal(nvme_parse_ns(&n, page, lengths[i]), -EMSGSIZE);
		free(page);
		if (lengths[i] > 511)
			continue;
		page = page_of(ROWS(health_page), lengths[i]);
		assert_int_equal(nvme_parse_health(&h, page, lengths[i]), -EMSGSIZE);
		free(page);
	}
	page = page_of(ROWS(health_page), 512);
	assert_int_equal(nvme_parse_ocp(&o, page, 512), -EBADMSG);
	free(page);
}

/* Between two recordings the drive's counter wrapped at 2^128. */
static void test_wrap(void **state)
{
	unsigned char *page = page_of(ROWS(health_page), 512);
	struct nvme_health before, after;
	struct nvme_u128 d;

	(void)state;
	assert_int_equal(nvme_parse_health(&after, page, 512), 0);
	memset(page + 48, 0xff, 16);
	assert_int_equal(nvme_parse_health(&before, page, 512), 0);
	d = nvme_u128_sub(after.written_units, before.written_units);
	assert_true(d.lo == 34 && d.hi == 0);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_controller), cmocka_unit_test(test_namespace),
	    cmocka_unit_test(test_health),     cmocka_unit_test(test_cut_short),
	    cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
