/* SPDX-License-Identifier: MIT */
#include "base/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

/* ---- small files ---- */

static int path_of(char path[PATH_MAX], const char *root, const char *fmt, va_list ap)
{
	int len = snprintf(path, PATH_MAX, "%s", root);
	int more;

	if (len < 0 || len >= PATH_MAX)
		return -ENAMETOOLONG;
	more = vsnprintf(path + len, (size_t)(PATH_MAX - len), fmt, ap);
	return more < 0 || more >= PATH_MAX - len ? -ENAMETOOLONG : 0;
}

static ssize_t read_whole(const char *path, char *buf, size_t room)
{
	size_t len = 0;
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (len + 1 < room && (got = read(fd, buf + len, room - 1 - len)) > 0)
		len += (size_t)got;
	if (got < 0)
		got = -errno;
	close(fd);
	if (got < 0)
		len = 0;
	buf[len] = '\0';
	return got < 0 ? got : (ssize_t)len;
}

static ssize_t vread(const char *root, char *buf, size_t room, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	int rc;

	buf[0] = '\0';
	rc = path_of(path, root, fmt, ap);
	return rc != 0 ? rc : read_whole(path, buf, room);
}

ssize_t sysfs_read(const char *root, char *buf, size_t room, const char *fmt, ...)
{
	va_list ap;
	ssize_t got;

	va_start(ap, fmt);
	got = vread(root, buf, room, fmt, ap);
	va_end(ap);
	return got;
}

bool sysfs_trim(char *buf)
{
	size_t begin = strspn(buf, " \t\n");
	size_t len = strcspn(buf + begin, "\n");

	while (len > 0 && (buf[begin + len - 1] == ' ' || buf[begin + len - 1] == '\t'))
		len--;
	memmove(buf, buf + begin, len);
	buf[len] = '\0';
	return len > 0;
}

bool sysfs_line(const char *root, char *buf, size_t room, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vread(root, buf, room, fmt, ap);
	va_end(ap);
	return sysfs_trim(buf);
}

bool sysfs_number(const char *root, uint64_t *value, const char *fmt, ...)
{
	char buf[64];
	int64_t v;
	va_list ap;

	va_start(ap, fmt);
	vread(root, buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (!sysfs_trim(buf) || units_parse_int(buf, &v) != 0 || v < 0)
		return false;
	*value = (uint64_t)v;
	return true;
}

bool sysfs_exists(const char *root, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = path_of(path, root, fmt, ap);
	va_end(ap);
	return rc == 0 && access(path, F_OK) == 0;
}

/* ---- directories ---- */

static int no_dots(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int sysfs_each(const char *root, const char *dir, int (*fn)(void *ctx, const char *name), void *ctx)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int rc = 0, n;

	if (snprintf(path, sizeof(path), "%s%s", root, dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	n = scandir(path, &entries, no_dots, versionsort);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (rc == 0)
			rc = fn(ctx, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

bool sysfs_resolve(const char *root, const char *link, char dir[PATH_MAX])
{
	char path[PATH_MAX], real_root[PATH_MAX] = "", real[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s", root, link) >= (int)sizeof(path) ||
	    realpath(path, real) == NULL)
		return false;
	if (root[0] != '\0' && realpath(root, real_root) == NULL)
		return false;
	if (strncmp(real, real_root, strlen(real_root)) != 0)
		return false;
	snprintf(dir, PATH_MAX, "%s", real + strlen(real_root));
	return strchr(dir, '/') != NULL;
}

bool sysfs_block_dir(const char *root, unsigned major, unsigned minor, char dir[PATH_MAX])
{
	char link[64];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major, minor);
	return sysfs_resolve(root, link, dir);
}

const char *sysfs_name(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return slash != NULL ? slash + 1 : dir;
}

bool sysfs_parent(char *dir)
{
	char *slash = strrchr(dir, '/');

	if (slash == NULL || slash == dir)
		return false;
	*slash = '\0';
	return true;
}

void sysfs_disk_dir(const char *root, const char *dir, char disk[PATH_MAX])
{
	snprintf(disk, PATH_MAX, "%s", dir);
	if (sysfs_exists(root, "%s/partition", dir))
		sysfs_parent(disk);
}

bool sysfs_dev(const char *root, const char *dir, unsigned *major, unsigned *minor)
{
	char text[64], end;

	return sysfs_line(root, text, sizeof(text), "%s/dev", dir) &&
	       sscanf(text, "%u:%u%c", major, minor, &end) == 2;
}

bool sysfs_generic_sibling(const char *root, unsigned major, unsigned minor, char dir[PATH_MAX])
{
	char link[64], subsystem[PATH_MAX], sibling[PATH_MAX], name[64];

	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u", major, minor);
	snprintf(sibling, sizeof(sibling), "%s/subsystem", link);
	if (!sysfs_resolve(root, link, dir) || !sysfs_resolve(root, sibling, subsystem) ||
	    strcmp(sysfs_name(subsystem), "nvme-generic") != 0)
		return false;
	snprintf(name, sizeof(name), "nvme%.40s", sysfs_name(dir) + strlen("ng"));
	sysfs_parent(dir);
	return snprintf(sibling, sizeof(sibling), "%s/%s", dir, name) < (int)sizeof(sibling) &&
	       sysfs_resolve(root, sibling, dir);
}

void sysfs_unescape(char *text)
{
	static const char octal[] = "01234567";
	char *out = text;

	while (*text != '\0') {
		if (text[0] == '\\' && strspn(text + 1, octal) >= 3) {
			*out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

/* ---- identity ---- */

/* The SCSI page of the unit's serial: 4 bytes of header, the last two the length, then text. */
static bool scsi_serial(const char *root, const char *dir, char *serial, size_t room)
{
	char page[256];
	ssize_t got = sysfs_read(root, page, sizeof(page), "%s/device/vpd_pg80", dir);
	size_t len;

	if (got <= 4 || (unsigned char)page[1] != 0x80)
		return false;
	len = (size_t)(unsigned char)page[2] << 8 | (unsigned char)page[3];
	if (len > (size_t)got - 4)
		len = (size_t)got - 4;
	snprintf(serial, room, "%.*s", (int)len, page + 4);
	return sysfs_trim(serial);
}

bool sysfs_serial(const char *root, const char *dir, char *serial, size_t room)
{
	return sysfs_line(root, serial, room, "%s/device/serial", dir) ||
	       sysfs_line(root, serial, room, "%s/serial", dir) ||
	       scsi_serial(root, dir, serial, room) ||
	       sysfs_line(root, serial, room, "%s/wwid", dir) ||
	       sysfs_line(root, serial, room, "%s/device/wwid", dir);
}
