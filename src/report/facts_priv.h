/* SPDX-License-Identifier: MIT */
/* facts_priv: what facts_host.c and facts_device.c share, and where tests put another root in place
 * of "/" (drive_source). */
#ifndef IOLTP_REPORT_FACTS_PRIV_H
#define IOLTP_REPORT_FACTS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/drive.h"
#include "base/kv.h"

void facts_host_from(struct kv *host, const struct drive_source *src);

/* The mount that holds an absolute path without symbolic links, and, for file systems on no device
 * of their own, its source. */
struct facts_mount {
	char point[512], type[64], options[512], source[512];
};
bool facts_mount_of(const struct drive_source *src, const char *path, struct facts_mount *mount);
/* Adds filesystem, mount_point, mount_options and, where nothing lies on a local drive, note. */
void facts_mount_add(struct kv *device, const struct facts_mount *mount);

/* Adds what is known of a block device and of the drive under it. */
void facts_drive_add(struct kv *device, const struct drive_source *src, unsigned major,
                     unsigned minor, bool show_serial);

/* A short stable name for a serial: "hash:" and 12 hexadecimal digits, into buf. */
void facts_hash_serial(char buf[18], const char *serial);

#endif
