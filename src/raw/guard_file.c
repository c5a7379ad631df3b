/* SPDX-License-Identifier: MIT */
/* Regular files as targets: made or grown to a size, locked while they are open. */
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "base/units.h"
#include "raw/guard_priv.h"

void guard_check_content(const struct guard_subject *s, struct guard_finding *f)
{
	char size[32];

	if (guard_is_device(s))
		guard_find(f, GUARD_NOT_APPLICABLE, "a device: what is on it is destroyed");
	else if (s->kind == GUARD_NEW_FILE)
		guard_find(f, GUARD_PASS, "a new file; writing needs --file-size=SIZE");
	else if (s->st.st_nlink > 1)
		/* Where its other names lie, a database's folder perhaps, cannot be told. */
		guard_find(f, GUARD_UNKNOWN,
		           "has %llu names (hard links), and what the others belong to cannot be "
		           "told; name a file that has one",
		           (unsigned long long)s->st.st_nlink);
	else
		guard_find(f, GUARD_PASS,
		           "a file of %s; writing needs --file-size=SIZE and "
		           "--destroy-data=%.300s",
		           units_format_size(size, sizeof(size), (uint64_t)s->st.st_size),
		           s->given);
}

/* What direct I/O on this file must be aligned to: the kernel's answer, else the block size of the
 * device under it, else a page. */
uint32_t guard_file_lba(const struct guard_subject *s, int fd, bool direct)
{
	struct stat st;
	char dir[PATH_MAX], disk[PATH_MAX];
	uint64_t v;

	if (!direct)
		return 512;
#if defined(STATX_DIOALIGN) && defined(SYS_statx)
	struct statx x = {0};

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) == 0 &&
	    (x.stx_mask & STATX_DIOALIGN) != 0 && x.stx_dio_offset_align != 0)
		return x.stx_dio_offset_align;
#endif
	if (fstat(fd, &st) == 0 &&
	    sysfs_block_dir(s->root, major(st.st_dev), minor(st.st_dev), dir)) {
		sysfs_disk_dir(s->root, dir, disk);
		if (sysfs_number(s->root, &v, "%s/queue/logical_block_size", disk) && v >= 512 &&
		    v <= 65536)
			return (uint32_t)v;
	}
	return 4096;
}

void guard_set_direct(struct raw_target *t, bool wanted)
{
	int flags = fcntl(t->fd, F_GETFL);

	t->direct = false;
	if (!wanted) {
		snprintf(t->why_not_direct, sizeof(t->why_not_direct), "not asked for");
		return;
	}
	if (flags >= 0 && fcntl(t->fd, F_SETFL, flags | O_DIRECT) == 0) {
		t->direct = true;
		return;
	}
	snprintf(t->why_not_direct, sizeof(t->why_not_direct), "%s",
	         errno == EINVAL ? "its filesystem has no O_DIRECT" : strerror(errno));
}

/* Room for all of it at once, where the filesystem can, so that no write of the run finds it full.
 */
static int grow(int fd, uint64_t size_bytes)
{
	if (fallocate(fd, 0, 0, (off_t)size_bytes) == 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	return ftruncate(fd, (off_t)size_bytes) == 0 ? 0 : -errno;
}

static int size_error(const struct guard_subject *s, uint64_t size_bytes, int rc, struct err *err)
{
	char want[32], free_text[32];
	struct statvfs vfs;

	units_format_size(want, sizeof(want), size_bytes);
	if (rc == -ENOSPC && statvfs(s->real, &vfs) == 0)
		return err_run(
		    err,
		    "%s: no room for %s (%s free); free some space or take a smaller --file-size",
		    s->given, want,
		    units_format_size(free_text, sizeof(free_text),
		                      (uint64_t)vfs.f_bavail * vfs.f_frsize));
	return err_run(err, "%s: cannot be made %s large: %s; take a smaller --file-size", s->given,
	               want, strerror(-rc));
}

static int open_fd(const struct guard_subject *s, struct err *err)
{
	struct stat st;
	int fd;

	if (s->kind == GUARD_NEW_FILE)
		fd = open(s->real, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	else
		fd = open(s->real, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_usage(err, "%s: %s; see to the permissions, or name another file",
		                 s->given, strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (s->kind == GUARD_FILE && (st.st_dev != s->st.st_dev || st.st_ino != s->st.st_ino))) {
		close(fd);
		return err_usage(
		    err, "%s: another thing has come to this name while it was judged; try again",
		    s->given);
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return err_usage(
		    err, "%s: is locked: another run uses it; wait for it, or name another file",
		    s->given);
	}
	return fd;
}

int guard_open_file(struct raw_target *t, struct guard_subject *s, const struct guard_request *q,
                    struct err *err)
{
	uint64_t now_bytes = s->kind == GUARD_FILE ? (uint64_t)s->st.st_size : 0;
	int rc;

	t->fd = open_fd(s, err);
	if (t->fd < 0)
		return t->fd;
	if (now_bytes < q->file_size_bytes) {
		rc = grow(t->fd, q->file_size_bytes);
		if (rc != 0) {
			if (s->kind == GUARD_NEW_FILE)
				unlink(s->real);
			else if (ftruncate(t->fd, (off_t)now_bytes) != 0)
				rc = -errno;
			return size_error(s, q->file_size_bytes, rc, err);
		}
	}
	t->size_bytes = q->file_size_bytes;
	t->writable = true;
	guard_set_direct(t, !q->no_direct);
	t->dev = (uint64_t)s->st.st_dev;
	t->lba_bytes = guard_file_lba(s, t->fd, t->direct);
	return 0;
}
