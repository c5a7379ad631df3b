/* SPDX-License-Identifier: MIT */
/* What a run did to the drive, from the counters before and after. */
#include <string.h>

#include "raw/counters.h"

/* A wider one than the exact integers of a double is kept as a double. */
static void add_u128(struct kv *kv, const char *key, struct nvme_u128 v)
{
	if (v.hi == 0 && v.lo <= INT64_MAX)
		kv_int(kv, key, (int64_t)v.lo);
	else
		kv_double(kv, key, nvme_u128_double(v));
}

/* Data units (512,000 bytes each) as bytes. */
static void add_units(struct kv *kv, const char *key, struct nvme_u128 units)
{
	if (units.hi == 0 && units.lo <= INT64_MAX / NVME_DATA_UNIT_BYTES)
		kv_int(kv, key, (int64_t)(units.lo * NVME_DATA_UNIT_BYTES));
	else
		kv_double(kv, key, nvme_u128_double(units) * NVME_DATA_UNIT_BYTES);
}

/* Counters only grow; a difference with the highest bit set is one that went backwards. A wrap at
 * 2^128 looks like growth, as it must. */
static bool went_back(struct nvme_u128 difference)
{
	return difference.hi >> 63 != 0;
}

static void diff_block(const struct blockstat *a, const struct blockstat *b, struct kv *kv)
{
	if (b->reads < a->reads || b->writes < a->writes) {
		kv_text(kv, "counters_device_missing",
		        "the kernel's counters went backwards: another device");
		return;
	}
	kv_int(kv, "device_reads", (int64_t)(b->reads - a->reads));
	kv_int(kv, "device_bytes_read", (int64_t)((b->read_sectors - a->read_sectors) * 512));
	kv_int(kv, "device_read_merges", (int64_t)(b->read_merges - a->read_merges));
	kv_int(kv, "device_writes", (int64_t)(b->writes - a->writes));
	kv_int(kv, "device_bytes_written", (int64_t)((b->write_sectors - a->write_sectors) * 512));
	kv_int(kv, "device_write_merges", (int64_t)(b->write_merges - a->write_merges));
	kv_int(kv, "device_discards", (int64_t)(b->discards - a->discards));
	kv_int(kv, "device_bytes_discarded",
	       (int64_t)((b->discard_sectors - a->discard_sectors) * 512));
	if (a->has_flushes && b->has_flushes) {
		kv_int(kv, "device_flushes", (int64_t)(b->flushes - a->flushes));
		kv_int(kv, "device_flush_ms", (int64_t)(b->flush_ms - a->flush_ms));
	}
	kv_int(kv, "device_busy_ms", (int64_t)(b->busy_ms - a->busy_ms));
	kv_int(kv, "device_queue_ms", (int64_t)(b->queue_ms - a->queue_ms));
}

static void diff_throttle(const struct nvme_health *a, const struct nvme_health *b, struct kv *kv)
{
	static const char *const counts[2] = {"throttle_light_count", "throttle_heavy_count"};
	static const char *const seconds[2] = {"throttle_light_s", "throttle_heavy_s"};

	for (unsigned i = 0; i < 2; i++) {
		kv_int(kv, counts[i], (int64_t)(b->throttle_count[i] - a->throttle_count[i]));
		kv_int(kv, seconds[i], (int64_t)(b->throttle_s[i] - a->throttle_s[i]));
	}
	kv_int(kv, "warning_temperature_min",
	       (int64_t)(b->warning_temperature_min - a->warning_temperature_min));
	kv_int(kv, "critical_temperature_min",
	       (int64_t)(b->critical_temperature_min - a->critical_temperature_min));
}

