/* SPDX-License-Identifier: MIT */
/* device: which drives there are and what they are, beyond what reports tell of every drive. */
#ifndef IOLTP_RAW_DEVICE_H
#define IOLTP_RAW_DEVICE_H

#include "base/err.h"
#include "base/kv.h"

#define DEVICE_NAME_MAX 64u

struct device_names {
	char (*names)[DEVICE_NAME_MAX]; /* kernel names ("nvme0n1"), in order; heap */
	unsigned n;
};

/* Whole block devices with a medium: no partitions, no loop device without a file. 0, or -errno
 * with `err`. */
int device_list(struct device_names *list, struct err *err);
void device_list_fini(struct device_names *list);

/*
 * Adds facts of a block device or an NVMe generic device, as far as they can be read: serial (in
 * clear), transport, size, partitions, mounts, link (and link_below_own when it is slower or
 * narrower than the drive's own), NVMe: identify, LBA formats, power states, health, temperature,
 * error log. 0, or -EINVAL with `err` when the path is none.
 */
int device_facts(const char *path, struct kv *facts, struct err *err);

#endif
