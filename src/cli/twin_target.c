/* SPDX-License-Identifier: MIT */
/*
 * Where the replays write: a device or file that the user named, or a file of our own on the
 * database's filesystem, filled before so that reads of it are reads. raw/guard.h has the last word
 * on either; what belongs to the application is refused here already, by what it is and not by its
 * name.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/paths.h"
#include "cli/twin.h"

#define PAGE_BYTES     4096u
#define SIZE_MIN_BYTES (1u << 20)
#define FREE_SHARE     0.8 /* of the filesystem's free space that a file may take */
/* A device's addresses hold what else is on it: no file needs to be much larger than the database.
 */
#define DATABASE_TIMES 2
#define BESIDE_BYTES   (1ull << 30)

static const char *database_of(const struct twin *t)
{
	return tree_text(&t->app, "capture/target");
}

/* Its size; 0: not known. */
static uint64_t database_bytes(const struct twin *t)
{
	double bytes = tree_number(&t->app, "capture/target_bytes");

	return bytes > 0 && bytes < 0x1p60 ? (uint64_t)bytes : 0;
}

/* ---- what must not be written ---- */

static bool same_file(const struct stat *a, const char *path)
{
	struct stat b;

	return path != NULL && path[0] == '/' && stat(path, &b) == 0 && a->st_dev == b.st_dev &&
	       a->st_ino == b.st_ino;
}

/* The directory that a name is in, or would be in, or one above it. */
static bool lies_in(const char *path, const struct stat *dir)
{
	char at[PATH_MAX];
	struct stat st;

	if (realpath(path, at) == NULL)
		return false;
	for (;;) {
		char *slash;

		if (stat(at, &st) == 0 && st.st_dev == dir->st_dev && st.st_ino == dir->st_ino)
			return true;
		slash = strrchr(at, '/');
		if (slash == NULL || at[1] == '\0')
			return false;
		slash[slash == at ? 1 : 0] = '\0';
	}
}

static int refuse_application(const struct twin *t, const char *path, struct err *err)
{
	const char *database = database_of(t);
	struct stat st, data;

	if (database != NULL && stat(database, &data) == 0 && S_ISDIR(data.st_mode) &&
	    lies_in(path, &data))
		return err_usage(err,
		                 "%s: refused: it lies in the application's data directory %s; "
		                 "name a file elsewhere",
		                 path, database);
	if (stat(path, &st) != 0)
		return 0;
	for (unsigned i = 0; i < t->trace.head.nfiles; i++) {
		if (S_ISREG(st.st_mode) && same_file(&st, t->trace.files[i].path))
			return err_usage(err,
			                 "%s: refused: it is %s, a file of the application; name "
			                 "another",
			                 path, t->trace.files[i].path);
	}
	if (S_ISREG(st.st_mode) && same_file(&st, database))
		return err_usage(err, "%s: refused: it is the application's database; name another",
		                 path);
	if (same_file(&st, t->app_path) || same_file(&st, t->trace_path))
		return err_usage(err, "%s: refused: the twin reads it; name another", path);
	return 0;
}

int twin_check_outputs(const struct twin *t, struct err *err)
{
	const char *output = opt_str(t->options, "output");
	int rc = refuse_application(t, t->profile_path, err);

	if (rc != 0 || output == NULL)
		return rc;
	rc = refuse_application(t, output, err);
	if (rc == 0)
		rc = paths_check_output("output", output, err);
	if (rc == 0 && (paths_same(output, t->profile_path) ||
	                paths_same(output, opt_str(t->options, "target"))))
		rc = err_usage(err,
		               "--output=%s: is also the profile or the target of the replays; "
		               "name another",
		               output);
	return rc;
}

/* ---- a file of our own ---- */

/* The directory for it: the database's own, or that around a server's data directory. */
static int choose_dir(const struct twin *t, char dir[PATH_MAX], struct err *err)
{
	const char *database = database_of(t);
	struct stat st, above;
	char *slash;

	if (database == NULL || stat(database, &st) != 0)
		return err_usage(err,
		                 "%s: does not say where the database is, so that no file can be "
		                 "made beside it; give a --target, a spare device or a file",
		                 t->app_path);
	if (S_ISBLK(st.st_mode))
		return err_usage(err,
		                 "%s: the application ran on this device, which the twin does not "
		                 "touch by itself; give it, or another, as --target with "
		                 "--destroy-data",
		                 database);
	if (realpath(database, dir) == NULL)
		return err_usage(err, "%s: %s; give a --target", database, strerror(errno));
	slash = strrchr(dir, '/');
	slash[slash == dir ? 1 : 0] = '\0';
	if (stat(dir, &above) != 0 || above.st_dev != st.st_dev)
		return err_usage(err,
		                 "%s: is a filesystem of its own, and files beside the server's do "
		                 "not belong there; give a --target",
		                 database);
	return 0;
}

