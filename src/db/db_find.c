/* SPDX-License-Identifier: MIT */
/* Installed programs. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/db_priv.h"

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool db_find_program(const char *dirs, const char *const *names, char path[PATH_MAX])
{
	/* By name first: a mariadbd in any folder goes before a mysqld, which may be a link. */
	for (unsigned i = 0; names[i] != NULL; i++) {
		const char *at = dirs;

		while (*at != '\0') {
			size_t len = strcspn(at, ":");

			if (len != 0 && db_path(path, "%.*s/%s", (int)len, at, names[i]) == 0 &&
			    is_program(path))
				return true;
			at += len + (at[len] == ':');
		}
	}
	path[0] = '\0';
	return false;
}

/* "/usr/lib/postgresql/15/bin": 15. */
static double version_in(const char *path)
{
	const char *digits = strpbrk(path, "0123456789");

	return digits != NULL ? strtod(digits, NULL) : 0;
}

bool db_find_versioned(const char *const *patterns, const char *program, char dir[PATH_MAX])
{
	double best = -1;

	for (unsigned i = 0; patterns[i] != NULL; i++) {
		char path[PATH_MAX];
		glob_t found;

		if (glob(patterns[i], 0, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++) {
			double version = version_in(found.gl_pathv[k]);

			if (version <= best ||
			    db_path(path, "%s/%s", found.gl_pathv[k], program) != 0 ||
			    !is_program(path))
				continue;
			best = version;
			snprintf(dir, PATH_MAX, "%s", found.gl_pathv[k]);
		}
		globfree(&found);
	}
	return best >= 0;
}
