/* SPDX-License-Identifier: MIT */
/*
 * sysfs: small files and directories of /sys and /proc, and block devices as sysfs has them. `root`
 * stands before "/sys" and "/proc": "" for the real ones, a laid out tree in tests. Any thread.
 */
#ifndef IOLTP_BASE_SYSFS_H
#define IOLTP_BASE_SYSFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The whole of a file, at most room - 1 bytes, NUL-terminated (buf is "" on failure). Bytes, or
 * -errno. */
ssize_t sysfs_read(const char *root, char *buf, size_t room, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The first line without blanks around it. False: cannot be read or is empty (buf is then ""). */
bool sysfs_line(const char *root, char *buf, size_t room, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A non-negative decimal number alone on the first line. */
bool sysfs_number(const char *root, uint64_t *value, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Cuts all but the first line, without blanks around it. False: nothing is left. */
bool sysfs_trim(char *text);
bool sysfs_exists(const char *root, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Calls fn with each entry of a directory ('.' files left out), in the order of names. Stops at the
 * first non-zero return and returns it; -errno when the directory cannot be read; 0.
 */
int sysfs_each(const char *root, const char *dir, int (*fn)(void *ctx, const char *name),
               void *ctx);

/* Where a link leads, without the root ("/sys/devices/..."). False: nowhere. */
bool sysfs_resolve(const char *root, const char *link, char dir[PATH_MAX]);
/* The directory of a block device by its number. */
bool sysfs_block_dir(const char *root, unsigned major, unsigned minor, char dir[PATH_MAX]);
/* Last part of a path. */
const char *sysfs_name(const char *dir);
/* Cuts the last part off. False: nothing is left. */
bool sysfs_parent(char *dir);
/* The whole drive's directory: the parent of a partition, else the same. */
void sysfs_disk_dir(const char *root, const char *dir, char disk[PATH_MAX]);
/* Device number of a directory with a file "dev". */
bool sysfs_dev(const char *root, const char *dir, unsigned *major, unsigned *minor);
/* The block device "nvme0n1" beside an NVMe generic device "ng0n1", by the number of that. False:
 * the number is no NVMe generic device's, or nothing is beside it. */
bool sysfs_generic_sibling(const char *root, unsigned major, unsigned minor, char dir[PATH_MAX]);
/* "\040" and the like, as mountinfo and swaps escape, into what they stand for. */
void sysfs_unescape(char *text);

/*
 * What tells one drive from another: its serial (NVMe, virtio, MMC, the SCSI serial page), else its
 * world wide name. `dir` is the whole drive's. False: it has none.
 */
bool sysfs_serial(const char *root, const char *dir, char *serial, size_t room);

#endif
