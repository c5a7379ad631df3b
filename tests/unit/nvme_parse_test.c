/* SPDX-License-Identifier: MIT */
/* NVMe pages: every field at its place, other vendors' pages, short ones, counters that wrap. */
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "raw/counters.h"
#include "raw/device_priv.h"
#include "raw/nvme_parse.h"
#include "sys_fixture.h"

#ifdef HAVE_LIBNVME
#include <libnvme.h>
#endif

static void put(unsigned char *page, size_t at, unsigned bytes, uint64_t v)
{
	for (unsigned i = 0; i < bytes; i++, v >>= 8)
		page[at + i] = (unsigned char)v;
}

/* On the heap and no larger than said, so that the address sanitizer sees a read beyond it. */
static unsigned char *page_of(size_t bytes)
{
	unsigned char *page = calloc(1, bytes);

	assert_non_null(page);
	return page;
}

/* ---- 128 bits ---- */

static void test_u128(void **state)
{
	const struct nvme_u128 max = {UINT64_MAX, UINT64_MAX};
	struct nvme_u128 d;

	(void)state;
	d = nvme_u128_sub((struct nvme_u128){5, 7}, (struct nvme_u128){6, 3});
	assert_true(d.lo == UINT64_MAX && d.hi == 3);
	/* Wrapped at 2^128: from the last value to 9 are 10 steps. */
	d = nvme_u128_sub((struct nvme_u128){9, 0}, max);
	assert_true(d.lo == 10 && d.hi == 0);
	assert_true(nvme_u128_is_zero(nvme_u128_sub(max, max)));
	assert_false(nvme_u128_is_zero((struct nvme_u128){0, 1}));
	assert_true(nvme_u128_double((struct nvme_u128){1ull << 53, 0}) == 9007199254740992.0);
	assert_true(nvme_u128_double((struct nvme_u128){0, 1}) == 18446744073709551616.0);
}

/* ---- health ---- */

static unsigned char *health_page(void)
{
	unsigned char *page = page_of(512);

	page[0] = 0x05;
	put(page, 1, 2, 310);
	page[3] = 99;
	page[4] = 10;
	page[5] = 3;
	for (unsigned i = 0; i < 10; i++) { /* read units .. error entries */
		put(page, 32 + 16 * i, 8, 1000 + i);
		put(page, 40 + 16 * i, 8, i);
	}
	put(page, 192, 4, 11);
	put(page, 196, 4, 12);
	put(page, 200, 2, 320);
	put(page, 214, 2, 263);
	put(page, 216, 4, 1);
	put(page, 220, 4, 2);
	put(page, 224, 4, 3);
	put(page, 228, 4, 4);
	return page;
}

static void test_health(void **state)
{
	unsigned char *page = health_page();
	struct nvme_health h;

	(void)state;
	assert_int_equal(nvme_parse_health(&h, page, 512), 0);
	assert_int_equal(h.critical_warning, 5);
	assert_int_equal(h.temperature_c[0], 37);
	assert_int_equal(h.temperature_c[1], 47);
	assert_int_equal(h.temperature_c[2], INT16_MIN);
	assert_int_equal(h.temperature_c[8], -10);
	assert_int_equal(h.spare_pct, 99);
	assert_int_equal(h.spare_threshold_pct, 10);
	assert_int_equal(h.used_pct, 3);
	assert_true(h.read_units.lo == 1000 && h.read_units.hi == 0);
	assert_true(h.written_units.lo == 1001 && h.written_units.hi == 1);
	assert_true(h.read_commands.lo == 1002 && h.write_commands.lo == 1003);
	assert_true(h.busy_min.lo == 1004 && h.power_cycles.lo == 1005 && h.power_on_h.lo == 1006);
	assert_true(h.unsafe_shutdowns.lo == 1007 && h.media_errors.lo == 1008);
	assert_true(h.error_entries.lo == 1009 && h.error_entries.hi == 9);
	assert_int_equal(h.warning_temperature_min, 11);
	assert_int_equal(h.critical_temperature_min, 12);
	assert_true(h.throttle_count[0] == 1 && h.throttle_count[1] == 2);
	assert_true(h.throttle_s[0] == 3 && h.throttle_s[1] == 4);
	free(page);
	page = page_of(511);
	assert_int_equal(nvme_parse_health(&h, page, 511), -EMSGSIZE);
	assert_int_equal(nvme_parse_health(&h, page, 0), -EMSGSIZE);
	free(page);
}

