/* SPDX-License-Identifier: MIT */
/* Offsets are those of the NVMe base specification and of the OCP datacenter NVMe SSD
 * specification. */
#include "raw/nvme_parse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- bytes ---- */

/* Little endian, of 1 to 8 bytes. */
static uint64_t le(const void *page, size_t at, unsigned bytes)
{
	const unsigned char *p = (const unsigned char *)page + at;
	uint64_t v = 0;

	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static uint8_t le8(const void *page, size_t at)
{
	return ((const uint8_t *)page)[at];
}

static uint16_t le16(const void *page, size_t at)
{
	return (uint16_t)le(page, at, 2);
}

static uint32_t le32(const void *page, size_t at)
{
	return (uint32_t)le(page, at, 4);
}

static struct nvme_u128 le128(const void *page, size_t at)
{
	return (struct nvme_u128){.lo = le(page, at, 8), .hi = le(page, at + 8, 8)};
}

/* Text of fixed length, padded with blanks; what is not printable becomes '?'. */
static void text(char *out, const void *page, size_t at, size_t len)
{
	const char *p = (const char *)page + at;
	size_t begin = 0;

	while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '\0'))
		len--;
	while (begin < len && p[begin] == ' ')
		begin++;
	for (; begin < len && p[begin] != '\0'; begin++)
		*out++ = p[begin] >= 0x20 && p[begin] < 0x7f ? p[begin] : '?';
	*out = '\0';
}

static void hexadecimal(char *out, const void *page, size_t at, unsigned bytes)
{
	bool any = false;

	for (unsigned i = 0; i < bytes; i++) {
		snprintf(out + 2 * i, 3, "%02x", le8(page, at + i));
		any = any || le8(page, at + i) != 0;
	}
	if (!any)
		out[0] = '\0';
}

static int16_t celsius(uint16_t kelvin)
{
	return kelvin == 0 ? INT16_MIN : (int16_t)(kelvin - 273);
}

struct nvme_u128 nvme_u128_sub(struct nvme_u128 after, struct nvme_u128 before)
{
	struct nvme_u128 d = {.lo = after.lo - before.lo, .hi = after.hi - before.hi};

	d.hi -= after.lo < before.lo;
	return d;
}

double nvme_u128_double(struct nvme_u128 v)
{
	return ldexp((double)v.hi, 64) + (double)v.lo;
}

bool nvme_u128_is_zero(struct nvme_u128 v)
{
	return v.lo == 0 && v.hi == 0;
}

/* ---- logs ---- */

int nvme_parse_health(struct nvme_health *h, const void *page, size_t len)
{
	*h = (struct nvme_health){0};
	if (len < 512)
		return -EMSGSIZE;
	h->critical_warning = le8(page, 0);
	h->temperature_c[0] = celsius(le16(page, 1));
	for (unsigned i = 1; i < NVME_TEMPERATURES; i++)
		h->temperature_c[i] = celsius(le16(page, 198 + 2 * i));
	h->spare_pct = le8(page, 3);
	h->spare_threshold_pct = le8(page, 4);
	h->used_pct = le8(page, 5);
	h->read_units = le128(page, 32);
	h->written_units = le128(page, 48);
	h->read_commands = le128(page, 64);
	h->write_commands = le128(page, 80);
	h->busy_min = le128(page, 96);
	h->power_cycles = le128(page, 112);
	h->power_on_h = le128(page, 128);
	h->unsafe_shutdowns = le128(page, 144);
	h->media_errors = le128(page, 160);
	h->error_entries = le128(page, 176);
	h->warning_temperature_min = le32(page, 192);
	h->critical_temperature_min = le32(page, 196);
	for (unsigned i = 0; i < 2; i++) {
		h->throttle_count[i] = le32(page, 216 + 4 * i);
		h->throttle_s[i] = le32(page, 224 + 4 * i);
	}
	return 0;
}

int nvme_parse_ocp(struct nvme_ocp *o, const void *page, size_t len)
{
	/* AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5, least significant byte first. */
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
	                                 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
	struct nvme_u128 endurance;

	*o = (struct nvme_ocp){0};
	if (len < 512)
		return -EMSGSIZE;
	if (memcmp((const char *)page + 496, guid, sizeof(guid)) != 0)
		return -EBADMSG;
	o->version = le16(page, 494);
	o->media_written_bytes = le128(page, 0);
	o->media_read_bytes = le128(page, 16);
	o->bad_user_blocks = le(page, 32, 6);
	o->bad_system_blocks = le(page, 40, 6);
	o->xor_recoveries = le(page, 48, 8);
	o->uncorrectable_reads = le(page, 56, 8);
	o->soft_ecc_errors = le(page, 64, 8);
	o->e2e_detected = le32(page, 72);
	o->e2e_corrected = le32(page, 76);
	o->system_used_pct = le8(page, 80);
	o->refreshes = le(page, 81, 7);
	o->erase_count_max = le32(page, 88);
	o->erase_count_min = le32(page, 92);
	o->throttle_events = le8(page, 96);
	o->throttle_now = le8(page, 97);
	o->pcie_correctable = le(page, 104, 8);
	o->incomplete_shutdowns = le32(page, 112);
	o->free_blocks_pct = le8(page, 120);
	o->capacitor_pct = le16(page, 128);
	o->unaligned_ios = le(page, 136, 8);
	o->security_version = le(page, 144, 8);
	o->plp_starts = le128(page, 160);
	endurance = le128(page, 176);
	o->endurance_estimate_bytes = endurance.hi != 0 ? UINT64_MAX : endurance.lo;
	return 0;
}

