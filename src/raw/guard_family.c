/* SPDX-License-Identifier: MIT */
/*
 * Every block device that shares blocks with the one that is judged: its partitions, the disk that
 * it is a partition of, what is built on any of these, and other ways to the same drive or file.
 * Sibling partitions and other volumes of the same group share nothing and are left out.
 */
#include <errno.h>
#include <linux/loop.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

struct walk {
	struct guard_family *f;
	const char *root;
	unsigned at; /* the member that is being looked at */
};

static void unknown(struct guard_family *f, const char *what, const char *why)
{
	if (f->unknown[0] == '\0')
		snprintf(f->unknown, sizeof(f->unknown), "%.180s: %.60s", what, why);
}

const struct guard_relative *guard_family_find(const struct guard_family *f, unsigned major,
                                               unsigned minor)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (f->members[i].major == major && f->members[i].minor == minor)
			return &f->members[i];
	}
	return NULL;
}

static void add(struct walk *w, const char *link, enum guard_relation relation)
{
	struct guard_family *f = w->f;
	char dir[PATH_MAX];
	struct guard_relative *m;
	unsigned major, minor;

	if (!sysfs_resolve(w->root, link, dir) || !sysfs_dev(w->root, dir, &major, &minor)) {
		unknown(f, link, "its device number cannot be read");
		return;
	}
	if (guard_family_find(f, major, minor) != NULL)
		return;
	if (f->n == GUARD_FAMILY_MAX) {
		unknown(f, link, "too many devices depend on it");
		return;
	}
	m = &f->members[f->n++];
	*m = (struct guard_relative){.major = major, .minor = minor, .relation = relation};
	snprintf(m->name, sizeof(m->name), "%.63s", sysfs_name(dir));
	snprintf(m->dir, sizeof(m->dir), "%s", dir);
}

/* ---- one member's neighbours ---- */

static int add_partition(void *ctx, const char *name)
{
	struct walk *w = ctx;
	const struct guard_relative *m = &w->f->members[w->at];
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", m->dir, name) >= (int)sizeof(path)) {
		unknown(w->f, name, "its path is too long");
		return 0;
	}
	if (sysfs_exists(w->root, "%s/partition", path))
		add(w, path, m->relation == GUARD_SELF ? GUARD_PARTITION : m->relation);
	return 0;
}

static int add_holder(void *ctx, const char *name)
{
	struct walk *w = ctx;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/holders/%s", w->f->members[w->at].dir, name) >=
	    (int)sizeof(path))
		unknown(w->f, name, "its path is too long");
	else
		add(w, path, GUARD_ABOVE);
	return 0;
}

