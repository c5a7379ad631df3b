/* SPDX-License-Identifier: MIT */
/* Files and directories: made, deleted, and the ends of logs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db_priv.h"

#define LOG_TAIL_BYTES 65536

int db_path(char path[PATH_MAX], const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, PATH_MAX, fmt, ap);
	va_end(ap);
	return n >= 0 && n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len != 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

int db_write_file(const char *path, const char *text, mode_t mode, uid_t uid, gid_t gid)
{
	char fresh[PATH_MAX];
	int fd, rc = db_path(fresh, "%s.new", path);

	if (rc != 0)
		return rc;
	unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, text, strlen(text));
	if (rc == 0 && ((uid != (uid_t)-1 && fchown(fd, uid, gid) != 0) || fchmod(fd, mode) != 0 ||
	                fsync(fd) != 0))
		rc = -errno;
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0 && rename(fresh, path) != 0)
		rc = -errno;
	if (rc != 0)
		unlink(fresh);
	return rc;
}

int db_make_dir(const char *path, mode_t mode, const struct db_account *a)
{
	struct stat st;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -errno;
	if (lstat(path, &st) != 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (a != NULL && a->change && lchown(path, a->uid, a->gid) != 0)
		return -errno;
	return chmod(path, mode) != 0 ? -errno : 0;
}

/* ---- deleting ---- */

static int remove_entry(int dir_fd, const char *name, dev_t device);

/* All in the directory; the first failure is returned, the rest is deleted all the same. */
static int empty_dir(int fd, dev_t device)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int rc = 0;

	if (dir == NULL) {
		rc = -errno;
		close(fd);
		return rc;
	}
	while ((entry = readdir(dir)) != NULL) {
		int one;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		one = remove_entry(dirfd(dir), entry->d_name, device);
		if (rc == 0)
			rc = one;
	}
	closedir(dir);
	return rc;
}

static int remove_entry(int dir_fd, const char *name, dev_t device)
{
	struct stat st;
	int fd, rc;

	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || st.st_dev != device) {
		close(fd);
		return -EXDEV;
	}
	rc = empty_dir(fd, device);
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

int db_remove_tree(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st) != 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	rc = empty_dir(fd, st.st_dev);
	if (rmdir(path) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

/* ---- logs ---- */

/* The end of the file, from `from` at the earliest, NUL-terminated. Returns its length. */
static size_t read_tail(const char *path, off_t from, char text[LOG_TAIL_BYTES + 1])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;
	off_t end;

	text[0] = '\0';
	if (fd < 0)
		return 0;
	end = lseek(fd, 0, SEEK_END);
	if (end - from > LOG_TAIL_BYTES)
		from = end - LOG_TAIL_BYTES;
	n = pread(fd, text, LOG_TAIL_BYTES, from);
	close(fd);
	if (n < 0)
		n = 0;
	text[n] = '\0';
	return (size_t)n;
}

/* How much a line tells of a failure: the cause is rarely the very last line. */
static unsigned weight(const char *line)
{
	if (strstr(line, "Aborting") != NULL || strstr(line, "contains errors") != NULL ||
	    strstr(line, "Unknown/unsupported storage engine") != NULL ||
	    strstr(line, "Plugin 'InnoDB'") != NULL)
		return 2;
	if (strcasestr(line, "unknown variable") != NULL ||
	    strcasestr(line, "unrecognized configuration") != NULL ||
	    strcasestr(line, "No space left") != NULL || strcasestr(line, "disk full") != NULL ||
	    strstr(line, "error 28") != NULL || strstr(line, "rrno: 28") != NULL ||
	    strcasestr(line, "Address already in use") != NULL)
		return 4;
	if (strstr(line, "ERROR") != NULL || strstr(line, "FATAL") != NULL ||
	    strstr(line, "PANIC") != NULL || strstr(line, "error:") != NULL ||
	    strstr(line, "invalid value") != NULL)
		return 3;
	return 1;
}

void db_log_line(const char *path, off_t from, char *line, size_t room)
{
	char *text = malloc(LOG_TAIL_BYTES + 1), *save = NULL;
	unsigned best = 0;

	line[0] = '\0';
	if (text == NULL)
		return;
	read_tail(path, from, text);
	for (char *l = strtok_r(text, "\r\n", &save); l != NULL;
	     l = strtok_r(NULL, "\r\n", &save)) {
		if (l[strspn(l, " \t")] == '\0' || weight(l) < best)
			continue;
		best = weight(l);
		snprintf(line, room, "%s", l + strspn(l, " \t"));
	}
	free(text);
}

int db_keep_log(const char *path, char kept[PATH_MAX])
{
	const char *folder = getenv("TMPDIR");
	char *text = malloc(LOG_TAIL_BYTES + 1);
	int fd, rc = text == NULL ? -ENOMEM : 0;

	if (rc == 0)
		rc = db_path(kept, "%s/ioltp-db-log.XXXXXX",
		             folder != NULL && folder[0] == '/' ? folder : "/tmp");
	fd = rc == 0 ? mkostemp(kept, O_CLOEXEC) : -1;
	if (rc == 0 && fd < 0)
		rc = -errno;
	if (rc == 0) {
		rc = write_all(fd, text, read_tail(path, 0, text));
		close(fd);
		if (rc != 0)
			unlink(kept);
	}
	free(text);
	return rc;
}

int db_password(char text[33])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}