#ifdef HAVE_LIBNVME
/* The library's own structures say where each field lies. */
static void test_places_against_libnvme(void **state)
{
	struct nvme_smart_log log = {0};
	struct nvme_id_ctrl *id = calloc(1, sizeof(*id));
	struct nvme_id_ns *ns = calloc(1, sizeof(*ns));
	struct nvme_info_ctrl c;
	struct nvme_info_ns n;
	struct nvme_health h;

	(void)state;
	log.critical_warning = 1;
	log.temperature[0] = 0x2c;
	log.temperature[1] = 1;
	log.percent_used = 120;
	log.data_units_written[0] = 7;
	log.data_units_read[15] = 0x80;
	log.unsafe_shutdowns[1] = 1;
	log.critical_comp_time = htole32(77);
	log.temp_sensor[3] = htole16(300);
	log.thm_temp2_trans_count = htole32(5);
	log.thm_temp1_total_time = htole32(6);
	assert_int_equal(nvme_parse_health(&h, &log, sizeof(log)), 0);
	assert_true(h.critical_warning == 1 && h.temperature_c[0] == 27 && h.used_pct == 120);
	assert_true(h.written_units.lo == 7 && h.read_units.hi == 1ull << 63);
	assert_true(h.unsafe_shutdowns.lo == 256 && h.critical_temperature_min == 77);
	assert_true(h.temperature_c[4] == 27 && h.throttle_count[1] == 5 && h.throttle_s[0] == 6);
	memset(id->sn, 'S', sizeof(id->sn));
	memset(id->mn, 'M', sizeof(id->mn));
	memset(id->fr, 'F', sizeof(id->fr));
	id->oacs = htole16(NVME_CTRL_OACS_FORMAT);
	id->sanicap = htole32(NVME_CTRL_SANICAP_BES);
	id->fna = NVME_CTRL_FNA_CRYPTO_ERASE;
	id->vwc = NVME_CTRL_VWC_PRESENT;
	id->nn = htole32(32);
	id->wctemp = htole16(343);
	id->cctemp = htole16(353);
	id->npss = 1;
	id->tnvmcap[2] = 1;
	id->psd[1].mp = htole16(400);
	id->psd[1].flags = 2 /* not operational */;
	id->psd[1].exlat = htole32(1200);
	memcpy(id->subnqn, "nqn.test", 9);
	assert_int_equal(nvme_parse_ctrl(&c, id, sizeof(*id)), 0);
	assert_string_equal(c.serial, "SSSSSSSSSSSSSSSSSSSS");
	assert_int_equal(strlen(c.model), 40);
	assert_string_equal(c.firmware, "FFFFFFFF");
	assert_true(c.can_format && c.sanitize_block && !c.sanitize_crypto && c.format_can_crypto);
	assert_true(c.write_cache && c.namespaces_max == 32 && c.total_bytes.lo == 65536);
	assert_true(c.warning_temperature_c == 70 && c.critical_temperature_c == 80);
	assert_true(c.npower_states == 2 && c.power_states[1].non_operational);
	assert_true(c.power_states[1].max_power_w > 3.99 && c.power_states[1].max_power_w < 4.01);
	assert_int_equal(c.power_states[1].exit_us, 1200);
	assert_string_equal(c.subnqn, "nqn.test");
	ns->nsze = htole64(1000);
	ns->nuse = htole64(10);
	ns->nlbaf = 1;
	ns->flbas = 1;
	ns->lbaf[1].ds = 12;
	ns->lbaf[1].rp = 2;
	ns->eui64[7] = 0xab;
	assert_int_equal(nvme_parse_ns(&n, ns, sizeof(*ns)), 0);
	assert_true(n.size_blocks == 1000 && n.used_blocks == 10 && n.nformats == 2 &&
	            n.format == 1);
	assert_true(n.formats[1].data_bytes == 4096 && n.formats[1].performance == 2);
	assert_string_equal(n.eui64, "00000000000000ab");
	assert_string_equal(n.nguid, "");
	free(id);
	free(ns);
}
#endif

