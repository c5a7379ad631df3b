/* SPDX-License-Identifier: MIT */
#ifndef IOLTP_RAW_DEVICE_PRIV_H
#define IOLTP_RAW_DEVICE_PRIV_H

#include "raw/device.h"
#include "raw/nvme_parse.h"

/* Facts of an NVMe namespace by a descriptor of it; what the drive does not answer is told in
 * nvme_missing. */
void device_nvme_facts(int fd, struct kv *facts);

/* The parts, from what was parsed. */
void device_ctrl_facts(const struct nvme_info_ctrl *c, struct kv *facts);
void device_ns_facts(const struct nvme_info_ns *n, struct kv *facts);
void device_health_facts(const struct nvme_health *h, struct kv *facts);
void device_ocp_facts(const struct nvme_ocp *o, struct kv *facts);

/*
 * The PCI link of a drive, by its directory below /sys/devices: link_speed, link_width,
 * link_speed_max, link_width_max (its own) and link_below_own.
 */
void device_link_facts(const char *root, const char *disk_dir, struct kv *facts);

#endif
