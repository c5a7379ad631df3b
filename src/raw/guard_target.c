/* SPDX-License-Identifier: MIT */
/* What was named: a block device, an NVMe generic device and its sibling, or a regular file. */
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

bool guard_is_device(const struct guard_subject *s)
{
	return s->kind == GUARD_BLOCK || s->kind == GUARD_GENERIC;
}

static bool in_dev(const char *real)
{
	return strcmp(real, "/dev") == 0 || strncmp(real, "/dev/", 5) == 0;
}

/* ---- devices ---- */

/* "/dev/ng0n1" -> its sibling "/dev/nvme0n1". */
static int find_sibling(struct guard_subject *s, struct err *err)
{
	unsigned of_major = major(s->st.st_rdev), of_minor = minor(s->st.st_rdev);
	unsigned major, minor;
	char dir[PATH_MAX];

	if (!sysfs_generic_sibling(s->root, of_major, of_minor, dir))
		return err_usage(
		    err,
		    "%s: is a character device and no drive; name a block device or an "
		    "NVMe generic device (/dev/ng0n1)%s",
		    s->given,
		    sysfs_exists(s->root, "/sys/dev/char/%u:%u/cntlid", of_major, of_minor)
		        ? ", not the controller"
		        : "");
	snprintf(s->block, sizeof(s->block), "/dev/%s", sysfs_name(dir));
	if (!sysfs_dev(s->root, dir, &major, &minor) || stat(s->block, &s->block_st) != 0 ||
	    !S_ISBLK(s->block_st.st_mode) || s->block_st.st_rdev != makedev(major, minor))
		return err_usage(
		    err, "%s: its block device %s is not there; make the node, or let udev make it",
		    s->given, s->block);
	return 0;
}

/* Who writes through the generic device writes to the block device. */
static void find_generic(struct guard_subject *s)
{
	char dir[PATH_MAX], name[64];
	unsigned major, minor;

	if (strncmp(sysfs_name(s->disk_dir), "nvme", 4) != 0)
		return;
	snprintf(name, sizeof(name), "ng%.60s", sysfs_name(s->disk_dir) + strlen("nvme"));
	snprintf(dir, sizeof(dir), "%s", s->disk_dir);
	sysfs_parent(dir);
	if (strlen(dir) + strlen(name) + 2 > sizeof(dir))
		return;
	strcat(strcat(dir, "/"), name);
	if (sysfs_dev(s->root, dir, &major, &minor))
		s->generic = makedev(major, minor);
}

static int settle_device(struct guard_subject *s, struct err *err)
{
	char dir[PATH_MAX];
	int rc;

	if (guard_family_init(&s->family, s->root, major(s->block_st.st_rdev),
	                      minor(s->block_st.st_rdev)) != 0)
		return err_run(err, "%s: out of memory", s->given);
	if (!sysfs_block_dir(s->root, major(s->block_st.st_rdev), minor(s->block_st.st_rdev), dir))
		return err_usage(
		    err,
		    "%s: /sys has no block device %u:%u; is there a drive, and is /sys mounted?",
		    s->given, major(s->block_st.st_rdev), minor(s->block_st.st_rdev));
	sysfs_disk_dir(s->root, dir, s->disk_dir);
	find_generic(s);
	rc = sysfs_exists(s->root, "%s/queue", s->disk_dir) ? 0 : -ENOENT;
	return rc == 0 ? 0
	               : err_usage(err, "%s: /sys does not tell its block size; is /sys mounted?",
	                           s->given);
}

/* ---- what is not there ---- */

/* The path of a file to be made: its directory without links, and its name. */
static int new_file(struct guard_subject *s, const char *path, struct err *err)
{
	char copy[PATH_MAX], dir[PATH_MAX], *slash;
	struct stat st;

	if ((size_t)snprintf(copy, sizeof(copy), "%s%s", strchr(path, '/') != NULL ? "" : "./",
	                     path) >= sizeof(copy))
		return err_usage(err, "%s: the path is too long; use a shorter one", path);
	slash = strrchr(copy, '/');
	*slash = '\0';
	if (realpath(slash == copy ? "/" : copy, dir) == NULL || stat(dir, &s->st) != 0)
		return err_usage(err, "%s: its folder: %s; make it first", path, strerror(errno));
	if (slash[1] == '\0' || strcmp(slash + 1, ".") == 0 || strcmp(slash + 1, "..") == 0)
		return err_usage(err, "%s: is no name of a file; add one", path);
	if (snprintf(s->real, sizeof(s->real), "%s/%s", dir[1] != '\0' ? dir : "", slash + 1) >=
	    (int)sizeof(s->real))
		return err_usage(err, "%s: the path is too long; use a shorter one", path);
	/* A link that leads nowhere: what it names may lie in /dev. */
	if (lstat(s->real, &st) == 0)
		return err_usage(
		    err, "%s: is a symbolic link to what does not exist; name the file itself",
		    path);
	s->kind = GUARD_NEW_FILE;
	return 0;
}

