/* SPDX-License-Identifier: MIT */
/*
 * counters: what the drive and the kernel counted before and after a run, and the difference. Off
 * the measured path. What cannot be read is left out, and the difference says why.
 */
#ifndef IOLTP_RAW_COUNTERS_H
#define IOLTP_RAW_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/blockstat.h"
#include "base/kv.h"
#include "raw/nvme_parse.h"

struct counters {
	uint64_t taken_ns; /* monotonic clock */
	char device[64];   /* the block device whose stat is taken: a partition's own */
	bool passthrough;  /* by an NVMe generic device, which the kernel does not count */
	bool has_block;
	struct blockstat block;
	bool has_health, has_ocp;
	struct nvme_health health;
	struct nvme_ocp ocp;
	bool has_temperature;
	double temperature_c; /* of the drive: SMART, or the kernel's hwmon */
	bool has_power;
	double power_w; /* what the drive's present power state may draw at most */
	char why_no_health[128], why_no_ocp[128];
};

/* Counters of a device, of the sibling of an NVMe generic device, or of the device under a file.
 * Never fails. */
void counters_take(const char *path, struct counters *c);
/*
 * Adds the differences to `kv`: device_bytes_read, device_bytes_written, device_reads,
 * device_writes, device_flushes, device_flush_ms, device_busy_ms, device_bytes_discarded,
 * smart_bytes_read, smart_bytes_written, smart_media_errors, smart_error_entries,
 * media_bytes_written, media_bytes_read, media_write_amplification (media over SMART bytes written;
 * left out below 16 MB written, where the counter's unit of 512,000 bytes decides), throttle_*,
 * temperature_before_c, temperature_after_c, critical_warning, power_max_w, bytes_per_s_per_w. Text
 * keys counters_* say why something is left out. A drive that was replaced or reset in between has
 * counters that went backwards: those are left out too, and said.
 */
void counters_diff(const struct counters *before, const struct counters *after, struct kv *kv);

#endif
