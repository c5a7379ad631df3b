/* SPDX-License-Identifier: MIT */
/* What sysfs tells about a block device and the drive below it. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/sysfs.h"
#include "report/facts_priv.h"

static void add_layer(struct strbuf *layers, const struct drive_source *src,
                      const struct drive_node *n)
{
	char text[256];

	strbuf_addf(layers, "%s%s", layers->len > 0 ? " on " : "", n->name);
	if (sysfs_line(src->root, text, sizeof(text), "%s/dm/name", n->dir) ||
	    sysfs_line(src->root, text, sizeof(text), "%s/md/level", n->dir))
		strbuf_addf(layers, " (%s)", text);
}

/* ---- the drive ---- */

void facts_hash_serial(char buf[18], const char *serial)
{
	uint64_t h =
	    0xcbf29ce484222325u; /* FNV-1a, then a mix so that all digits depend on all letters */

	for (; *serial != '\0'; serial++)
		h = (h ^ (unsigned char)*serial) * 0x100000001b3u;
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
	h ^= h >> 33;
	snprintf(buf, 18, "hash:%012llx", (unsigned long long)(h >> 16));
}

static void add_serial(struct kv *device, const struct drive_source *src, const char *dir,
                       bool show_serial)
{
	char serial[256], hash[18];

	if (!sysfs_serial(src->root, dir, serial, sizeof(serial)))
		return;
	facts_hash_serial(hash, serial);
	kv_text(device, "serial", show_serial ? serial : hash);
}

static void add_first_line(struct kv *device, const char *key, const struct drive_source *src,
                           const char *dir, const char *const *files)
{
	char text[256];

	for (; *files != NULL; files++) {
		if (sysfs_line(src->root, text, sizeof(text), "%s/%s", dir, *files)) {
			kv_text(device, key, text);
			return;
		}
	}
}

static void add_identity(struct kv *device, const struct drive_source *src,
                         const struct drive_node *n, bool show_serial)
{
	static const char *const model[] = {"device/model", "device/name", NULL};
	static const char *const firmware[] = {"device/firmware_rev", "device/rev", "device/fwrev",
	                                       NULL};
	static const struct {
		const char *begins, *model, *note;
	} kinds[] = {
	    {"vd", "virtio disk", NULL},
	    {"xvd", "Xen disk", NULL},
	    {"nbd", "network block device", "nbd: not a local drive"},
	    {"rbd", "Ceph block device", "rbd: not a local drive"},
	    {"drbd", "replicated block device", "drbd: writes go over the network too"},
	    {"zram", "compressed memory", "zram: this is memory, no drive is measured"},
	    {"ram", "memory", "ram disk: this is memory, no drive is measured"},
	    {"pmem", "persistent memory", NULL},
	    {"nullb", "null_blk", "null_blk: a device of the kernel that keeps nothing"},
	};

	add_first_line(device, "model", src, n->dir, model);
	add_first_line(device, "firmware", src, n->dir, firmware);
	add_serial(device, src, n->dir, show_serial);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strncmp(n->name, kinds[i].begins, strlen(kinds[i].begins)) != 0)
			continue;
		if (kv_find(device, "model") == NULL)
			kv_text(device, "model", kinds[i].model);
		if (kv_find(device, "note") == NULL)
			kv_text(device, "note", kinds[i].note);
		break;
	}
}

static void add_queue(struct kv *device, const struct drive_source *src, const char *dir)
{
	char text[256];
	uint64_t v;
	char *open, *close;

	if (sysfs_number(src->root, &v, "%s/size", dir))
		kv_int(device, "capacity_bytes", (int64_t)(v * 512)); /* whatever the block size */
	if (sysfs_number(src->root, &v, "%s/queue/logical_block_size", dir))
		kv_int(device, "logical_block_bytes", (int64_t)v);
	if (sysfs_number(src->root, &v, "%s/queue/physical_block_size", dir))
		kv_int(device, "physical_block_bytes", (int64_t)v);
	if (sysfs_number(src->root, &v, "%s/queue/rotational", dir))
		kv_bool(device, "rotational", v != 0);
	if (sysfs_number(src->root, &v, "%s/queue/nr_requests", dir))
		kv_int(device, "queue_depth", (int64_t)v);
	if (sysfs_line(src->root, text, sizeof(text), "%s/queue/write_cache", dir))
		kv_text(device, "write_cache", text);
	if (!sysfs_line(src->root, text, sizeof(text), "%s/queue/scheduler", dir))
		return;
	open = strchr(text, '[');
	close = open != NULL ? strchr(open, ']') : NULL;
	if (close != NULL)
		*close = '\0';
	kv_text(device, "scheduler", close != NULL ? open + 1 : text);
}