static void choose_size(struct twin *t, const char *dir)
{
	uint64_t want = opt_size_bytes(t->options, "target-size");
	char asked[32], got[32];
	struct statvfs vfs;
	double room;

	if (want == 0) {
		uint64_t enough = DATABASE_TIMES * database_bytes(t) + BESIDE_BYTES;

		want = t->shape->span_bytes;
		if (database_bytes(t) != 0 && want > enough)
			want = enough;
	}
	if (want < SIZE_MIN_BYTES)
		want = SIZE_MIN_BYTES;
	want += (PAGE_BYTES - want % PAGE_BYTES) % PAGE_BYTES;
	t->target_bytes = want;
	if (statvfs(dir, &vfs) != 0)
		return;
	room = FREE_SHARE * (double)vfs.f_bavail * (double)vfs.f_frsize;
	if ((double)want <= room || opt_given(t->options, "target-size"))
		return;
	t->target_bytes = (uint64_t)room / PAGE_BYTES * PAGE_BYTES;
	if (t->target_bytes < SIZE_MIN_BYTES)
		t->target_bytes = SIZE_MIN_BYTES;
	twin_warn(t, "%s: no room for the %s that the application used; the twin runs on %s", dir,
	          units_format_size(asked, sizeof(asked), want),
	          units_format_size(got, sizeof(got), t->target_bytes));
}

/* Writes it once over, by a raw run that reads one block at its end. */
static int fill(struct twin *t, struct err *err)
{
	static const char *const args[] = {"--fill",  "--rw=randread", "--bs=4k",
	                                   "--oio=1", "--events=1",    "--time=0"};
	int status = twin_raw(t, args, sizeof(args) / sizeof(args[0]));

	if (*t->cli->signal != 0)
		return -EINTR;
	if (status == EXIT_OK)
		return 0;
	return err_set(err, status,
	               "%s: cannot be made and filled as a target of %llu bytes; make "
	               "room, or give a --target or a smaller --target-size",
	               t->target, (unsigned long long)t->target_bytes);
}

static int make_file(struct twin *t, const char *path, struct err *err)
{
	char dir[PATH_MAX];
	struct stat st;
	int fd, rc;

	snprintf(dir, sizeof(dir), "%s", path);
	choose_size(t, dirname(dir));
	t->target = strdup(path);
	if (t->target == NULL)
		return err_run(err, "twin: out of memory");
	/* Nobody else's, whatever comes to this name: only what this call made is written. */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = errno;
		if (fd >= 0)
			close(fd);
		return err_usage(err, "%s: cannot be made: %s; give another --target", path,
		                 strerror(rc));
	}
	close(fd);
	t->is_file = t->made = true;
	t->made_dev = (uint64_t)st.st_dev;
	t->made_ino = (uint64_t)st.st_ino;
	return fill(t, err);
}

static int make_own(struct twin *t, struct err *err)
{
	char dir[PATH_MAX], path[PATH_MAX + 64];
	struct stat st;
	int rc = choose_dir(t, dir, err);

	if (rc != 0)
		return rc;
	if (access(dir, W_OK) != 0)
		return err_usage(err, "%s: cannot be written: %s; give a --target", dir,
		                 strerror(errno));
	for (unsigned i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "%s/ioltp-twin-%d-%u.tmp", dir, (int)getpid(), i);
		if (lstat(path, &st) != 0 && errno == ENOENT)
			return make_file(t, path, err);
	}
	return err_usage(err, "%s: is full of twins' files; remove them", dir);
}

/* ---- what was named ---- */

static int take_named(struct twin *t, const char *path, struct err *err)
{
	struct stat st;

	if (refuse_application(t, path, err) != 0)
		return -EINVAL;
	if (paths_same(path, t->profile_path))
		return err_usage(err, "%s: refused: the twin reads it; name another", path);
	if (stat(path, &st) != 0) {
		if (errno == ENOENT && strncmp(path, "/dev/", 5) != 0)
			return make_file(t, path, err);
		return err_usage(err, "%s: %s; name a device or a file", path, strerror(errno));
	}
	if (S_ISDIR(st.st_mode))
		return err_usage(err, "%s: is a directory; name a device or a file in it", path);
	if (S_ISREG(st.st_mode) && st.st_size != 0 && st.st_size < SIZE_MIN_BYTES &&
	    opt_size_bytes(t->options, "target-size") == 0)
		return err_usage(err,
		                 "%s: has only %lld bytes; name a larger file or a new one, or "
		                 "give --target-size",
		                 path, (long long)st.st_size);
	t->target = strdup(path);
	t->is_file = S_ISREG(st.st_mode);
	t->target_bytes = t->is_file ? (uint64_t)st.st_size : 0;
	if (t->is_file && opt_size_bytes(t->options, "target-size") != 0)
		t->target_bytes = opt_size_bytes(t->options, "target-size");
	if (t->is_file && t->target_bytes == 0)
		t->target_bytes = t->shape->span_bytes;
	return t->target != NULL ? 0 : err_run(err, "twin: out of memory");
}

int twin_target_begin(struct twin *t, struct err *err)
{
	const char *named = opt_str(t->options, "target");

	if (strcmp(opt_str(t->options, "engine"), "null") == 0) {
		t->target_bytes =
		    t->shape->span_bytes > SIZE_MIN_BYTES ? t->shape->span_bytes : SIZE_MIN_BYTES;
		return 0;
	}
	return named != NULL ? take_named(t, named, err) : make_own(t, err);
}

void twin_target_end(struct twin *t)
{
	struct stat st;

	if (!t->made)
		return;
	if (opt_bool(t->options, "keep")) {
		log_notice(&t->log, "%s: kept", t->target);
		return;
	}
	/* Only what we made. */
	if (lstat(t->target, &st) == 0 && (uint64_t)st.st_dev == t->made_dev &&
	    (uint64_t)st.st_ino == t->made_ino)
		unlink(t->target);
	t->made = false;
}
