/* SPDX-License-Identifier: MIT */
/* Mounts in every namespace that can be read, and swap. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

struct mount {
	unsigned major, minor;
	char point[1024], type[64], source[1024];
};

/* One line: id parent major:minor root point options [fields...] - type source super-options. */
static bool parse(char *line, struct mount *m)
{
	char *rest = strstr(line, " - ");

	if (rest == NULL ||
	    sscanf(line, "%*s %*s %u:%u %*s %1023s", &m->major, &m->minor, m->point) != 3 ||
	    sscanf(rest + 3, "%63s %1023s", m->type, m->source) != 2)
		return false;
	sysfs_unescape(m->point);
	sysfs_unescape(m->source);
	return true;
}

/* The member of the family that a mount is of. `here`: its source means a node of this namespace.
 */
static const struct guard_relative *member_of(const struct guard_subject *s, const struct mount *m,
                                              bool here)
{
	const struct guard_relative *r = guard_family_find(&s->family, m->major, m->minor);
	struct stat st;

	/* Filesystems of several drives (btrfs) have a number of their own. */
	if (r == NULL && here && m->source[0] == '/' && stat(m->source, &st) == 0 &&
	    S_ISBLK(st.st_mode))
		r = guard_family_find(&s->family, major(st.st_rdev), minor(st.st_rdev));
	return r;
}

/* Calls fn with each mount of the family in one mountinfo. -errno, or fn's non-zero return. */
static int each_mount(const struct guard_subject *s, const char *path, bool here,
                      int (*fn)(void *ctx, const struct mount *m, const struct guard_relative *r),
                      void *ctx)
{
	char full[PATH_MAX];
	struct mount m;
	char *line = NULL;
	size_t room = 0;
	int rc = 0;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", s->root, path);
	f = fopen(full, "re");
	if (f == NULL)
		return -errno;
	while (rc == 0 && getline(&line, &room, f) > 0) {
		const struct guard_relative *r;

		if (!parse(line, &m)) {
			rc = -EBADMSG;
			break;
		}
		r = member_of(s, &m, here);
		if (r != NULL)
			rc = fn(ctx, &m, r);
	}
	if (rc == 0 && ferror(f))
		rc = -EIO;
	free(line);
	fclose(f);
	return rc;
}

static int tell_mount(void *ctx, const struct mount *m, const struct guard_relative *r)
{
	struct guard_finding *f = ctx;
	char label[128];

	guard_find(f, GUARD_REFUSE,
	           "%s is mounted at %.200s (%s); unmount it, or name another target",
	           guard_relative_label(label, sizeof(label), r), m->point, m->type);
	return 1;
}

/* Other namespaces: those of processes that may be looked at. */
static bool mounted_elsewhere(const struct guard_subject *s, struct guard_finding *f)
{
	char path[PATH_MAX];
	struct dirent *e;
	bool found = false;
	size_t len;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc", s->root);
	d = opendir(path);
	while (d != NULL && !found && (e = readdir(d)) != NULL) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/mountinfo", e->d_name);
		found = each_mount(s, path, false, tell_mount, f) == 1;
		len = strlen(f->text);
		if (found)
			snprintf(f->text + len, sizeof(f->text) - len,
			         " (mount namespace of process %.20s)", e->d_name);
	}
	if (d != NULL)
		closedir(d);
	return found;
}

struct btrfs_search {
	const struct guard_subject *s;
	struct guard_finding *f;
	char dir[320];
};

static int find_btrfs_device(void *ctx, const char *name)
{
	struct btrfs_search *b = ctx;
	char label[128];

	for (unsigned i = 0; i < b->s->family.n; i++) {
		const struct guard_relative *m = &b->s->family.members[i];

		if (strcmp(m->name, name) != 0)
			continue;
		guard_find(
		    b->f, GUARD_REFUSE,
		    "%s belongs to a mounted btrfs filesystem; unmount it, or name another target",
		    guard_relative_label(label, sizeof(label), m));
		return 1;
	}
	return 0;
}

static int find_btrfs(void *ctx, const char *uuid)
{
	struct btrfs_search *b = ctx;

	snprintf(b->dir, sizeof(b->dir), "/sys/fs/btrfs/%.255s/devices", uuid);
	return sysfs_each(b->s->root, b->dir, find_btrfs_device, b) == 1;
}