int nvme_parse_error(struct nvme_error_entry *e, unsigned index, const void *page, size_t len)
{
	size_t at = (size_t)index * 64;

	*e = (struct nvme_error_entry){0};
	if (at + 64 > len)
		return -ENODATA;
	e->count = le(page, at, 8);
	e->queue = le16(page, at + 8);
	e->command = le16(page, at + 10);
	e->status = (uint16_t)(le16(page, at + 12) >> 1); /* bit 0 is the phase tag */
	e->lba = le(page, at + 16, 8);
	e->nsid = le32(page, at + 24);
	return 0;
}

int nvme_parse_sanitize(struct nvme_sanitize_status *s, const void *page, size_t len)
{
	static const enum nvme_sanitize_state states[8] = {
	    [0] = NVME_SANITIZE_NEVER,  [1] = NVME_SANITIZE_DONE,   [2] = NVME_SANITIZE_RUNNING,
	    [3] = NVME_SANITIZE_FAILED, [4] = NVME_SANITIZE_DONE,   [5] = NVME_SANITIZE_FAILED,
	    [6] = NVME_SANITIZE_FAILED, [7] = NVME_SANITIZE_FAILED,
	};
	/* Where the estimate of each action is; 0: none. */
	static const uint8_t estimates[8] = {[2] = 12, [3] = 8, [4] = 16};
	unsigned estimate;

	*s = (struct nvme_sanitize_status){0};
	if (len < 32)
		return -EMSGSIZE;
	s->state = states[le16(page, 2) & 7];
	s->progress = s->state == NVME_SANITIZE_DONE ? 1 : (double)le16(page, 0) / 65536;
	estimate = estimates[le32(page, 4) & 7];
	s->estimate_s = estimate != 0 ? le32(page, estimate) : UINT32_MAX;
	return 0;
}

/* ---- identify ---- */

static void power_states(struct nvme_info_ctrl *c, const void *page)
{
	c->npower_states = le8(page, 263) + 1u;
	if (c->npower_states > NVME_POWER_STATES_MAX)
		c->npower_states = NVME_POWER_STATES_MAX;
	for (unsigned i = 0; i < c->npower_states; i++) {
		size_t at = 2048 + 32 * (size_t)i;
		uint8_t flags = le8(page, at + 3);

		c->power_states[i] = (struct nvme_power_state){
		    .max_power_w = le16(page, at) * ((flags & 1) != 0 ? 0.0001 : 0.01),
		    .non_operational = (flags & 2) != 0,
		    .entry_us = le32(page, at + 4),
		    .exit_us = le32(page, at + 8),
		};
	}
}

int nvme_parse_ctrl(struct nvme_info_ctrl *c, const void *page, size_t len)
{
	uint16_t commands;
	uint32_t sanitize;
	uint8_t format;

	*c = (struct nvme_info_ctrl){0};
	if (len < 4096)
		return -EMSGSIZE;
	c->vendor_id = le16(page, 0);
	text(c->serial, page, 4, 20);
	text(c->model, page, 24, 40);
	text(c->firmware, page, 64, 8);
	c->mdts = le8(page, 77);
	c->controller_id = le16(page, 78);
	c->version = le32(page, 80);
	commands = le16(page, 256);
	c->can_format = (commands & 1u << 1) != 0;
	c->can_manage_namespaces = (commands & 1u << 3) != 0;
	c->warning_temperature_c = celsius(le16(page, 266));
	c->critical_temperature_c = celsius(le16(page, 268));
	c->total_bytes = le128(page, 280);
	c->unallocated_bytes = le128(page, 296);
	sanitize = le32(page, 328);
	c->sanitize_crypto = (sanitize & 1u << 0) != 0;
	c->sanitize_block = (sanitize & 1u << 1) != 0;
	c->sanitize_overwrite = (sanitize & 1u << 2) != 0;
	c->namespaces_max = le32(page, 516);
	format = le8(page, 524);
	c->format_is_all = (format & 1) != 0;
	c->erase_is_all = (format & 2) != 0;
	c->format_can_crypto = (format & 4) != 0;
	c->write_cache = (le8(page, 525) & 1) != 0;
	text(c->subnqn, page, 768, 256);
	power_states(c, page);
	return 0;
}

int nvme_parse_ns(struct nvme_info_ns *n, const void *page, size_t len)
{
	uint8_t flbas;

	*n = (struct nvme_info_ns){0};
	if (len < 4096)
		return -EMSGSIZE;
	n->size_blocks = le(page, 0, 8);
	n->capacity_blocks = le(page, 8, 8);
	n->used_blocks = le(page, 16, 8);
	n->thin = (le8(page, 24) & 1) != 0;
	n->nformats = le8(page, 25) + 1u;
	if (n->nformats > NVME_FORMATS_MAX)
		n->nformats = NVME_FORMATS_MAX;
	flbas = le8(page, 26);
	/* Bits 6:5 are the upper ones of the index, for drives with more than 16 formats. */
	n->format = (flbas & 0xfu) | (n->nformats > 16 ? (flbas & 0x60u) >> 1 : 0);
	n->metadata_extended = (flbas & 0x10) != 0;
	n->deallocate_reads_zero = (le8(page, 33) & 7) == 1;
	hexadecimal(n->nguid, page, 104, 16);
	hexadecimal(n->eui64, page, 120, 8);
	for (unsigned i = 0; i < n->nformats; i++) {
		size_t at = 128 + 4 * (size_t)i;
		uint8_t shift = le8(page, at + 2);

		n->formats[i] = (struct nvme_lba_format){
		    .data_bytes = shift >= 9 && shift < 32 ? 1u << shift : 0,
		    .metadata_bytes = le16(page, at),
		    .performance = le8(page, at + 3) & 3,
		};
	}
	return 0;
}
