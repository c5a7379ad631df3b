/* SPDX-License-Identifier: MIT */
/* capture_where: what drive and which processes a capture is about. For capture.c. */
#ifndef IOLTP_CLI_CAPTURE_WHERE_H
#define IOLTP_CLI_CAPTURE_WHERE_H

#include "base/drive.h"
#include "base/kv.h"
#include "base/opt.h"

/*
 * The drive that --device names (a partition's drive), or the one under a path; a block device as
 * path is itself it, where it has requests. False: none is known; `why` says it as "cause; next
 * step". -EINVAL with `err` when --device is wrong.
 */
int capture_drive(struct drive_node *drive, const struct opt_set *options, const char *path,
                  bool *found, char *why, size_t room, struct err *err);
/* The data directory of a server on this machine. NULL: `why` says why not. */
const char *capture_data_dir(const struct opt_set *options, const char *driver,
                             const struct kv *database, char *why, size_t room);
/* Bytes of a file, a device, or all files of a directory. */
uint64_t capture_bytes(const char *path);
/* True when two paths lie on one drive, or that cannot be told. */
bool capture_same_drive(const char *path, const struct drive_node *drive);

/* Whether the clients are spread over several servers. */
bool capture_several_servers(const struct opt_set *options, const char *driver);

#endif