/* ---- OCP ---- */

static unsigned char *ocp_page(void)
{
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
	                                 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
	unsigned char *page = page_of(512);

	put(page, 0, 8, 123456789);
	put(page, 16, 8, 5);
	put(page, 24, 8, 1);
	put(page, 32, 8, 0x0064000000000007ull); /* raw 7, normalized 100 behind it */
	put(page, 40, 8, 0x0064000000000008ull);
	put(page, 56, 8, 9);
	put(page, 72, 4, 10);
	put(page, 76, 4, 11);
	page[80] = 12;
	put(page, 81, 7, 0x00ffffffffffffffull);
	put(page, 88, 4, 200);
	put(page, 92, 4, 100);
	page[96] = 3;
	page[97] = 1;
	put(page, 112, 4, 13);
	page[120] = 55;
	put(page, 128, 2, 98);
	put(page, 136, 8, 14);
	put(page, 160, 8, 15);
	put(page, 184, 8, 1);
	put(page, 494, 2, 3);
	memcpy(page + 496, guid, 16);
	return page;
}

static void test_ocp(void **state)
{
	unsigned char *page = ocp_page();
	struct nvme_ocp o;

	(void)state;
	assert_int_equal(nvme_parse_ocp(&o, page, 512), 0);
	assert_true(o.media_written_bytes.lo == 123456789 && o.media_written_bytes.hi == 0);
	assert_true(o.media_read_bytes.lo == 5 && o.media_read_bytes.hi == 1);
	assert_true(o.bad_user_blocks == 7 && o.bad_system_blocks == 8 &&
	            o.uncorrectable_reads == 9);
	assert_true(o.e2e_detected == 10 && o.e2e_corrected == 11 && o.system_used_pct == 12);
	assert_true(o.refreshes == 0x00ffffffffffffffull);
	assert_true(o.erase_count_max == 200 && o.erase_count_min == 100);
	assert_true(o.throttle_events == 3 && o.throttle_now == 1 && o.incomplete_shutdowns == 13);
	assert_true(o.free_blocks_pct == 55 && o.capacitor_pct == 98 && o.unaligned_ios == 14);
	assert_true(o.plp_starts.lo == 15 && o.endurance_estimate_bytes == UINT64_MAX &&
	            o.version == 3);
	/* Each byte of the GUID counts. */
	for (unsigned i = 496; i < 512; i++) {
		page[i] ^= 1;
		assert_int_equal(nvme_parse_ocp(&o, page, 512), -EBADMSG);
		assert_true(nvme_u128_is_zero(o.media_written_bytes));
		page[i] ^= 1;
	}
	free(page);
	page = page_of(512); /* a drive that answers with zeroes */
	assert_int_equal(nvme_parse_ocp(&o, page, 512), -EBADMSG);
	memset(page, 0xff, 512);
	assert_int_equal(nvme_parse_ocp(&o, page, 512), -EBADMSG);
	free(page);
	page = page_of(496);
	assert_int_equal(nvme_parse_ocp(&o, page, 496), -EMSGSIZE);
	free(page);
}

/* ---- identify ---- */