void guard_check_mounted(const struct guard_subject *s, struct guard_finding *f)
{
	struct btrfs_search b = {.s = s, .f = f};
	int rc;

	if (!guard_is_device(s)) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a regular file");
		return;
	}
	guard_find(f, GUARD_PASS, "is not mounted");
	rc = each_mount(s, "/proc/self/mountinfo", true, tell_mount, f);
	if (rc < 0)
		guard_find(f, GUARD_UNKNOWN,
		           "whether it is mounted cannot be told: /proc/self/mountinfo: %s; is "
		           "/proc mounted?",
		           strerror(-rc));
	if (rc == 0 && sysfs_each(s->root, "/sys/fs/btrfs", find_btrfs, &b) != 1)
		mounted_elsewhere(s, f);
}

struct point_search {
	int (*fn)(void *ctx, const char *point);
	void *ctx;
};

static int tell_point(void *ctx, const struct mount *m, const struct guard_relative *r)
{
	struct point_search *p = ctx;

	(void)r;
	return p->fn(p->ctx, m->point);
}

int guard_each_mount_point(const struct guard_subject *s, int (*fn)(void *ctx, const char *point),
                           void *ctx)
{
	struct point_search p = {fn, ctx};

	return each_mount(s, "/proc/self/mountinfo", true, tell_point, &p);
}

/* ---- swap ---- */

/* The family's member that a swap area lies on, by its node or, where that is not in this
 * namespace, by its name. False: nobody can tell. */
static bool swap_device(const struct guard_subject *s, const char *path,
                        const struct guard_relative **member)
{
	char dir[PATH_MAX], link[PATH_MAX];
	unsigned major, minor;
	struct stat st;

	*member = NULL;
	if (s->root[0] == '\0' && stat(path, &st) == 0 && S_ISBLK(st.st_mode)) {
		*member = guard_family_find(&s->family, major(st.st_rdev), minor(st.st_rdev));
		return true;
	}
	snprintf(link, sizeof(link), "/sys/class/block/%.255s", sysfs_name(path));
	if (!sysfs_resolve(s->root, link, dir) || !sysfs_dev(s->root, dir, &major, &minor))
		return false;
	*member = guard_family_find(&s->family, major, minor);
	return true;
}

/* True when this line settles the finding. */
static bool judge_swap(const struct guard_subject *s, const char *path, const char *type,
                       struct guard_finding *f)
{
	const struct guard_relative *m;
	char label[128];
	struct stat st;

	if (!guard_is_device(s)) {
		/* A swap file that is not in this namespace cannot be written by accident: the
		 * kernel answers ETXTBSY. */
		if (strcmp(type, "file") != 0 || stat(path, &st) != 0 ||
		    st.st_dev != s->st.st_dev || st.st_ino != s->st.st_ino)
			return false;
		guard_find(f, GUARD_REFUSE, "is a swap file in use; 'swapoff %s' if that is meant",
		           path);
		return true;
	}
	if (strcmp(type, "file") == 0) /* lies in a mounted filesystem */
		return false;
	if (!swap_device(s, path, &m)) {
		guard_find(f, GUARD_UNKNOWN,
		           "which device the swap area %.200s is cannot be told; swapoff it, or "
		           "run outside the container",
		           path);
		return true;
	}
	if (m == NULL)
		return false;
	guard_find(f, GUARD_REFUSE, "%s is in use as swap; 'swapoff %s' if that is meant",
	           guard_relative_label(label, sizeof(label), m), path);
	return true;
}

void guard_check_swap(const struct guard_subject *s, struct guard_finding *f)
{
	char full[PATH_MAX], path[1024], type[32], *line = NULL;
	bool settled = false;
	size_t room = 0;
	FILE *file;

	if (s->kind == GUARD_NEW_FILE) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a new file");
		return;
	}
	guard_find(f, GUARD_PASS, "is not in use as swap");
	snprintf(full, sizeof(full), "%s/proc/swaps", s->root);
	file = fopen(full, "re");
	if (file == NULL) {
		if (errno != ENOENT) /* without it the kernel has no swap */
			guard_find(f, GUARD_UNKNOWN,
			           "whether it is in use as swap cannot be told: /proc/swaps: %s",
			           strerror(errno));
		else if (!sysfs_exists(s->root, "/proc/self"))
			guard_find(
			    f, GUARD_UNKNOWN,
			    "whether it is in use as swap cannot be told: is /proc mounted?");
		return;
	}
	while (!settled && getline(&line, &room, file) > 0) {
		if (line[0] != '/' || sscanf(line, "%1023s %31s", path, type) != 2)
			continue;
		sysfs_unescape(path);
		settled = judge_swap(s, path, type, f);
	}
	if (ferror(file))
		guard_find(f, GUARD_UNKNOWN,
		           "whether it is in use as swap cannot be told: /proc/swaps: read error");
	free(line);
	fclose(file);
}
