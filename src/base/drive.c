/* SPDX-License-Identifier: MIT */
#include "base/drive.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/sysfs.h"

static int real_device_of(void *ctx, const char *path, unsigned *major, unsigned *minor)
{
	char dir[PATH_MAX];
	struct stat st;
	dev_t dev;

	(void)ctx;
	if (stat(path, &st) != 0)
		return -errno;
	/* An NVMe generic device is the same namespace as the block device beside it. */
	if (S_ISCHR(st.st_mode))
		return sysfs_generic_sibling("", major(st.st_rdev), minor(st.st_rdev), dir) &&
		               sysfs_dev("", dir, major, minor)
		           ? 0
		           : -ENODEV;
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	*major = major(dev);
	*minor = minor(dev);
	return 0;
}

const struct drive_source drive_real = {.root = "", .device_of = real_device_of};

bool drive_node_set(struct drive_node *n, const struct drive_source *src, const char *link)
{
	if (!sysfs_resolve(src->root, link, n->dir))
		return false;
	snprintf(n->name, sizeof(n->name), "%.*s", NAME_MAX, sysfs_name(n->dir));
	return true;
}

bool drive_node_of(struct drive_node *n, const struct drive_source *src, unsigned major,
                   unsigned minor)
{
	char link[64];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major, minor);
	return drive_node_set(n, src, link);
}

static bool is_numbered(const char *name, const char *begin)
{
	size_t len = strlen(begin);

	return strncmp(name, begin, len) == 0 && name[len] != '\0' &&
	       name[len + strspn(name + len, "0123456789")] == '\0';
}

/*
 * First entry of a directory, in the order of names, of those that are `begin` and a number (NULL:
 * of all). Returns how many there are.
 */
unsigned drive_first_entry(const struct drive_source *src, const char *dir, const char *begin,
                           char first[NAME_MAX + 1])
{
	char path[PATH_MAX];
	unsigned n = 0;
	struct dirent *e;
	DIR *d;

	if ((size_t)snprintf(path, sizeof(path), "%s%s", src->root, dir) >= sizeof(path))
		return 0;
	d = opendir(path);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || (begin != NULL && !is_numbered(e->d_name, begin)))
			continue;
		if (n++ == 0 || strcmp(e->d_name, first) < 0)
			snprintf(first, NAME_MAX + 1, "%s", e->d_name);
	}
	if (d != NULL)
		closedir(d);
	return n;
}

/* ---- down to the drive ---- */

bool drive_parent(struct drive_node *n)
{
	if (!sysfs_parent(n->dir))
		return false;
	snprintf(n->name, sizeof(n->name), "%.*s", NAME_MAX, sysfs_name(n->dir));
	return true;
}

/* One layer down. False: this is the drive. `width`: how many devices lie below, the first is
 * taken. */
bool drive_descend(struct drive_node *n, const struct drive_source *src, unsigned *width)
{
	char path[PATH_MAX], file[PATH_MAX], first[NAME_MAX + 1];
	unsigned major, minor;

	*width = 1;
	if (sysfs_line(src->root, file, sizeof(file), "%s/partition", n->dir))
		return drive_parent(n);
	if (sysfs_line(src->root, file, sizeof(file), "%s/loop/backing_file", n->dir))
		return src->device_of(src->ctx, file, &major, &minor) == 0 &&
		       drive_node_of(n, src, major, minor);
	if ((size_t)snprintf(path, sizeof(path), "%s/slaves", n->dir) >= sizeof(path))
		return false;
	*width = drive_first_entry(src, path, NULL, first);
	if (*width == 0)
		return false;
	/* The paths of dm-multipath all lead to one drive. */
	if (sysfs_line(src->root, file, sizeof(file), "%s/dm/uuid", n->dir) &&
	    strncmp(file, "mpath-", 6) == 0)
		*width = 1;
	if ((size_t)snprintf(file, sizeof(file), "%s/%s", path, first) >= sizeof(file))
		return false;
	return drive_node_set(n, src, file);
}

/* ---- for a path ---- */

bool drive_under(struct drive_node *n, const char *path, unsigned *drives)
{
	unsigned major, minor, width;

	*drives = 1;
	if (drive_real.device_of(drive_real.ctx, path, &major, &minor) != 0 ||
	    !drive_node_of(n, &drive_real, major, minor))
		return false;
	for (unsigned i = 0; i < DRIVE_LAYERS_MAX && drive_descend(n, &drive_real, &width); i++)
		*drives *= width;
	return true;
}
