/* SPDX-License-Identifier: MIT */
#include "cli/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory that a name is in, "." for a bare name; false: the path is too long. */
static bool directory_of(const char *path, char dir[PATH_MAX], const char **name)
{
	const char *slash = strrchr(path, '/');

	*name = slash != NULL ? slash + 1 : path;
	if (slash == NULL)
		return snprintf(dir, PATH_MAX, ".") > 0;
	return snprintf(dir, PATH_MAX, "%.*s", (int)(slash - path + (slash == path)), path) <
	       PATH_MAX;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool paths_same(const char *a, const char *b)
{
	char dir_a[PATH_MAX], dir_b[PATH_MAX];
	const char *name_a, *name_b;
	struct stat x, y;

	if (a == NULL || b == NULL)
		return false;
	if (stat(a, &x) == 0 && stat(b, &y) == 0)
		return same_inode(&x, &y);
	return directory_of(a, dir_a, &name_a) && directory_of(b, dir_b, &name_b) &&
	       strcmp(name_a, name_b) == 0 && stat(dir_a, &x) == 0 && stat(dir_b, &y) == 0 &&
	       same_inode(&x, &y);
}

int paths_check_output(const char *option, const char *path, struct err *err)
{
	char dir[PATH_MAX];
	const char *name;
	struct stat st;
	int rc = 0;

	if (!directory_of(path, dir, &name))
		rc = ENAMETOOLONG;
	else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		rc = EISDIR;
	else if (name[0] == '\0')
		rc = ENOENT;
	else if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		rc = access(path, W_OK) != 0 ? errno : 0;
	else if (access(dir, W_OK | X_OK) != 0)
		rc = errno;
	else if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		rc = ENOTDIR;
	if (rc == 0)
		return 0;
	return err_usage(err, "--%s=%s: cannot be written: %s; choose another path", option, path,
	                 strerror(rc));
}