static void test_ctrl(void **state)
{
	unsigned char *page = page_of(4096);
	struct nvme_info_ctrl c;

	(void)state;
	put(page, 0, 2, 0x144d);
	memcpy(page + 4, "S5GXNX0W123456      ", 20);
	memcpy(page + 24, "  Model\x01 X \0garbage", 20);
	memcpy(page + 64, "1.0     ", 8);
	page[77] = 5;
	put(page, 80, 4, 0x00010400);
	page[263] = 255; /* more states than there are */
	put(page, 2048, 2, 825);
	put(page, 2048 + 32, 2, 30000);
	page[2048 + 32 + 3] = 3;
	assert_int_equal(nvme_parse_ctrl(&c, page, 4096), 0);
	assert_int_equal(c.vendor_id, 0x144d);
	assert_string_equal(c.serial, "S5GXNX0W123456");
	assert_string_equal(c.model, "Model? X ");
	assert_string_equal(c.firmware, "1.0");
	assert_int_equal(c.version, 0x00010400);
	assert_int_equal(c.npower_states, NVME_POWER_STATES_MAX);
	assert_true(c.power_states[0].max_power_w > 8.249 && c.power_states[0].max_power_w < 8.251);
	assert_true(c.power_states[1].max_power_w > 2.999 && c.power_states[1].max_power_w < 3.001);
	assert_true(c.power_states[1].non_operational);
	assert_false(c.can_format || c.write_cache || c.sanitize_block);
	assert_int_equal(c.warning_temperature_c, INT16_MIN);
	/* Bytes of any kind are no reason to read beyond anything. */
	memset(page, 0xff, 4096);
	assert_int_equal(nvme_parse_ctrl(&c, page, 4096), 0);
	assert_int_equal(strlen(c.serial), 20);
	assert_int_equal(strlen(c.subnqn), 256);
	free(page);
	page = page_of(4095);
	assert_int_equal(nvme_parse_ctrl(&c, page, 4095), -EMSGSIZE);
	free(page);
}

static void test_ns(void **state)
{
	unsigned char *page = page_of(4096);
	struct nvme_info_ns n;

	(void)state;
	put(page, 0, 8, 1u << 20);
	page[24] = 1;
	page[25] = 0;
	page[26] = 0x10;
	page[33] = 1;
	page[128 + 2] = 9;
	put(page, 104, 8, 0x1122);
	assert_int_equal(nvme_parse_ns(&n, page, 4096), 0);
	assert_true(n.size_blocks == 1u << 20 && n.thin && n.deallocate_reads_zero &&
	            n.metadata_extended);
	assert_true(n.nformats == 1 && n.format == 0 && n.formats[0].data_bytes == 512);
	assert_string_equal(n.nguid, "22110000000000000000000000000000");
	/* Index 37 of 64 formats: the upper bits are bits 6:5. */
	page[25] = 63;
	page[26] = 0x5 | 0x2 << 5;
	page[128 + 37 * 4 + 2] = 12;
	put(page, 128 + 37 * 4, 2, 8);
	page[128 + 1 * 4 + 2] = 63; /* a shift that is no size */
	assert_int_equal(nvme_parse_ns(&n, page, 4096), 0);
	assert_true(n.nformats == 64 && n.format == 37);
	assert_true(n.formats[37].data_bytes == 4096 && n.formats[37].metadata_bytes == 8);
	assert_int_equal(n.formats[1].data_bytes, 0);
	memset(page, 0xff, 4096);
	assert_int_equal(nvme_parse_ns(&n, page, 4096), 0);
	assert_int_equal(n.nformats, NVME_FORMATS_MAX);
	free(page);
	page = page_of(384);
	assert_int_equal(nvme_parse_ns(&n, page, 384), -EMSGSIZE);
	free(page);
}

/* ---- errors, sanitize ---- */

