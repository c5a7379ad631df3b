/* SPDX-License-Identifier: MIT */
/* Who else uses a target: what is built on it, and processes that have it open for writing. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"

void guard_check_read_only(const struct guard_subject *s, struct guard_finding *f)
{
	const struct guard_relative *it = s->family.members;
	struct statvfs vfs;
	char dir[PATH_MAX];
	uint64_t ro = 0;

	if (!guard_is_device(s)) {
		snprintf(dir, sizeof(dir), "%s", s->real);
		if (s->kind == GUARD_NEW_FILE && !sysfs_parent(dir))
			snprintf(dir, sizeof(dir), "/");
		if (statvfs(dir, &vfs) != 0)
			guard_find(f, GUARD_UNKNOWN, "its filesystem cannot be looked at: %s",
			           strerror(errno));
		else if ((vfs.f_flag & ST_RDONLY) != 0)
			guard_find(f, GUARD_REFUSE,
			           "its filesystem is mounted read-only; use one that is not");
		else
			guard_find(f, GUARD_PASS, "its filesystem takes writes");
		return;
	}
	if (s->family.n == 0 || !sysfs_number(s->root, &ro, "%s/ro", it->dir))
		guard_find(f, GUARD_UNKNOWN,
		           "/sys does not tell whether it is read-only; is /sys mounted?");
	else if (ro != 0)
		guard_find(f, GUARD_REFUSE, "is read-only; 'blockdev --setrw %s' if that is meant",
		           s->block);
	else
		guard_find(f, GUARD_PASS, "takes writes");
}

/* ---- what is built on it ---- */

void guard_check_family(const struct guard_subject *s, struct guard_finding *f)
{
	char names[300] = "";

	if (!guard_is_device(s)) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a regular file");
		return;
	}
	if (s->family.unknown[0] != '\0') {
		guard_find(f, GUARD_UNKNOWN,
		           "what shares blocks with it cannot be told (%s); is /sys readable?",
		           s->family.unknown);
		return;
	}
	for (unsigned i = 1; i < s->family.n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.40s",
		         i > 1 ? ", " : "", s->family.members[i].name);
	if (names[0] == '\0')
		guard_find(f, GUARD_PASS, "shares its blocks with no other device");
	else
		guard_find(f, GUARD_PASS, "shares blocks with: %s", names);
}

static int find_own_file(void *ctx, const char *name)
{
	void **args = ctx;
	const struct guard_subject *s = args[0];
	struct guard_finding *f = args[1];
	char dir[64];

	if (strncmp(name, "loop", 4) != 0)
		return 0;
	snprintf(dir, sizeof(dir), "/sys/block/%.40s", name);
	switch (guard_is_backing_file(s->root, dir, &s->st, s->real)) {
	case 0:
		return 0;
	case 1:
		guard_find(f, GUARD_REFUSE,
		           "is the file behind /dev/%s; detach it: losetup -d /dev/%s", name, name);
		return 1;
	default:
		guard_find(f, GUARD_UNKNOWN,
		           "may be the file behind /dev/%s, which cannot be looked at; detach it, "
		           "or run as root",
		           name);
		return 1;
	}
}

static void check_file_holders(const struct guard_subject *s, struct guard_finding *f)
{
	void *args[2] = {(void *)s, f};
	int rc;

	if (s->kind == GUARD_NEW_FILE) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a new file");
		return;
	}
	guard_find(f, GUARD_PASS, "no loop device is on it");
	rc = sysfs_each(s->root, "/sys/block", find_own_file, args);
	if (rc < 0)
		guard_find(f, GUARD_UNKNOWN,
		           "whether a loop device is on it cannot be told: /sys/block: %s; is /sys "
		           "mounted?",
		           strerror(-rc));
}

void guard_check_holders(const struct guard_subject *s, struct guard_finding *f)
{
	char text[256], label[128];

	if (!guard_is_device(s)) {
		check_file_holders(s, f);
		return;
	}
	for (unsigned i = 0; i < s->family.n; i++) {
		const struct guard_relative *m = &s->family.members[i];

		if (m->relation == GUARD_ABOVE) {
			if (!sysfs_line(s->root, text, sizeof(text), "%s/dm/name", m->dir) &&
			    !sysfs_line(s->root, text, sizeof(text), "%s/md/level", m->dir))
				snprintf(text, sizeof(text), "in use");
			guard_find(f, GUARD_REFUSE,
			           "%s (%.80s) is built on it; take that apart first", m->name,
			           text);
			return;
		}
		if (sysfs_exists(s->root, "%s/bcache", m->dir)) {
			guard_find(f, GUARD_REFUSE,
			           "%s belongs to bcache; unregister it there first",
			           guard_relative_label(label, sizeof(label), m));
			return;
		}
	}
	if (s->family.n == 0)
		guard_find(f, GUARD_UNKNOWN, "/sys has no entry for it; is /sys mounted?");
	else
		guard_find(f, GUARD_PASS, "nothing is built on it");
}

