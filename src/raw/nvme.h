/* SPDX-License-Identifier: MIT */
/*
 * nvme: what a drive says of itself, and the commands that erase it. The only place that uses
 * libnvme; built without it, all of these return -ENOTSUP. `fd` is a namespace's block or generic
 * device, open for reading (for format and sanitize: by the guard, for writing). Returns: 0; -errno
 * when the command could not be sent; above 0 the drive's status. nvmedev_strerror tells either.
 */
#ifndef IOLTP_RAW_NVME_H
#define IOLTP_RAW_NVME_H

#include "raw/nvme_parse.h"

const char *nvmedev_strerror(int rc);
/* Why nvmedev_ocp has nothing to tell, from what it returned. */
const char *nvmedev_no_ocp(int rc);

/* The namespace that the descriptor stands for; 0: none. */
uint32_t nvmedev_nsid(int fd);
int nvmedev_ctrl(int fd, struct nvme_info_ctrl *c);
int nvmedev_ns(int fd, uint32_t nsid, struct nvme_info_ns *n);
/* Active namespaces, in order, at most `room`; `*n` gets how many. */
int nvmedev_namespaces(int fd, uint32_t *nsids, unsigned room, unsigned *n);
int nvmedev_health(int fd, struct nvme_health *h);
/* -EBADMSG: the drive has another log there. */
int nvmedev_ocp(int fd, struct nvme_ocp *o);
/* The newest errors, at most `room`; entries that are none are left out. */
int nvmedev_errors(int fd, struct nvme_error_entry *entries, unsigned room, unsigned *n);
int nvmedev_power_state(int fd, unsigned *state);
int nvmedev_write_cache(int fd, bool *on);

/* Formats a namespace: waits until it is done, or `timeout_ms`. */
int nvmedev_format(int fd, uint32_t nsid, unsigned format, bool metadata_extended, bool crypto,
                   uint32_t timeout_ms);
/* Starts a sanitize of the whole drive and returns at once. */
int nvmedev_sanitize(int fd, bool crypto);
int nvmedev_sanitize_status(int fd, struct nvme_sanitize_status *s);

#endif