static void test_errors(void **state)
{
	unsigned char *page = page_of(128);
	struct nvme_error_entry e;

	(void)state;
	put(page, 64, 8, 42);
	put(page, 72, 2, 3);
	put(page, 74, 2, 17);
	put(page, 76, 2, 0x4005 << 1 | 1);
	put(page, 80, 8, 1234567890123ull);
	put(page, 88, 4, 1);
	assert_int_equal(nvme_parse_error(&e, 0, page, 128), 0);
	assert_int_equal(e.count, 0);
	assert_int_equal(nvme_parse_error(&e, 1, page, 128), 0);
	assert_true(e.count == 42 && e.queue == 3 && e.command == 17 && e.status == 0x4005);
	assert_true(e.lba == 1234567890123ull && e.nsid == 1);
	assert_int_equal(nvme_parse_error(&e, 2, page, 128), -ENODATA);
	assert_int_equal(nvme_parse_error(&e, 1, page, 127), -ENODATA);
	free(page);
}

static void test_sanitize(void **state)
{
	unsigned char *page = page_of(32);
	struct nvme_sanitize_status s;

	(void)state;
	assert_int_equal(nvme_parse_sanitize(&s, page, 32), 0);
	assert_int_equal(s.state, NVME_SANITIZE_NEVER);
	put(page, 0, 2, 0x8000);
	put(page, 2, 2, 2);
	put(page, 4, 4, 2);
	put(page, 12, 4, 90);
	assert_int_equal(nvme_parse_sanitize(&s, page, 32), 0);
	assert_true(s.state == NVME_SANITIZE_RUNNING && s.progress == 0.5 && s.estimate_s == 90);
	put(page, 0, 2, 0xffff);
	put(page, 2, 2, 0x101);
	put(page, 12, 4, UINT32_MAX);
	assert_int_equal(nvme_parse_sanitize(&s, page, 32), 0);
	assert_true(s.state == NVME_SANITIZE_DONE && s.progress == 1 && s.estimate_s == UINT32_MAX);
	put(page, 2, 2, 3);
	assert_int_equal(nvme_parse_sanitize(&s, page, 32), 0);
	assert_int_equal(s.state, NVME_SANITIZE_FAILED);
	free(page);
	page = page_of(31);
	assert_int_equal(nvme_parse_sanitize(&s, page, 31), -EMSGSIZE);
	free(page);
}

/* ---- counters of a run ---- */

static int64_t number(const struct kv *kv, const char *key)
{
	const struct kv_item *item = kv_find(kv, key);

	if (item == NULL || item->type != KV_INT)
		fail_msg("%s is not there, or no whole number", key);
	return item->i;
}

static void test_stat(void **state)
{
	struct blockstat b;

	(void)state;
	assert_true(blockstat_parse(&b, "  10 1 800 5  20 2 1600 6  3 40 50  7 0 64 1  9 11\n"));
	assert_true(b.reads == 10 && b.read_sectors == 800 && b.writes == 20 &&
	            b.write_merges == 2);
	assert_true(b.in_flight == 3 && b.busy_ms == 40 && b.queue_ms == 50 &&
	            b.discard_sectors == 64);
	assert_true(b.has_flushes && b.flushes == 9 && b.flush_ms == 11);
	assert_true(blockstat_parse(&b, "1 2 3 4 5 6 7 8 9 10 11\n"));
	assert_false(b.has_flushes);
	assert_false(blockstat_parse(&b, "1 2 3\n"));
	assert_false(blockstat_parse(&b, ""));
}

static struct counters counters_at(uint64_t taken_ns, uint64_t sectors, uint64_t units,
                                   uint64_t media)
{
	struct counters c = {.taken_ns = taken_ns,
	                     .device = "nvme0n1",
	                     .has_block = true,
	                     .block = {.writes = sectors / 8,
	                               .write_sectors = sectors,
	                               .flushes = 3,
	                               .has_flushes = true},
	                     .has_health = true,
	                     .health = {.written_units = {units, 0}},
	                     .has_ocp = true,
	                     .ocp = {.media_written_bytes = {media, 0}}};

	return c;
}