/* The link of the directory that a drive's path leads through, if this is where a link ends. */
static bool add_link_at(struct kv *device, const struct drive_source *src, const char *dir)
{
	const char *name = strrchr(dir, '/') + 1;
	char text[128];

	if (strncmp(name, "ata", 3) == 0 &&
	    sysfs_line(src->root, text, sizeof(text), "%s/link%s/ata_link/link%s/sata_spd", dir,
	               name + 3, name + 3)) {
		kv_text(device, "link_speed", text);
		return true;
	}
	if (sysfs_line(src->root, text, sizeof(text), "%s/bDeviceClass", dir) &&
	    sysfs_line(src->root, text, sizeof(text), "%s/speed", dir)) {
		strncat(text, " Mbit/s USB", sizeof(text) - strlen(text) - 1);
		kv_text(device, "link_speed", text);
		return true;
	}
	if (!sysfs_line(src->root, text, sizeof(text), "%s/current_link_speed", dir) ||
	    strncmp(text, "Unknown", 7) == 0)
		return false;
	kv_text(device, "link_speed", text);
	if (sysfs_line(src->root, text, sizeof(text), "%s/current_link_width", dir))
		kv_text(device, "link_width", text);
	if (sysfs_line(src->root, text, sizeof(text), "%s/max_link_speed", dir))
		kv_text(device, "link_speed_max", text);
	return true;
}

/* Where the hardware hangs: the directory of a path's first controller when NVMe multipath hides
 * it. */
static void hardware_of(struct drive_node *hw, const struct drive_source *src,
                        const struct drive_node *drive)
{
	char path[PATH_MAX], first[NAME_MAX + 1];
	struct drive_node subsystem = *drive;

	*hw = *drive;
	if (strstr(drive->dir, "/nvme-subsystem/") == NULL || !drive_parent(&subsystem))
		return;
	/* The subsystem lists its controllers ("nvme0") beside its namespaces ("nvme0n1"). */
	if (drive_first_entry(src, subsystem.dir, "nvme", first) == 0 ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", subsystem.dir, first) >= sizeof(path))
		return;
	drive_node_set(hw, src, path);
}

static void add_hardware(struct kv *device, const struct drive_source *src,
                         const struct drive_node *drive)
{
	bool link = false, node = false;
	struct drive_node at;
	uint64_t v;

	hardware_of(&at, src, drive);
	while (strncmp(at.dir, "/sys/devices/", 13) == 0 && !(link && node)) {
		if (!link)
			link = add_link_at(device, src, at.dir);
		if (!node && sysfs_number(src->root, &v, "%s/numa_node", at.dir)) {
			kv_int(device, "numa_node", (int64_t)v);
			node = true;
		}
		if (!drive_parent(&at))
			break;
	}
}

void facts_drive_add(struct kv *device, const struct drive_source *src, unsigned major,
                     unsigned minor, bool show_serial)
{
	struct strbuf layers = STRBUF_INIT;
	unsigned width, drives = 1;
	struct drive_node n;
	char text[64];

	if (!drive_node_of(&n, src, major, minor))
		return;
	kv_text(device, "device", n.name);
	snprintf(text, sizeof(text), "%u:%u", major, minor);
	kv_text(device, "major_minor", text);
	add_layer(&layers, src, &n);
	for (unsigned i = 0; i < DRIVE_LAYERS_MAX && drive_descend(&n, src, &width); i++) {
		add_layer(&layers, src, &n);
		drives *= width;
	}
	kv_text(device, "layers", strbuf_str(&layers));
	strbuf_fini(&layers);
	kv_text(device, "drive", n.name);
	if (drives > 1)
		kv_int(device, "drives",
		       drives); /* striped or mirrored: the figures below are the first one's */
	add_identity(device, src, &n, show_serial);
	add_queue(device, src, n.dir);
	add_hardware(device, src, &n);
}