/* Nothing below /dev is ever made, whatever way leads there: a mistyped name would fill memory. */
static bool would_be_in_dev(const char *path)
{
	char copy[PATH_MAX], real[PATH_MAX], target[PATH_MAX];
	char *slash;
	ssize_t len;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy))
		return false;
	len = readlink(copy, target, sizeof(target) - 1);
	if (len > 0) {
		target[len] = '\0';
		if (target[0] == '/')
			snprintf(copy, sizeof(copy), "%s", target);
	}
	while ((slash = strrchr(copy, '/')) != NULL && slash != copy) {
		*slash = '\0';
		if (realpath(copy, real) != NULL)
			return in_dev(real);
	}
	return false;
}

static int missing(struct guard_subject *s, const char *path, bool may_create, int error,
                   struct err *err)
{
	if (error == EACCES || error == EPERM)
		return err_usage(
		    err,
		    "%s: permission denied; run as root, or see to the permissions of its folders",
		    path);
	if (error != ENOENT)
		return err_usage(err, "%s: %s; name a device or a file", path, strerror(error));
	if (would_be_in_dev(path))
		return err_usage(
		    err, "%s: there is no such device; 'ioltp device list' shows those that are",
		    path);
	if (!may_create)
		return err_usage(err,
		                 "%s: does not exist; name a device, or a file, which a run that "
		                 "writes makes with --file-size=SIZE",
		                 path);
	return new_file(s, path, err);
}

/* ---- the subject ---- */

static int settle_kind(struct guard_subject *s, struct err *err)
{
	struct stat st;

	switch (s->st.st_mode & S_IFMT) {
	case S_IFBLK:
		s->kind = GUARD_BLOCK;
		s->block_st = s->st;
		snprintf(s->block, sizeof(s->block), "%s", s->real);
		return settle_device(s, err);
	case S_IFCHR:
		s->kind = GUARD_GENERIC;
		return find_sibling(s, err) != 0 ? -EINVAL : settle_device(s, err);
	case S_IFREG:
		s->kind = GUARD_FILE;
		/* Not in /dev/shm and the like, which are filesystems of their own. */
		if (in_dev(s->real) && stat("/dev", &st) == 0 && st.st_dev == s->st.st_dev)
			return err_usage(
			    err,
			    "%s: is a regular file in /dev, left by a mistyped command; remove it",
			    s->given);
		return 0;
	case S_IFDIR:
		return err_usage(
		    err, "%s: is a directory; name a device, or a file in it with --file-size=SIZE",
		    s->given);
	default:
		return err_usage(err, "%s: is a pipe or a socket; name a device or a regular file",
		                 s->given);
	}
}

int guard_subject_init(struct guard_subject *s, const char *root, const char *path, bool may_create,
                       struct err *err)
{
	int rc;

	*s = (struct guard_subject){.root = root, .given = path, .fd = -1, .hold_fd = -1};
	if (path[0] == '\0')
		return err_usage(err, "the target is an empty name; name a device or a file");
	if (realpath(path, s->real) == NULL)
		return missing(s, path, may_create, errno, err);
	if (stat(s->real, &s->st) != 0)
		return err_usage(err, "%s: %s; name a device or a file", path, strerror(errno));
	rc = settle_kind(s, err);
	if (rc != 0)
		guard_subject_fini(s);
	return rc;
}

void guard_subject_fini(struct guard_subject *s)
{
	guard_family_fini(&s->family);
	if (s->fd >= 0)
		close(s->fd);
	if (s->hold_fd >= 0)
		close(s->hold_fd);
	s->fd = s->hold_fd = -1;
}

/* Is this descriptor of what was looked at? */
static bool same(int fd, const struct stat *was)
{
	struct stat now;

	if (fstat(fd, &now) != 0 || (now.st_mode & S_IFMT) != (was->st_mode & S_IFMT))
		return false;
	if (S_ISREG(now.st_mode))
		return now.st_dev == was->st_dev && now.st_ino == was->st_ino;
	return now.st_rdev == was->st_rdev;
}

static int changed(const struct guard_subject *s, struct err *err)
{
	return err_usage(err,
	                 "%s: another thing has come to this name while it was judged; try again",
	                 s->given);
}

int guard_subject_open(struct guard_subject *s, bool claim, struct err *err)
{
	const char *path = guard_is_device(s) ? s->block : s->real;
	const struct stat *was = guard_is_device(s) ? &s->block_st : &s->st;

	if (s->kind == GUARD_NEW_FILE)
		return 0;
	if (claim && guard_is_device(s)) {
		s->hold_fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
		s->hold_error = s->hold_fd < 0 ? errno : 0;
		if (s->hold_fd >= 0 && !same(s->hold_fd, was))
			return changed(s, err);
	}
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	s->fd_error = s->fd < 0 ? errno : 0;
	if (s->fd >= 0 && !same(s->fd, was))
		return changed(s, err);
	return 0;
}