static void test_diff(void **state)
{
	struct counters a = counters_at(1000000000, 1000, 50, 7000000),
	                b = counters_at(3000000000, 201000, 250, 260800000 + 7000000);
	struct kv kv = KV_INIT;

	(void)state;
	b.block.flushes = 10;
	b.has_temperature = true;
	b.temperature_c = 41;
	b.has_power = true;
	b.power_w = 8;
	b.health.throttle_count[1] = 2;
	b.ocp.throttle_events = 1;
	a.ocp.throttle_events = 255; /* 8 bits, wrapped */
	counters_diff(&a, &b, &kv);
	assert_int_equal(number(&kv, "device_bytes_written"), 200000 * 512);
	assert_int_equal(number(&kv, "device_writes"), 25000);
	assert_int_equal(number(&kv, "device_flushes"), 7);
	assert_int_equal(number(&kv, "smart_bytes_written"), 200 * 512000);
	assert_int_equal(number(&kv, "media_bytes_written"), 260800000);
	assert_int_equal(number(&kv, "throttle_heavy_count"), 2);
	assert_int_equal(number(&kv, "throttle_events"), 2);
	assert_true(kv_find(&kv, "media_write_amplification")->d > 2.546 &&
	            kv_find(&kv, "media_write_amplification")->d < 2.548);
	assert_true(kv_find(&kv, "temperature_after_c")->d == 41);
	assert_null(kv_find(&kv, "temperature_before_c"));
	assert_true(kv_find(&kv, "bytes_per_s_per_w")->d == 6400000);
	kv_fini(&kv);
}

static void test_diff_of_what_is_missing(void **state)
{
	struct counters a = counters_at(0, 0, 100, 0), b = counters_at(1, 8, 101, 999);
	struct kv kv = KV_INIT;

	(void)state;
	/* One data unit: too few for a ratio. */
	counters_diff(&a, &b, &kv);
	assert_null(kv_find(&kv, "media_write_amplification"));
	assert_non_null(kv_find(&kv, "counters_amplification_missing"));
	kv_fini(&kv);
	/* Across 2^128 in both counters. */
	a.health.written_units = (struct nvme_u128){UINT64_MAX - 99, UINT64_MAX};
	b.health.written_units = (struct nvme_u128){100, 0};
	a.ocp.media_written_bytes = (struct nvme_u128){UINT64_MAX, UINT64_MAX};
	b.ocp.media_written_bytes = (struct nvme_u128){102400000 - 1, 0};
	counters_diff(&a, &b, &kv);
	assert_int_equal(number(&kv, "smart_bytes_written"), 200 * 512000);
	assert_true(kv_find(&kv, "media_write_amplification")->d == 1);
	kv_fini(&kv);
	/* Another drive in the slot: its counters are lower. */
	b.health.written_units = (struct nvme_u128){5, 0};
	a.health.written_units = (struct nvme_u128){6, 0};
	counters_diff(&a, &b, &kv);
	assert_null(kv_find(&kv, "smart_bytes_written"));
	assert_non_null(strstr(kv_find(&kv, "counters_health_missing")->text, "another drive"));
	kv_fini(&kv);
	b.has_health = b.has_ocp = b.has_block = false;
	snprintf(b.why_no_health, sizeof(b.why_no_health), "vda is no NVMe drive");
	counters_diff(&a, &b, &kv);
	assert_string_equal(kv_find(&kv, "counters_health_missing")->text, "vda is no NVMe drive");
	assert_non_null(kv_find(&kv, "counters_device_missing"));
	kv_fini(&kv);
	/* Passthrough: the kernel counts nothing, the drive does. */
	a = counters_at(0, 0, 0, 0);
	b = counters_at(1000000000, 0, 100, 0);
	a.passthrough = b.passthrough = b.has_power = true;
	a.has_block = b.has_block = false;
	b.power_w = 2;
	counters_diff(&a, &b, &kv);
	assert_non_null(strstr(kv_find(&kv, "counters_device_missing")->text, "passthrough"));
	assert_true(kv_find(&kv, "bytes_per_s_per_w")->d == 25600000);
	kv_fini(&kv);
	/* Totals of a lifetime that no 64 bits hold. */
	a = counters_at(0, 0, 0, 0);
	b = counters_at(1, 8, 0, 0);
	b.health.written_units = (struct nvme_u128){0, 1};
	counters_diff(&a, &b, &kv);
	assert_int_equal(kv_find(&kv, "smart_bytes_written")->type, KV_DOUBLE);
	assert_true(kv_find(&kv, "smart_bytes_written")->d > 9.44e24);
	kv_fini(&kv);
}

