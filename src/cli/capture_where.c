/* SPDX-License-Identifier: MIT */
#include "cli/capture_where.h"

#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"

/* The drive of a partition; else the device itself. */
static bool whole_device(struct drive_node *n, const char *path)
{
	unsigned major, minor;

	if (drive_real.device_of(drive_real.ctx, path, &major, &minor) != 0 ||
	    !drive_node_of(n, &drive_real, major, minor))
		return false;
	if (sysfs_exists("", "%s/partition", n->dir))
		return drive_parent(n);
	return true;
}

static bool is_block(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

static int named_drive(struct drive_node *drive, const char *device, struct err *err)
{
	struct stat st;

	if (stat(device, &st) != 0)
		return err_usage(err, "--device=%s: %s; name a block device", device,
		                 strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return err_usage(err, "--device=%s: this is no block device; name one", device);
	if (!whole_device(drive, device))
		return err_usage(err, "--device=%s: /sys does not know it; name another", device);
	return 0;
}

/* The path, or the directory of a file that is still to be made. */
static bool existing(const char *path, char real[PATH_MAX])
{
	char copy[PATH_MAX], *slash;

	if (realpath(path, real) != NULL)
		return true;
	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return false;
	slash = strrchr(copy, '/');
	if (slash == NULL)
		return realpath(".", real) != NULL;
	slash[slash == copy ? 1 : 0] = '\0';
	return realpath(copy, real) != NULL;
}

int capture_drive(struct drive_node *drive, const struct opt_set *options, const char *path,
                  bool *found, char *why, size_t room, struct err *err)
{
	const char *device = opt_str(options, "device");
	char real[PATH_MAX];
	unsigned drives;

	*found = false;
	if (device != NULL) {
		int rc = named_drive(drive, device, err);

		*found = rc == 0;
		return rc;
	}
	if (path == NULL || !existing(path, real)) {
		snprintf(why, room, "no path is known; name the drive with --device");
		return 0;
	}
	if (is_block(real) && whole_device(drive, real) && sysfs_exists("", "%s/mq", drive->dir)) {
		*found = true;
		return 0;
	}
	*found = drive_under(drive, real, &drives);
	if (!*found)
		snprintf(why, room,
		         "%.200s lies on no block device (memory, a container's layer, or a "
		         "network); name the drive with --device",
		         path);
	return 0;
}

static bool is_local_host(const char *host)
{
	return host == NULL || host[0] == '\0' || host[0] == '/' || host[0] == '@' ||
	       strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
	       strcmp(host, "::1") == 0;
}

const char *capture_data_dir(const struct opt_set *options, const char *driver,
                             const struct kv *database, char *why, size_t room)
{
	const struct kv_item *dir = kv_find(database, "data_directory");
	const char *option = strcmp(driver, "pgsql") == 0 ? "pgsql-host" : "mysql-host";
	const char *const *hosts;
	unsigned n = opt_list(options, option, &hosts);
	struct stat st;

	for (unsigned i = 0; i < n; i++) {
		if (is_local_host(hosts[i]))
			continue;
		snprintf(why, room,
		         "the server %.100s is not known to be this machine; name its drive with "
		         "--device if it is",
		         hosts[i]);
		return NULL;
	}
	if (dir == NULL || dir->text[0] == '\0') {
		snprintf(why, room,
		         "the server does not tell its data directory to this user; name the drive "
		         "with --device");
		return NULL;
	}
	if (stat(dir->text, &st) != 0 || !S_ISDIR(st.st_mode)) {
		snprintf(why, room,
		         "the server's data directory %.200s is not here: %s; name its "
		         "drive with --device",
		         dir->text, strerror(errno));
		return NULL;
	}
	return dir->text;
}

bool capture_several_servers(const struct opt_set *options, const char *driver)
{
	static const char *const of_mysql[] = {"mysql-host", "mysql-port", "mysql-socket"};
	static const char *const of_pgsql[] = {"pgsql-host", "pgsql-port"};
	const bool pgsql = strcmp(driver, "pgsql") == 0;
	const char *const *lists = pgsql ? of_pgsql : of_mysql, *const * items;

	for (unsigned i = 0; i < (pgsql ? 2u : 3u); i++) {
		if (opt_list(options, lists[i], &items) > 1)
			return true;
	}
	return false;
}

/* Depth is bounded: a data directory has few levels. */
static uint64_t bytes_in(int at, const char *name, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct stat st;
	uint64_t sum = 0;

	if (d == NULL && fd >= 0)
		close(fd);
	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
		else if (S_ISDIR(st.st_mode) && depth < 8)
			sum += bytes_in(fd, e->d_name, depth + 1);
	}
	if (d != NULL)
		closedir(d);
	return sum;
}

uint64_t capture_bytes(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;
	uint64_t sectors;

	if (stat(path, &st) != 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return bytes_in(AT_FDCWD, path, 0);
	if (!S_ISBLK(st.st_mode))
		return (uint64_t)st.st_size;
	if (!sysfs_block_dir("", major(st.st_rdev), minor(st.st_rdev), dir) ||
	    !sysfs_number("", &sectors, "%s/size", dir))
		return 0;
	return sectors * 512;
}

bool capture_same_drive(const char *path, const struct drive_node *drive)
{
	struct drive_node other;
	char real[PATH_MAX];
	unsigned drives;

	if (!existing(path, real) || !drive_under(&other, real, &drives))
		return false;
	return strcmp(other.name, drive->name) == 0;
}
