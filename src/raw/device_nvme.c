/* SPDX-License-Identifier: MIT */
/* What an NVMe drive says of itself, as facts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/units.h"
#include "raw/device_priv.h"
#include "raw/nvme.h"

static void add_u128(struct kv *facts, const char *key, struct nvme_u128 v, uint64_t unit)
{
	if (v.hi == 0 && v.lo <= INT64_MAX / unit)
		kv_int(facts, key, (int64_t)(v.lo * unit));
	else
		kv_double(facts, key, nvme_u128_double(v) * (double)unit);
}

static void add_celsius(struct kv *facts, const char *key, int16_t c)
{
	if (c != INT16_MIN)
		kv_int(facts, key, c);
}

static void add_word(struct strbuf *list, bool on, const char *word)
{
	if (on)
		strbuf_addf(list, "%s%s", list->len > 0 ? ", " : "", word);
}

void device_ctrl_facts(const struct nvme_info_ctrl *c, struct kv *facts)
{
	struct strbuf list = STRBUF_INIT;
	char key[32];

	kv_text(facts, "model", c->model);
	kv_text(facts, "firmware", c->firmware);
	snprintf(key, sizeof(key), "%u.%u.%u", c->version >> 16, c->version >> 8 & 0xff,
	         c->version & 0xff);
	kv_text(facts, "nvme_version", key);
	kv_text(facts, "subsystem", c->subnqn);
	if (!nvme_u128_is_zero(c->total_bytes)) {
		add_u128(facts, "nvme_total_bytes", c->total_bytes, 1);
		add_u128(facts, "nvme_unallocated_bytes", c->unallocated_bytes, 1);
	}
	kv_int(facts, "namespaces_max", c->namespaces_max);
	add_celsius(facts, "temperature_warning_c", c->warning_temperature_c);
	add_celsius(facts, "temperature_critical_c", c->critical_temperature_c);
	add_word(&list, c->can_format, "format");
	add_word(&list, c->can_format && c->format_can_crypto, "format-crypto");
	add_word(&list, c->sanitize_block, "sanitize");
	add_word(&list, c->sanitize_crypto, "sanitize-crypto");
	kv_text(facts, "purge_methods", list.len > 0 ? strbuf_str(&list) : "none");
	kv_bool(facts, "format_reaches_all", c->format_is_all || c->erase_is_all);
	kv_bool(facts, "nvme_write_cache", c->write_cache);
	for (unsigned i = 0; i < c->npower_states; i++) {
		const struct nvme_power_state *p = &c->power_states[i];

		if (p->max_power_w <= 0 && i > 0)
			continue;
		strbuf_reset(&list);
		if (p->max_power_w > 0)
			strbuf_addf(&list, "%.4g W", p->max_power_w);
		else
			strbuf_adds(&list, "power not told");
		add_word(&list, p->non_operational, "idle only");
		if (p->entry_us != 0 || p->exit_us != 0)
			strbuf_addf(&list, ", enter %u us, leave %u us", p->entry_us, p->exit_us);
		snprintf(key, sizeof(key), "power_state_%u", i);
		kv_text(facts, key, strbuf_str(&list));
	}
	strbuf_fini(&list);
}

void device_ns_facts(const struct nvme_info_ns *n, struct kv *facts)
{
	static const char *const speeds[4] = {"best", "better", "good", "degraded"};
	uint64_t block = n->format < n->nformats ? n->formats[n->format].data_bytes : 0;
	char key[32], text[96];

	if (block != 0) {
		kv_int(facts, "namespace_bytes", (int64_t)(n->size_blocks * block));
		kv_int(facts, "namespace_capacity_bytes", (int64_t)(n->capacity_blocks * block));
		kv_int(facts, "namespace_used_bytes", (int64_t)(n->used_blocks * block));
	}
	kv_bool(facts, "thin", n->thin);
	kv_bool(facts, "deallocated_reads_zero", n->deallocate_reads_zero);
	if (n->nguid[0] != '\0')
		kv_text(facts, "nguid", n->nguid);
	if (n->eui64[0] != '\0')
		kv_text(facts, "eui64", n->eui64);
	kv_int(facts, "lba_format", n->format);
	for (unsigned i = 0; i < n->nformats; i++) {
		const struct nvme_lba_format *f = &n->formats[i];

		if (f->data_bytes == 0)
			continue;
		snprintf(key, sizeof(key), "lba_format_%u", i);
		snprintf(text, sizeof(text), "%u bytes, metadata %u, %s%s", f->data_bytes,
		         f->metadata_bytes, speeds[f->performance],
		         i == n->format ? " (in use)" : "");
		kv_text(facts, key, text);
	}
}

static void add_warnings(const struct nvme_health *h, struct kv *facts)
{
	static const char *const bits[] = {"spare is low",
	                                   "temperature",
	                                   "degraded reliability",
	                                   "read-only",
	                                   "backup of volatile memory failed",
	                                   "persistent memory is unreliable"};
	struct strbuf list = STRBUF_INIT;

	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		add_word(&list, (h->critical_warning & 1u << i) != 0, bits[i]);
	kv_text(facts, "health", list.len > 0 ? strbuf_str(&list) : "good");
	strbuf_fini(&list);
}

void device_health_facts(const struct nvme_health *h, struct kv *facts)
{
	char key[32];

	add_warnings(h, facts);
	add_celsius(facts, "temperature_c", h->temperature_c[0]);
	for (unsigned i = 1; i < NVME_TEMPERATURES; i++) {
		snprintf(key, sizeof(key), "temperature_sensor_%u_c", i);
		add_celsius(facts, key, h->temperature_c[i]);
	}
	kv_int(facts, "used_pct", h->used_pct);
	kv_int(facts, "spare_pct", h->spare_pct);
	kv_int(facts, "spare_threshold_pct", h->spare_threshold_pct);
	add_u128(facts, "smart_bytes_read", h->read_units, NVME_DATA_UNIT_BYTES);
	add_u128(facts, "smart_bytes_written", h->written_units, NVME_DATA_UNIT_BYTES);
	add_u128(facts, "smart_read_commands", h->read_commands, 1);
	add_u128(facts, "smart_write_commands", h->write_commands, 1);
	add_u128(facts, "busy_min", h->busy_min, 1);
	add_u128(facts, "power_cycles", h->power_cycles, 1);
	add_u128(facts, "power_on_h", h->power_on_h, 1);
	add_u128(facts, "unsafe_shutdowns", h->unsafe_shutdowns, 1);
	add_u128(facts, "media_errors", h->media_errors, 1);
	add_u128(facts, "error_entries", h->error_entries, 1);
	kv_int(facts, "warning_temperature_min", h->warning_temperature_min);
	kv_int(facts, "critical_temperature_min", h->critical_temperature_min);
	kv_int(facts, "throttle_light_count", h->throttle_count[0]);
	kv_int(facts, "throttle_light_s", h->throttle_s[0]);
	kv_int(facts, "throttle_heavy_count", h->throttle_count[1]);
	kv_int(facts, "throttle_heavy_s", h->throttle_s[1]);
}

void device_ocp_facts(const struct nvme_ocp *o, struct kv *facts)
{
	kv_int(facts, "ocp_version", o->version);
	add_u128(facts, "media_bytes_written", o->media_written_bytes, 1);
	add_u128(facts, "media_bytes_read", o->media_read_bytes, 1);
	kv_int(facts, "bad_user_blocks", (int64_t)o->bad_user_blocks);
	kv_int(facts, "bad_system_blocks", (int64_t)o->bad_system_blocks);
	kv_int(facts, "uncorrectable_reads", (int64_t)o->uncorrectable_reads);
	kv_int(facts, "soft_ecc_errors", (int64_t)o->soft_ecc_errors);
	kv_int(facts, "erase_count_max", o->erase_count_max);
	kv_int(facts, "erase_count_min", o->erase_count_min);
	kv_int(facts, "throttle_events", o->throttle_events);
	kv_int(facts, "throttle_now", o->throttle_now);
	kv_int(facts, "incomplete_shutdowns", o->incomplete_shutdowns);
	kv_int(facts, "free_blocks_pct", o->free_blocks_pct);
	kv_int(facts, "capacitor_pct", o->capacitor_pct);
	kv_int(facts, "unaligned_ios", (int64_t)o->unaligned_ios);
}

static void add_errors(int fd, struct kv *facts)
{
	struct nvme_error_entry e[4];
	char key[32], text[128];
	unsigned n = 0;

	if (nvmedev_errors(fd, e, sizeof(e) / sizeof(e[0]), &n) != 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		snprintf(key, sizeof(key), "error_log_%u", i);
		snprintf(text, sizeof(text),
		         "error %llu: status 0x%x, queue %u, namespace %u, block %llu",
		         (unsigned long long)e[i].count, e[i].status, e[i].queue, e[i].nsid,
		         (unsigned long long)e[i].lba);
		kv_text(facts, key, text);
	}
}

static void add_namespaces(int fd, struct kv *facts)
{
	uint32_t nsids[128];
	struct strbuf list = STRBUF_INIT;
	char number[16];
	unsigned n = 0;

	if (nvmedev_namespaces(fd, nsids, sizeof(nsids) / sizeof(nsids[0]), &n) == 0) {
		for (unsigned i = 0; i < n; i++) {
			snprintf(number, sizeof(number), "%u", nsids[i]);
			add_word(&list, true, number);
		}
		kv_text(facts, "namespaces", strbuf_str(&list));
	}
	strbuf_fini(&list);
}

void device_nvme_facts(int fd, struct kv *facts)
{
	uint32_t nsid = nvmedev_nsid(fd);
	struct nvme_info_ctrl ctrl;
	struct nvme_info_ns ns;
	struct nvme_health health;
	struct nvme_ocp ocp;
	unsigned state;
	bool on;
	int rc = nvmedev_ctrl(fd, &ctrl);

	if (rc != 0) {
		kv_text(facts, "nvme_missing", nvmedev_strerror(rc));
		return;
	}
	device_ctrl_facts(&ctrl, facts);
	if (nvmedev_power_state(fd, &state) == 0)
		kv_int(facts, "power_state", state);
	if (ctrl.write_cache && nvmedev_write_cache(fd, &on) == 0)
		kv_bool(facts, "nvme_write_cache_on", on);
	add_namespaces(fd, facts);
	kv_int(facts, "namespace", nsid);
	if (nsid != 0 && nvmedev_ns(fd, nsid, &ns) == 0)
		device_ns_facts(&ns, facts);
	rc = nvmedev_health(fd, &health);
	if (rc == 0)
		device_health_facts(&health, facts);
	else
		kv_text(facts, "health_missing", nvmedev_strerror(rc));
	rc = nvmedev_ocp(fd, &ocp);
	if (rc == 0)
		device_ocp_facts(&ocp, facts);
	else
		kv_text(facts, "ocp_missing", nvmedev_no_ocp(rc));
	add_errors(fd, facts);
}
