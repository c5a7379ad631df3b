/* SPDX-License-Identifier: MIT */
/*
 * Consent: --destroy-data names the drive by what tells it from all others. That is its serial; for
 * devices that have none by nature: a loop device is its file's path, a device-mapper device its
 * name, an md array its UUID, and null_blk, which keeps nothing, its kernel name. Any other device
 * without a serial or world wide name is refused: its name may be another drive's after the next
 * boot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

static bool starts(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

bool guard_identity(const struct guard_subject *s, char *text, size_t room)
{
	const char *dir = s->disk_dir, *name = sysfs_name(dir);

	if (starts(name, "loop"))
		return sysfs_line(s->root, text, room, "%s/loop/backing_file", dir);
	if (starts(name, "dm-"))
		return sysfs_line(s->root, text, room, "%s/dm/name", dir);
	if (starts(name, "md") && sysfs_line(s->root, text, room, "%s/md/uuid", dir))
		return true;
	if (starts(name, "nullb")) {
		snprintf(text, room, "%s", name);
		return true;
	}
	return sysfs_serial(s->root, dir, text, room);
}

void guard_check_serial(const struct guard_subject *s, struct guard_finding *f)
{
	char text[PATH_MAX];

	if (!guard_is_device(s))
		guard_find(f, GUARD_NOT_APPLICABLE, "a regular file: named by its path");
	else if (guard_identity(s, text, sizeof(text)))
		guard_find(f, GUARD_PASS, "writing needs --destroy-data=%.400s", text);
	else
		guard_find(
		    f, GUARD_REFUSE,
		    "has no serial and no world wide name, so that it cannot be told from other "
		    "drives; give it one (virtio: serial=), or put a device-mapper device on it");
}

static int judge_serial(const struct guard_subject *s, const char *given, struct err *err)
{
	char text[PATH_MAX];

	if (!guard_identity(s, text, sizeof(text)))
		return err_usage(
		    err, "%s: has no serial, so that nothing can confirm that this drive is meant",
		    s->given);
	if (given == NULL)
		return err_usage(err,
		                 "%s: writing destroys what is on it and needs "
		                 "--destroy-data=SERIAL; 'ioltp device check %s' shows the serial",
		                 s->given, s->given);
	/* No prefix, no other case: the whole serial or nothing. */
	if (strcmp(text, given) != 0)
		return err_usage(err,
		                 "%s: --destroy-data=%s is not the serial of this drive; see "
		                 "'ioltp device check %s' and name the drive that is meant",
		                 s->given, given, s->given);
	return 0;
}

/* Does the path name this file? */
static bool names_file(const struct guard_subject *s, const char *path)
{
	char copy[PATH_MAX], real[PATH_MAX], *slash;
	struct stat st;

	if (s->kind == GUARD_FILE)
		return stat(path, &st) == 0 && st.st_dev == s->st.st_dev &&
		       st.st_ino == s->st.st_ino;
	if ((size_t)snprintf(copy, sizeof(copy), "%s%s", strchr(path, '/') != NULL ? "" : "./",
	                     path) >= sizeof(copy))
		return false;
	slash = strrchr(copy, '/');
	*slash = '\0';
	return realpath(slash == copy ? "/" : copy, real) != NULL &&
	       strcmp(sysfs_name(s->real), slash + 1) == 0 &&
	       strncmp(s->real, real, strlen(real)) == 0 &&
	       sysfs_name(s->real) - s->real == (ptrdiff_t)(strlen(real) + (real[1] != '\0'));
}

int guard_judge_consent(const struct guard_subject *s, const char *destroy_data, struct err *err)
{
	if (guard_is_device(s))
		return judge_serial(s, destroy_data, err);
	if (destroy_data != NULL && !names_file(s, destroy_data))
		return err_usage(
		    err, "%s: --destroy-data=%s names something else; give the path of this file",
		    s->given, destroy_data);
	/* Even an empty file, or one of holes, may be somebody's: only what this run makes is not.
	 */
	if (destroy_data == NULL && s->kind != GUARD_NEW_FILE)
		return err_usage(err,
		                 "%s: is there already; name a new file, or give --destroy-data=%s "
		                 "if it may be overwritten",
		                 s->given, s->given);
	return 0;
}
