/* SPDX-License-Identifier: MIT */
#include "trace/cached.h"

#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Linux 6.5; the C library's headers may be older. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

struct range {
	uint64_t offset_bytes, size_bytes;
};

/* Pages of the range. */
struct counts {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static long cachestat_call(int fd, uint64_t offset_bytes, uint64_t size_bytes, struct counts *c)
{
	struct range r = {offset_bytes, size_bytes};

	return syscall(SYS_cachestat, fd, &r, c, 0u);
}

static ssize_t nowait(int fd, uint64_t offset_bytes)
{
	char byte;
	struct iovec v = {&byte, 1};

	return preadv2(fd, &v, 1, (off_t)offset_bytes, RWF_NOWAIT);
}

enum cached_way cached_way_of(int fd, const char **why)
{
	struct counts c;
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC)) {
		if (why != NULL)
			*why = "the file system is memory, and no read comes from a drive";
		return CACHED_UNKNOWN;
	}
	if (cachestat_call(fd, 0, 1, &c) == 0)
		return CACHED_STAT;
	if (nowait(fd, 0) >= 0 || errno == EAGAIN)
		return CACHED_NOWAIT;
	if (why != NULL)
		*why = "this kernel or file system does not tell; use Linux 6.5 or newer";
	return CACHED_UNKNOWN;
}

bool cached_is(enum cached_way way, int fd, uint64_t offset_bytes, uint64_t size_bytes)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t pages;
	struct counts c;

	if (way == CACHED_NOWAIT)
		return nowait(fd, offset_bytes + size_bytes - 1) >= 0;
	if (way != CACHED_STAT || size_bytes == 0 ||
	    cachestat_call(fd, offset_bytes, size_bytes, &c) != 0)
		return false;
	pages = (offset_bytes + size_bytes - 1) / page_bytes - offset_bytes / page_bytes + 1;
	return c.cached >= pages;
}
