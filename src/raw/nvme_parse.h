/* SPDX-License-Identifier: MIT */
/*
 * nvme_parse: NVMe identify structures and log pages, from the bytes that a drive sent. Nothing
 * here talks to a drive, so that tests feed recorded pages. Any thread. All functions return 0, or
 * -EMSGSIZE when the page is too short for what the specification puts into it.
 */
#ifndef IOLTP_RAW_NVME_PARSE_H
#define IOLTP_RAW_NVME_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The drive's 128-bit counters. They wrap at 2^128. */
struct nvme_u128 {
	uint64_t lo, hi;
};

/* after - before, modulo 2^128. */
struct nvme_u128 nvme_u128_sub(struct nvme_u128 after, struct nvme_u128 before);
/* The nearest double; exact below 2^53. */
double nvme_u128_double(struct nvme_u128 v);
bool nvme_u128_is_zero(struct nvme_u128 v);

/* One data unit of the SMART log: 1000 blocks of 512 bytes. */
#define NVME_DATA_UNIT_BYTES 512000u
#define NVME_TEMPERATURES    9u

/* SMART / health (LID 02h). */
struct nvme_health {
	uint8_t critical_warning; /* bits: 0 spare low, 1 temperature, 2 degraded, 3 read-only,
	                             4 backup of volatile memory, 5 persistent memory */
	/* Composite, then sensors 1..8; degrees Celsius; 0 K (not there) is INT16_MIN. */
	int16_t temperature_c[NVME_TEMPERATURES];
	uint8_t spare_pct, spare_threshold_pct;
	uint8_t used_pct;                           /* of the rated endurance; may exceed 100 */
	struct nvme_u128 read_units, written_units; /* of NVME_DATA_UNIT_BYTES */
	struct nvme_u128 read_commands, write_commands;
	struct nvme_u128 busy_min, power_cycles, power_on_h, unsafe_shutdowns, media_errors,
	    error_entries;
	uint32_t warning_temperature_min, critical_temperature_min;
	uint32_t throttle_count[2], throttle_s[2]; /* thermal management, light and heavy */
};

int nvme_parse_health(struct nvme_health *h, const void *page, size_t len);

/* OCP "SMART / health information extended" (LID C0h). */
struct nvme_ocp {
	uint16_t version;
	struct nvme_u128 media_written_bytes,
	    media_read_bytes;                        /* what went to and came from flash */
	uint64_t bad_user_blocks, bad_system_blocks; /* raw counts, 48 bits */
	uint64_t xor_recoveries, uncorrectable_reads, soft_ecc_errors;
	uint32_t e2e_detected, e2e_corrected;
	uint8_t system_used_pct;
	uint64_t refreshes; /* 56 bits */
	uint32_t erase_count_max, erase_count_min;
	uint8_t throttle_events, throttle_now; /* now: 0 none, 1..3 levels */
	uint64_t pcie_correctable;
	uint32_t incomplete_shutdowns;
	uint8_t free_blocks_pct;
	uint16_t capacitor_pct;
	uint64_t unaligned_ios;
	uint64_t security_version;
	struct nvme_u128 plp_starts;
	uint64_t endurance_estimate_bytes; /* saturated */
};

/* -EBADMSG: the page is not OCP's (another vendor's log lives at C0h): its GUID differs. */
int nvme_parse_ocp(struct nvme_ocp *o, const void *page, size_t len);

#define NVME_POWER_STATES_MAX 32u

struct nvme_power_state {
	double max_power_w; /* 0: not reported */
	bool non_operational;
	uint32_t entry_us, exit_us;
};

/* Identify controller (CNS 01h). */
struct nvme_info_ctrl {
	uint16_t vendor_id, controller_id;
	char serial[21], model[41], firmware[9], subnqn[257];
	uint32_t version; /* major << 16 | minor << 8 | tertiary */
	uint32_t namespaces_max;
	uint8_t mdts; /* largest transfer: 2^mdts minimum pages; 0: no limit */
	bool can_format, can_manage_namespaces;
	bool format_is_all, erase_is_all; /* a format or an erase of one namespace reaches all */
	bool format_can_crypto;
	bool sanitize_crypto, sanitize_block, sanitize_overwrite;
	bool write_cache;
	int16_t warning_temperature_c, critical_temperature_c; /* INT16_MIN: not reported */
	struct nvme_u128 total_bytes, unallocated_bytes;
	unsigned npower_states;
	struct nvme_power_state power_states[NVME_POWER_STATES_MAX];
};

int nvme_parse_ctrl(struct nvme_info_ctrl *c, const void *page, size_t len);

#define NVME_FORMATS_MAX 64u

struct nvme_lba_format {
	uint32_t data_bytes; /* 0: not available */
	uint16_t metadata_bytes;
	uint8_t performance; /* 0 best .. 3 degraded */
};

/* Identify namespace (CNS 00h). */
struct nvme_info_ns {
	uint64_t size_blocks, capacity_blocks, used_blocks;
	unsigned nformats, format; /* the one in use */
	struct nvme_lba_format formats[NVME_FORMATS_MAX];
	bool metadata_extended; /* metadata travels at the end of the data */
	bool thin, deallocate_reads_zero;
	char nguid[33], eui64[17]; /* hexadecimal; "" when zero */
};

int nvme_parse_ns(struct nvme_info_ns *n, const void *page, size_t len);

/* One entry of the error log (LID 01h). */
struct nvme_error_entry {
	uint64_t count; /* number of the error since the drive was made; 0: no entry */
	uint16_t queue, command, status;
	uint64_t lba;
	uint32_t nsid;
};

/* Entry `index` of the log; -ENODATA when the page ends before it. */
int nvme_parse_error(struct nvme_error_entry *e, unsigned index, const void *page, size_t len);

enum nvme_sanitize_state {
	NVME_SANITIZE_NEVER,
	NVME_SANITIZE_DONE,
	NVME_SANITIZE_RUNNING,
	NVME_SANITIZE_FAILED
};

/* Sanitize status (LID 81h). */
struct nvme_sanitize_status {
	enum nvme_sanitize_state state;
	double progress;     /* 0..1 */
	uint32_t estimate_s; /* for the last action; UINT32_MAX: not reported */
};

int nvme_parse_sanitize(struct nvme_sanitize_status *s, const void *page, size_t len);

#endif
