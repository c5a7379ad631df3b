/* SPDX-License-Identifier: MIT */
#include "base/datadir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The program of the build tree uses the source tree's files, wherever the two are; so do the
 * build tree's tests. */
static bool runs_from_build_tree(void)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return false;
	exe[n] = '\0';
	return strncmp(exe, ABS_BUILDDIR "/", sizeof(ABS_BUILDDIR)) == 0;
}

int data_dir(char **dir, const char *part, struct err *err)
{
	const char *given = getenv("IOLTP_DATADIR");
	bool has_given = given != NULL && given[0] != '\0';
	char place[8192];

	*dir = NULL;
	snprintf(place, sizeof(place), "%s/%s", runs_from_build_tree() ? ABS_SRCDIR : PKGDATADIR,
	         part);
	if (has_given && strcmp(part, "lua") == 0) {
		snprintf(place, sizeof(place), "%s", given);
	} else if (has_given) {
		char inside[8192];

		snprintf(inside, sizeof(inside), "%s/%s", given, part);
		if (is_dir(inside))
			memcpy(place, inside, sizeof(place));
	}
	if (!is_dir(place))
		return err_usage(
		    err,
		    "%s: no folder with the program's files; install ioltp or set IOLTP_DATADIR",
		    place);
	*dir = strdup(place);
	return *dir != NULL ? 0 : -ENOMEM;
}
