/* SPDX-License-Identifier: MIT */
/* The drive under a path: from the mount through partitions, dm, md and loop down to it, by what
 * sysfs says. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "report/facts_priv.h"
#include "report/result.h"

/* ---- the mount ---- */

static bool lies_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	if (strcmp(point, "/") == 0)
		return true;
	return strncmp(path, point, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* One line: id parent major:minor root point options [fields...] - type source super-options. */
static bool parse_mount(const char *line, struct facts_mount *m)
{
	const char *rest = strstr(line, " - ");
	char options[256] = "", super[256] = "";

	if (rest == NULL || sscanf(line, "%*s %*s %*s %*s %511s %255s", m->point, options) != 2 ||
	    sscanf(rest + 3, "%63s %511s %255s", m->type, m->source, super) < 2)
		return false;
	sysfs_unescape(m->point);
	sysfs_unescape(m->source);
	/* Both lists begin with ro or rw; the mount's own is the one in force. */
	snprintf(m->options, sizeof(m->options), "%s%s", options,
	         strlen(super) > 2 && super[2] == ',' ? super + 2 : "");
	return true;
}

bool facts_mount_of(const struct drive_source *src, const char *path, struct facts_mount *mount)
{
	char file[PATH_MAX];
	struct facts_mount m;
	char *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *f;

	snprintf(file, sizeof(file), "%s/proc/self/mountinfo", src->root);
	f = fopen(file, "re");
	if (f == NULL)
		return false;
	while (getline(&line, &room, f) > 0) {
		if (!parse_mount(line, &m) || !lies_below(path, m.point))
			continue;
		/* Of two mounts on one point the later covers the earlier. */
		if (!found || strlen(m.point) >= strlen(mount->point))
			*mount = m;
		found = true;
	}
	free(line);
	fclose(f);
	return found;
}

void facts_mount_add(struct kv *device, const struct facts_mount *m)
{
	static const struct {
		const char *type, *note;
	} notes[] = {
	    {"tmpfs", "tmpfs: this is memory, no drive is measured"},
	    {"ramfs", "ramfs: this is memory, no drive is measured"},
	    {"overlay",
	     "overlay: the layer of a container, on a drive that cannot be told from inside"},
	    {"zfs", "zfs: the drives of its pool are not told here"},
	    {"nfs", "nfs: not a local drive"},
	    {"nfs4", "nfs4: not a local drive"},
	    {"cifs", "cifs: not a local drive"},
	    {"9p", "9p: a directory of the host of this virtual machine"},
	    {"virtiofs", "virtiofs: a directory of the host of this virtual machine"},
	};

	kv_text(device, "filesystem", m->type);
	kv_text(device, "mount_point", m->point);
	kv_text(device, "mount_options", m->options);
	for (unsigned i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		if (strcmp(notes[i].type, m->type) == 0)
			kv_text(device, "note", notes[i].note);
	}
	if (strncmp(m->type, "fuse", 4) == 0)
		kv_text(device, "note", "fuse: what lies below cannot be told");
}

/* ---- the path ---- */

/* The path or the nearest directory above it that exists, without symbolic links. */
static bool existing(const char *path, char real[PATH_MAX])
{
	char copy[PATH_MAX];

	if ((size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy))
		return false;
	while (realpath(copy, real) == NULL) {
		char *slash = strrchr(copy, '/');

		if (errno != ENOENT && errno != ENOTDIR)
			return false;
		if (slash == NULL) {
			strcpy(copy, ".");
		} else if (slash == copy) {
			if (copy[1] == '\0')
				return false;
			copy[1] = '\0';
		} else {
			*slash = '\0';
		}
	}
	return true;
}

static bool is_block(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

static bool is_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode));
}

void facts_device(struct kv *device, const char *path, bool show_serial)
{
	const struct drive_source *src = &drive_real;
	struct facts_mount mount = {0};
	char real[PATH_MAX];
	unsigned major, minor;
	struct statvfs vfs;

	kv_text(device, "path", path);
	if (!existing(path, real))
		return;
	if (!is_device(real)) {
		if (facts_mount_of(src, real, &mount))
			facts_mount_add(device, &mount);
		if (statvfs(real, &vfs) == 0)
			kv_int(device, "free_bytes", (int64_t)(vfs.f_bavail * vfs.f_frsize));
	}
	if (src->device_of(src->ctx, real, &major, &minor) != 0)
		return;
	/* Major 0 is no device: btrfs, for one, says by its source where it lies (the first drive
	 * of several). */
	if (major == 0 && (!is_block(mount.source) ||
	                   src->device_of(src->ctx, mount.source, &major, &minor) != 0))
		return;
	facts_drive_add(device, src, major, minor, show_serial);
}
