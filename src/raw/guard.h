/* SPDX-License-Identifier: MIT */
/*
 * guard: the only place that opens a target of raw I/O. What is opened for writing has passed every
 * check, and stays held (O_EXCL) until it is closed; a check that cannot be made refuses. Reading
 * opens for reading only.
 */
#ifndef IOLTP_RAW_GUARD_H
#define IOLTP_RAW_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/kv.h"

struct guard_request {
	const char *path; /* as the user wrote it */
	bool write;       /* anything but reads: writes, flushes with writes, format, sanitize */
	const char *destroy_data; /* --destroy-data: the drive's serial, or the path of a regular
	                             file that is there already; NULL: not given */
	uint64_t file_size_bytes; /* --file-size: a regular file is wanted, made or grown to this;
	                             0: not given */
	bool no_direct;           /* do not ask for O_DIRECT */
};

/* An open target. */
struct raw_target {
	char path[4096]; /* realpath */
	int fd;          /* read-only, or read-write after all checks */
	int hold_fd; /* O_EXCL on the block device for the whole run; -1: not a device, or reading
	              */
	bool is_device;       /* block device or NVMe generic */
	bool is_nvme_generic; /* /dev/ngXnY: passthrough only */
	bool writable;
	bool direct; /* O_DIRECT is in force; when not, why_not_direct says why */
	char why_not_direct[128];
	uint64_t size_bytes;
	uint32_t lba_bytes; /* smallest I/O: logical block of the device, or what the filesystem's
	                       O_DIRECT wants */
	uint32_t physical_bytes;
	uint32_t max_io_bytes; /* largest single I/O the device takes (0: unknown) */
	uint32_t nsid;         /* NVMe generic */
	uint64_t dev;          /* st_rdev of the device, or st_dev of the file */
	char serial[128];      /* of the drive; "" unknown */
	char model[128];
};

/* One check and what it found. */
enum guard_verdict {
	GUARD_PASS,
	GUARD_REFUSE,
	GUARD_UNKNOWN /* counts as refuse for writing */,
	GUARD_NOT_APPLICABLE
};

struct guard_finding {
	const char *check; /* "mounted", "swap", "holders", "partitions", "signature", "database",
	                      "read-only", "serial", "exclusive", ... */
	enum guard_verdict verdict;
	char text[512]; /* what was found */
};

#define GUARD_FINDINGS_MAX 32u

struct guard_report {
	struct guard_finding findings[GUARD_FINDINGS_MAX];
	unsigned n;
	bool writable; /* raw writing would be allowed with the right --destroy-data */
};

/*
 * Opens the target. 0; -EINVAL with `err` (exit status 2: refused or wrong, the reason named,
 * nothing changed on it); -EIO with `err`. Never creates anything below /dev; creates a regular
 * file only with file_size_bytes.
 */
int guard_open(struct raw_target *t, const struct guard_request *q, struct err *err);
void guard_close(struct raw_target *t);
/* Makes all checks without opening for writing, and without stopping at the first finding. 0, or
 * -EINVAL with `err` when there is no such target. */
int guard_check(const char *path, struct guard_report *report, struct err *err);

#endif