static bool diff_health(const struct nvme_health *a, const struct nvme_health *b, struct kv *kv)
{
	struct nvme_u128 read = nvme_u128_sub(b->read_units, a->read_units);
	struct nvme_u128 written = nvme_u128_sub(b->written_units, a->written_units);

	if (went_back(read) || went_back(written)) {
		kv_text(kv, "counters_health_missing",
		        "the drive's counters went backwards: another drive");
		return false;
	}
	add_units(kv, "smart_bytes_read", read);
	add_units(kv, "smart_bytes_written", written);
	add_u128(kv, "smart_read_commands", nvme_u128_sub(b->read_commands, a->read_commands));
	add_u128(kv, "smart_write_commands", nvme_u128_sub(b->write_commands, a->write_commands));
	add_u128(kv, "smart_media_errors", nvme_u128_sub(b->media_errors, a->media_errors));
	add_u128(kv, "smart_error_entries", nvme_u128_sub(b->error_entries, a->error_entries));
	diff_throttle(a, b, kv);
	kv_int(kv, "critical_warning", b->critical_warning);
	kv_int(kv, "used_pct", b->used_pct);
	kv_int(kv, "spare_pct", b->spare_pct);
	return true;
}

static void diff_ocp(const struct counters *before, const struct counters *after, bool health,
                     struct kv *kv)
{
	struct nvme_u128 written =
	    nvme_u128_sub(after->ocp.media_written_bytes, before->ocp.media_written_bytes);
	struct nvme_u128 read =
	    nvme_u128_sub(after->ocp.media_read_bytes, before->ocp.media_read_bytes);
	double host;

	if (went_back(written) || went_back(read)) {
		kv_text(kv, "counters_media_missing",
		        "the drive's counters went backwards: another drive");
		return;
	}
	add_u128(kv, "media_bytes_written", written);
	add_u128(kv, "media_bytes_read", read);
	/* An 8-bit counter. */
	kv_int(kv, "throttle_events",
	       (uint8_t)(after->ocp.throttle_events - before->ocp.throttle_events));
	kv_int(kv, "throttle_now", after->ocp.throttle_now);
	if (!health)
		return;
	host = nvme_u128_double(
	           nvme_u128_sub(after->health.written_units, before->health.written_units)) *
	       NVME_DATA_UNIT_BYTES;
	/* Below this the counter's own step is more than 3 % of it. */
	if (host >= 16e6)
		kv_double(kv, "media_write_amplification", nvme_u128_double(written) / host);
	else
		kv_text(kv, "counters_amplification_missing",
		        "fewer than 16 MB were written, too few for the drive's counter");
}

void counters_diff(const struct counters *before, const struct counters *after, struct kv *kv)
{
	double seconds = (double)(after->taken_ns - before->taken_ns) / 1e9;
	const struct kv_item *read, *written;
	bool health = false;

	if (before->has_block && after->has_block && strcmp(before->device, after->device) == 0) {
		kv_text(kv, "device", after->device);
		diff_block(&before->block, &after->block, kv);
	} else if (after->passthrough) {
		kv_text(kv, "counters_device_missing",
		        "the kernel does not count NVMe passthrough");
	} else {
		kv_text(kv, "counters_device_missing",
		        "the device under the target has none that can be read");
	}
	if (before->has_health && after->has_health)
		health = diff_health(&before->health, &after->health, kv);
	else
		kv_text(kv, "counters_health_missing",
		        after->why_no_health[0] != '\0' ? after->why_no_health
		                                        : before->why_no_health);
	if (before->has_ocp && after->has_ocp)
		diff_ocp(before, after, health, kv);
	else if (health)
		kv_text(kv, "counters_media_missing",
		        after->why_no_ocp[0] != '\0' ? after->why_no_ocp : before->why_no_ocp);
	if (before->has_temperature)
		kv_double(kv, "temperature_before_c", before->temperature_c);
	if (after->has_temperature)
		kv_double(kv, "temperature_after_c", after->temperature_c);
	if (!after->has_power)
		return;
	kv_double(kv, "power_max_w", after->power_w);
	read = kv_find(kv, after->passthrough ? "smart_bytes_read" : "device_bytes_read");
	written = kv_find(kv, after->passthrough ? "smart_bytes_written" : "device_bytes_written");
	if (read != NULL && written != NULL && seconds > 0)
		kv_double(kv, "bytes_per_s_per_w",
		          (double)(read->i + written->i) / seconds / after->power_w);
}
