/* SPDX-License-Identifier: MIT */
/* Databases: data directories around a file or on a mounted device, and files that are databases.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

/* A file that only a data directory has. */
static const struct {
	const char *file, *database;
} marks[] = {
    {"PG_VERSION", "PostgreSQL"}, {"ibdata1", "MySQL or MariaDB"}, {"aria_log_control", "MariaDB"},
    {"mysql.ibd", "MySQL"},       {"WiredTiger", "MongoDB"},       {"WiredTiger.wt", "MongoDB"},
    {"mongod.lock", "MongoDB"},
};

/* Which database's data directory this is, or NULL. -errno in *error when that cannot be told. */
static const char *database_of(const char *dir, int *error)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (snprintf(path, sizeof(path), "%s/%s", dir, marks[i].file) >= (int)sizeof(path))
			continue;
		if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return marks[i].database;
		if (errno != ENOENT && errno != ENOTDIR)
			*error = -errno;
	}
	return NULL;
}

/* The directory of a path and all above it. */
static bool inside_database(const char *real, struct guard_finding *f, const char *what)
{
	char dir[PATH_MAX];
	int error = 0;

	snprintf(dir, sizeof(dir), "%s", real);
	while (sysfs_parent(dir)) {
		const char *database = database_of(dir, &error);

		if (database != NULL) {
			guard_find(
			    f, GUARD_REFUSE,
			    "%s lies in a data directory of %s (%.200s); name a file elsewhere",
			    what, database, dir);
			return true;
		}
	}
	if (error != 0) {
		guard_find(f, GUARD_UNKNOWN,
		           "whether %s lies in a database's data directory cannot be told: %s; run "
		           "as its owner",
		           what, strerror(-error));
		return true;
	}
	return false;
}

/* Files that are a database, or a part of one, by their first bytes. */
static const char *database_file(const unsigned char *head, size_t len)
{
	static const unsigned char journal[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	static const unsigned char wal[3] = {0x37, 0x7f, 0x06};

	if (len >= 16 && memcmp(head, "SQLite format 3", 16) == 0)
		return "an SQLite database";
	if (len >= 8 && memcmp(head, journal, sizeof(journal)) == 0)
		return "the journal of an SQLite database";
	if (len >= 4 && memcmp(head, wal, sizeof(wal)) == 0 && (head[3] == 0x82 || head[3] == 0x83))
		return "the log of an SQLite database";
	if (len >= 20 && memcmp(head + 4, "Standard Jet DB", 15) == 0)
		return "an Access database";
	if (len >= 24 && memcmp(head + 16, "\xde\xc0\xef\xbe", 4) == 0)
		return "an LMDB database";
	return NULL;
}

/* "x-wal" beside a database "x" is a part of it even while it is empty. */
static const char *database_beside(const char *real)
{
	static const char *const ends[] = {"-wal", "-shm", "-journal"};
	char path[PATH_MAX], head[16];
	size_t len = strlen(real);

	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);
		ssize_t got;
		int fd;

		if (len <= end || strcmp(real + len - end, ends[i]) != 0)
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(len - end), real);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return NULL;
		got = read(fd, head, sizeof(head));
		close(fd);
		if (got == sizeof(head) && memcmp(head, "SQLite format 3", 16) == 0)
			return "a part of the SQLite database beside it";
	}
	return NULL;
}

static void check_file(const struct guard_subject *s, struct guard_finding *f)
{
	unsigned char head[64];
	const char *database = database_beside(s->real);
	ssize_t got = 0;

	if (database == NULL && s->kind == GUARD_FILE) {
		if (s->fd < 0) {
			guard_find(
			    f, GUARD_UNKNOWN,
			    "whether it is a database cannot be told: %s; see to its permissions",
			    strerror(s->fd_error));
			return;
		}
		got = pread(s->fd, head, sizeof(head), 0);
		if (got < 0) {
			guard_find(f, GUARD_UNKNOWN, "whether it is a database cannot be told: %s",
			           strerror(errno));
			return;
		}
		database = database_file(head, (size_t)got);
	}
	if (database != NULL)
		guard_find(f, GUARD_REFUSE, "is %s; name another file", database);
	else if (!inside_database(s->real, f, "it"))
		guard_find(f, GUARD_PASS, "is no database and lies in no data directory");
}

/* ---- devices ---- */

struct search {
	struct guard_finding *f;
	char point[1024];
};

static int look_into(void *ctx, const char *name)
{
	struct search *w = ctx;
	const char *database;
	char dir[PATH_MAX];
	int error = 0;

	snprintf(dir, sizeof(dir), "%s/%s", w->point, name);
	database = database_of(dir, &error);
	if (database == NULL)
		return 0;
	guard_find(w->f, GUARD_REFUSE,
	           "a data directory of %s is on it (%.300s); name another target", database, dir);
	return 1;
}

static int look_at_mount(void *ctx, const char *point)
{
	struct search *w = ctx;

	snprintf(w->point, sizeof(w->point), "%s", point);
	/* The mount itself, then one level of directories: where data directories are put. */
	if (look_into(w, ".") == 1)
		return 1;
	return sysfs_each("", w->point, look_into, w) == 1;
}

/* A loop device shows the file behind it from its first byte on. */
static bool is_database(const struct guard_subject *s, struct guard_finding *f)
{
	unsigned char head[64];
	ssize_t got = s->fd >= 0 ? pread(s->fd, head, sizeof(head), 0) : 0;
	const char *database = got > 0 ? database_file(head, (size_t)got) : NULL;

	if (database != NULL)
		guard_find(f, GUARD_REFUSE, "holds %s; name another target", database);
	return database != NULL;
}

static void check_backing_file(const struct guard_subject *s, struct guard_finding *f)
{
	char file[PATH_MAX];
	struct stat st;

	if (!sysfs_line(s->root, file, sizeof(file), "%s/loop/backing_file", s->disk_dir) ||
	    inside_database(file, f, "its file"))
		return;
	if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1)
		guard_find(f, GUARD_UNKNOWN,
		           "its file has %llu names (hard links), and what the others belong to "
		           "cannot be told; name another target",
		           (unsigned long long)st.st_nlink);
}

static void check_device(const struct guard_subject *s, struct guard_finding *f)
{
	struct search w = {.f = f};
	int rc;

	guard_find(f, GUARD_PASS, "no data directory of a database is known to be on it");
	rc = guard_each_mount_point(s, look_at_mount, &w);
	if (rc < 0)
		guard_find(f, GUARD_UNKNOWN, "whether a database is on it cannot be told: %s",
		           strerror(-rc));
	if (rc == 0 && !is_database(s, f))
		check_backing_file(s, f);
}

void guard_check_database(const struct guard_subject *s, struct guard_finding *f)
{
	if (guard_is_device(s))
		check_device(s, f);
	else
		check_file(s, f);
}