/* ---- the link ---- */

static void test_link(void **state)
{
	const char *dir = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1";
	struct tree_root r;
	struct kv kv = KV_INIT;

	(void)state;
	root_new(&r);
	root_block(&r, dir + 4, "259:0", 0);
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_speed",
	          "8.0 GT/s PCIe\n");
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/max_link_speed",
	          "16.0 GT/s PCIe\n");
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_width",
	          "4\n");
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/max_link_width", "4\n");
	/* The port above is another one's. */
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/current_link_speed",
	          "32.0 GT/s PCIe\n");
	device_link_facts(r.root, dir, &kv);
	assert_string_equal(kv_find(&kv, "link_speed")->text, "8.0 GT/s PCIe");
	assert_string_equal(kv_find(&kv, "link_speed_max")->text, "16.0 GT/s PCIe");
	assert_int_equal(kv_find(&kv, "link_below_own")->i, 1);
	kv_fini(&kv);
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/max_link_speed",
	          "8.0 GT/s PCIe\n");
	device_link_facts(r.root, dir, &kv);
	assert_int_equal(kv_find(&kv, "link_below_own")->i, 0);
	kv_fini(&kv);
	root_text(&r, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/current_link_width",
	          "2\n");
	device_link_facts(r.root, dir, &kv);
	assert_int_equal(kv_find(&kv, "link_below_own")->i, 1);
	kv_fini(&kv);
	root_free(&r);
}

/* ---- facts ---- */

static void test_facts(void **state)
{
	unsigned char *page = health_page();
	struct nvme_health h;
	struct nvme_info_ns n = {.size_blocks = 100, .nformats = 2, .format = 1};
	struct kv kv = KV_INIT;

	(void)state;
	nvme_parse_health(&h, page, 512);
	device_health_facts(&h, &kv);
	assert_string_equal(kv_find(&kv, "health")->text, "spare is low, degraded reliability");
	assert_int_equal(number(&kv, "temperature_c"), 37);
	assert_int_equal(number(&kv, "smart_bytes_read"), 512000000);
	assert_null(kv_find(&kv, "temperature_sensor_2_c"));
	assert_int_equal(number(&kv, "temperature_sensor_8_c"), -10);
	h.critical_warning = 0;
	device_health_facts(&h, &kv);
	assert_string_equal(kv_find(&kv, "health")->text, "good");
	n.formats[0].data_bytes = 512;
	n.formats[1] = (struct nvme_lba_format){.data_bytes = 4096, .performance = 0};
	device_ns_facts(&n, &kv);
	assert_int_equal(number(&kv, "namespace_bytes"), 409600);
	assert_string_equal(kv_find(&kv, "lba_format_1")->text,
	                    "4096 bytes, metadata 0, best (in use)");
	kv_fini(&kv);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_u128),
	    cmocka_unit_test(test_health),
#ifdef HAVE_LIBNVME
	    cmocka_unit_test(test_places_against_libnvme),
#endif
	    cmocka_unit_test(test_ocp),
	    cmocka_unit_test(test_ctrl),
	    cmocka_unit_test(test_ns),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_sanitize),
	    cmocka_unit_test(test_stat),
	    cmocka_unit_test(test_diff),
	    cmocka_unit_test(test_diff_of_what_is_missing),
	    cmocka_unit_test(test_link),
	    cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