void guard_check_partitions(const struct guard_subject *s, struct guard_finding *f)
{
	char names[256] = "";
	unsigned n = 0;

	if (!guard_is_device(s)) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a regular file");
		return;
	}
	for (unsigned i = 0; i < s->family.n; i++) {
		const struct guard_relative *m = &s->family.members[i];

		if (m->relation == GUARD_PARTITION)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.40s",
			         n++ > 0 ? ", " : "", m->name);
	}
	if (s->family.n == 0)
		guard_find(f, GUARD_UNKNOWN, "/sys has no entry for it; is /sys mounted?");
	else if (n > 0)
		guard_find(
		    f, GUARD_REFUSE,
		    "has %u partition%s (%s); name a partition, or remove them with 'wipefs -a'", n,
		    n > 1 ? "s" : "", names);
	else
		guard_find(f, GUARD_PASS, "has no partitions");
}

/* ---- processes ---- */

struct opener {
	char name[64];
	int pid;
	unsigned unreadable; /* processes whose files cannot be looked at */
};

static bool is_same(const struct guard_subject *s, const struct stat *st)
{
	if (!guard_is_device(s))
		return S_ISREG(st->st_mode) && st->st_dev == s->st.st_dev &&
		       st->st_ino == s->st.st_ino;
	if (S_ISCHR(st->st_mode))
		return s->generic != 0 && st->st_rdev == s->generic;
	/* Who writes to the disk around a partition may mean another part of it, but may not. */
	return S_ISBLK(st->st_mode) &&
	       guard_family_find(&s->family, major(st->st_rdev), minor(st->st_rdev)) != NULL;
}

static bool opened_for_writing(const char *root, const char *pid, const char *fd)
{
	char text[512];
	const char *at;

	if (sysfs_read(root, text, sizeof(text), "/proc/%.20s/fdinfo/%.20s", pid, fd) <= 0)
		return false;
	at = strstr(text, "flags:");
	return at != NULL && (strtol(at + 6, NULL, 8) & O_ACCMODE) != O_RDONLY;
}

/* Looks at the descriptors of one process; true when one writes to the subject. */
static bool looks_at(const struct guard_subject *s, const char *pid, struct opener *o)
{
	char path[PATH_MAX];
	struct dirent *e;
	struct stat st;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc/%.20s/fd", s->root, pid);
	d = opendir(path);
	if (d == NULL) {
		o->unreadable += errno != ENOENT;
		return false;
	}
	while (!found && (e = readdir(d)) != NULL) {
		found = isdigit((unsigned char)e->d_name[0]) &&
		        fstatat(dirfd(d), e->d_name, &st, 0) == 0 && is_same(s, &st) &&
		        opened_for_writing(s->root, pid, e->d_name);
	}
	closedir(d);
	if (found) {
		o->pid = atoi(pid);
		if (!sysfs_line(s->root, o->name, sizeof(o->name), "/proc/%.20s/comm", pid))
			snprintf(o->name, sizeof(o->name), "a process");
	}
	return found;
}

/* A read lease is granted only while nobody has the file open for writing, whoever that is. */
static bool lease_tells_no_writer(const struct guard_subject *s)
{
	if (guard_is_device(s) || s->fd < 0 || fcntl(s->fd, F_SETLEASE, F_RDLCK) != 0)
		return false;
	(void)fcntl(s->fd, F_SETLEASE, F_UNLCK);
	return true;
}

void guard_check_opened(const struct guard_subject *s, struct guard_finding *f)
{
	struct opener o = {0};
	char path[PATH_MAX];
	struct dirent *e;
	bool found = false;
	DIR *d;

	if (s->kind == GUARD_NEW_FILE) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a new file");
		return;
	}
	snprintf(path, sizeof(path), "%s/proc", s->root);
	d = opendir(path);
	if (d == NULL) {
		guard_find(
		    f, GUARD_UNKNOWN,
		    "whether a process writes to it cannot be told: /proc: %s; is /proc mounted?",
		    strerror(errno));
		return;
	}
	while (!found && (e = readdir(d)) != NULL)
		found = isdigit((unsigned char)e->d_name[0]) && atoi(e->d_name) != getpid() &&
		        looks_at(s, e->d_name, &o);
	closedir(d);
	if (found)
		guard_find(f, GUARD_REFUSE,
		           "'%s' (process %d) has it open for writing; stop that first", o.name,
		           o.pid);
	else if (o.unreadable > 0 && !lease_tells_no_writer(s))
		guard_find(f, GUARD_UNKNOWN,
		           "whether a process writes to it cannot be told: permission denied to "
		           "look at %u of them; run as root",
		           o.unreadable);
	else
		guard_find(f, GUARD_PASS, "no process writes to it");
}

void guard_check_exclusive(const struct guard_subject *s, struct guard_finding *f)
{
	if (!guard_is_device(s)) {
		guard_find(f, GUARD_NOT_APPLICABLE, "a regular file: locked once it is open");
		return;
	}
	if (s->hold_fd >= 0)
		guard_find(f, GUARD_PASS, "the kernel grants exclusive use");
	else if (s->hold_error == EBUSY)
		guard_find(f, GUARD_REFUSE,
		           "the kernel says that it is in use; stop what uses it (lsblk, fuser %s)",
		           s->block);
	else if (s->hold_error == EACCES || s->hold_error == EPERM)
		guard_find(f, GUARD_UNKNOWN, "permission denied to open %s; run as root", s->block);
	else if (s->hold_error == ENOMEDIUM || s->hold_error == ENXIO)
		guard_find(f, GUARD_REFUSE, "has no medium; put one in");
	else
		guard_find(f, GUARD_UNKNOWN, "exclusive use of %s: %s; see 'dmesg'", s->block,
		           strerror(s->hold_error));
}
