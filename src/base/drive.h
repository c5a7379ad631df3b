/* SPDX-License-Identifier: MIT */
/* drive: block devices in sysfs, and the way from any of them, or from a file, down to the drive
 * below partitions, dm, md and loop. Any thread. */
#ifndef IOLTP_BASE_DRIVE_H
#define IOLTP_BASE_DRIVE_H

#include <limits.h>
#include <stdbool.h>

#define DRIVE_LAYERS_MAX 12 /* deeper stacks are not believed: a loop onto itself */

/* Where it is read. */
struct drive_source {
	const char *root; /* before "/proc" and "/sys"; "" for the real ones */
	/* Device number of the file system that a path lies on, or of the block device that it is.
	 * 0 or -errno. */
	int (*device_of)(void *ctx, const char *path, unsigned *major, unsigned *minor);
	void *ctx;
};

extern const struct drive_source drive_real;

/* The directory of a block device in sysfs, without the root and without symbolic links. */
struct drive_node {
	char dir[PATH_MAX];
	char name[NAME_MAX + 1];
};

/* By a link to the directory, or by number. False: there is none. */
bool drive_node_set(struct drive_node *n, const struct drive_source *src, const char *link);
bool drive_node_of(struct drive_node *n, const struct drive_source *src, unsigned major,
                   unsigned minor);
/* The directory above. False: there is none. */
bool drive_parent(struct drive_node *n);
/*
 * First entry of a directory, in the order of names, of those that are `begin` and a number (NULL:
 * of all). Returns how many there are.
 */
unsigned drive_first_entry(const struct drive_source *src, const char *dir, const char *begin,
                           char first[NAME_MAX + 1]);
/* One layer down. False: this is the drive. `width`: how many devices lie below, the first is
 * taken. */
bool drive_descend(struct drive_node *n, const struct drive_source *src, unsigned *width);

/* The drive under a file or block device (itself, when nothing lies below). `drives`: how many
 * there are, the first is taken. False: no block device is known under it. */
bool drive_under(struct drive_node *n, const char *path, unsigned *drives);

#endif