/* Device number and inode of a loop device's file, from the kernel itself. */
static bool loop_status(const char *loop_dir, dev_t *dev, ino_t *ino, dev_t *rdev)
{
	struct loop_info64 info;
	char node[PATH_MAX];
	int fd, rc;

	snprintf(node, sizeof(node), "/dev/%.60s", sysfs_name(loop_dir));
	fd = open(node, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	rc = ioctl(fd, LOOP_GET_STATUS64, &info);
	close(fd);
	if (rc != 0)
		return false;
	/* The kernel gives numbers in its own encoding, which for small ones is this. */
	*dev =
	    makedev((unsigned)(info.lo_device >> 8 & 0xfff),
	            (unsigned)(info.lo_device & 0xff) | (unsigned)(info.lo_device >> 12 & 0xfff00));
	*rdev = makedev((unsigned)(info.lo_rdevice >> 8 & 0xfff),
	                (unsigned)(info.lo_rdevice & 0xff) |
	                    (unsigned)(info.lo_rdevice >> 12 & 0xfff00));
	*ino = (ino_t)info.lo_inode;
	return true;
}

static bool backing_file(const char *root, const char *loop_dir, char *path, size_t room)
{
	return sysfs_line(root, path, room, "%s/loop/backing_file", loop_dir);
}

int guard_is_backing_file(const char *root, const char *loop_dir, const struct stat *file,
                          const char *file_path)
{
	char path[PATH_MAX], *deleted;
	dev_t dev, rdev;
	struct stat st;
	ino_t ino;

	if (!backing_file(root, loop_dir, path, sizeof(path)))
		return 0;
	if (root[0] == '\0' && loop_status(loop_dir, &dev, &ino, &rdev)) {
		if (S_ISBLK(file->st_mode))
			return rdev == file->st_rdev;
		return dev == file->st_dev && ino == file->st_ino;
	}
	if (stat(path, &st) == 0) {
		if (S_ISBLK(file->st_mode))
			return S_ISBLK(st.st_mode) && st.st_rdev == file->st_rdev;
		return st.st_dev == file->st_dev && st.st_ino == file->st_ino;
	}
	/* Gone, or in another namespace: the name is all that is left to compare. */
	deleted = strstr(path, " (deleted)");
	if (deleted != NULL)
		*deleted = '\0';
	return strcmp(sysfs_name(path), sysfs_name(file_path)) == 0 ? -1 : 0;
}

static void relate_loop(struct walk *w, const char *loop_dir)
{
	const struct guard_relative *m = &w->f->members[w->at];
	char mine[PATH_MAX], theirs[PATH_MAX], node[PATH_MAX];
	struct stat st;

	/* A loop device on this block device. */
	st = (struct stat){.st_mode = S_IFBLK, .st_rdev = makedev(m->major, m->minor)};
	snprintf(node, sizeof(node), "/dev/%s", m->name);
	switch (guard_is_backing_file(w->root, loop_dir, &st, node)) {
	case 1:
		add(w, loop_dir, GUARD_ABOVE);
		return;
	case -1:
		unknown(w->f, loop_dir, "its file cannot be looked at and has this name");
		return;
	}
	/* Two loop devices on one file. */
	if (strcmp(loop_dir, m->dir) == 0 || !backing_file(w->root, m->dir, mine, sizeof(mine)) ||
	    !backing_file(w->root, loop_dir, theirs, sizeof(theirs)))
		return;
	if (strcmp(mine, theirs) == 0 ||
	    (stat(mine, &st) == 0 && guard_is_backing_file(w->root, loop_dir, &st, mine) == 1))
		add(w, loop_dir, GUARD_ALIAS);
}

/* The same drive through a second controller that nothing has bundled. */
static void relate_path(struct walk *w, const char *other_dir)
{
	const struct guard_relative *m = &w->f->members[w->at];
	char mine[256], theirs[256];

	if (strcmp(other_dir, m->dir) == 0 ||
	    (!sysfs_line(w->root, mine, sizeof(mine), "%s/wwid", m->dir) &&
	     !sysfs_line(w->root, mine, sizeof(mine), "%s/device/wwid", m->dir)))
		return;
	if ((sysfs_line(w->root, theirs, sizeof(theirs), "%s/wwid", other_dir) ||
	     sysfs_line(w->root, theirs, sizeof(theirs), "%s/device/wwid", other_dir)) &&
	    strcmp(mine, theirs) == 0 && sysfs_exists(w->root, "%s/dev", other_dir))
		add(w, other_dir, GUARD_ALIAS);
}

static int relate(void *ctx, const char *name)
{
	struct walk *w = ctx;
	char link[PATH_MAX], dir[PATH_MAX];

	snprintf(link, sizeof(link), "/sys/block/%.255s", name);
	/* A device may go while the list is read. */
	if (!sysfs_resolve(w->root, link, dir))
		return 0;
	relate_loop(w, dir);
	relate_path(w, dir);
	return 0;
}

/* What a loop device lies on, when that is a block device. */
static void add_below(struct walk *w)
{
	const struct guard_relative *m = &w->f->members[w->at];
	char path[PATH_MAX], dir[PATH_MAX];
	dev_t dev, rdev = 0;
	struct stat st;
	ino_t ino;

	if (!backing_file(w->root, m->dir, path, sizeof(path)))
		return;
	if (w->root[0] != '\0' || !loop_status(m->dir, &dev, &ino, &rdev)) {
		if (stat(path, &st) != 0) {
			unknown(w->f, path, "the file of a loop device cannot be looked at");
			return;
		}
		rdev = S_ISBLK(st.st_mode) ? st.st_rdev : 0;
	}
	if (rdev == 0)
		return;
	if (sysfs_block_dir(w->root, major(rdev), minor(rdev), dir))
		add(w, dir, GUARD_BELOW);
	else
		unknown(w->f, path, "what a loop device lies on is not in /sys");
}

static void visit(struct walk *w)
{
	const struct guard_relative *m = &w->f->members[w->at];
	char path[PATH_MAX];
	int rc;

	if (snprintf(path, sizeof(path), "%s/holders", m->dir) >= (int)sizeof(path))
		rc = -ENAMETOOLONG;
	else
		rc = sysfs_each(w->root, path, add_holder, w);
	if (rc != 0)
		unknown(w->f, path, strerror(-rc));
	/* Partitions beside the one that is judged are none of its business. */
	if (m->relation != GUARD_DISK) {
		rc = sysfs_each(w->root, m->dir, add_partition, w);
		if (rc != 0)
			unknown(w->f, m->dir, strerror(-rc));
	}
	if (sysfs_exists(w->root, "%s/partition", m->dir) && m->relation != GUARD_PARTITION) {
		snprintf(path, sizeof(path), "%s", m->dir);
		sysfs_parent(path);
		add(w, path, m->relation == GUARD_ABOVE ? GUARD_ABOVE : GUARD_DISK);
	}
	add_below(w);
	rc = sysfs_each(w->root, "/sys/block", relate, w);
	if (rc != 0)
		unknown(w->f, "/sys/block", strerror(-rc));
}

int guard_family_init(struct guard_family *f, const char *root, unsigned major, unsigned minor)
{
	struct walk w = {.f = f, .root = root};
	char link[64];

	*f = (struct guard_family){0};
	f->members = calloc(GUARD_FAMILY_MAX, sizeof(*f->members));
	if (f->members == NULL)
		return -ENOMEM;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major, minor);
	add(&w, link, GUARD_SELF);
	for (w.at = 0; w.at < f->n; w.at++)
		visit(&w);
	return 0;
}

void guard_family_fini(struct guard_family *f)
{
	free(f->members);
	f->members = NULL;
	f->n = 0;
}

const char *guard_relative_label(char *buf, size_t room, const struct guard_relative *m)
{
	static const char *const forms[] = {
	    [GUARD_SELF] = "it",           [GUARD_PARTITION] = "its partition %s",
	    [GUARD_DISK] = "its disk %s",  [GUARD_ABOVE] = "%s on top of it",
	    [GUARD_BELOW] = "%s below it", [GUARD_ALIAS] = "the same drive as %s",
	};
	const char *form = forms[m->relation], *hole = strstr(form, "%s");

	if (hole == NULL)
		snprintf(buf, room, "%s", form);
	else
		snprintf(buf, room, "%.*s%s%s", (int)(hole - form), form, m->name, hole + 2);
	return buf;
}
