/* SPDX-License-Identifier: MIT */
/* A laid out /sys and /proc in a folder of its own, for code that takes a root. */
#ifndef IOLTP_TESTS_SYS_FIXTURE_H
#define IOLTP_TESTS_SYS_FIXTURE_H

#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree_root {
	char root[64];
};

static inline void root_path(const struct tree_root *r, char path[PATH_MAX], const char *name)
{
	char *slash;

	snprintf(path, PATH_MAX, "%s%.3900s", r->root, name);
	for (slash = strchr(path + strlen(r->root) + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* A file, and the folders above it. */
static inline void root_put(const struct tree_root *r, const char *name, const void *bytes,
                            size_t len)
{
	char path[PATH_MAX];
	FILE *f;

	root_path(r, path, name);
	f = fopen(path, "w");
	if (f == NULL || fwrite(bytes, 1, len, f) != len || fclose(f) != 0) {
		perror(path);
		abort();
	}
}

static inline void root_text(const struct tree_root *r, const char *name, const char *text)
{
	root_put(r, name, text, strlen(text));
}

static inline void root_dir(const struct tree_root *r, const char *name)
{
	char path[PATH_MAX];

	root_path(r, path, name);
	mkdir(path, 0755);
}

/* A link to a place of the same tree. */
static inline void root_link(const struct tree_root *r, const char *name, const char *to)
{
	char path[PATH_MAX], target[PATH_MAX];

	root_path(r, path, name);
	snprintf(target, sizeof(target), "%s%.3900s", r->root, to);
	if (symlink(target, path) != 0) {
		perror(path);
		abort();
	}
}

/* A block device: "/devices/x/sda", "8:0". With its place in /sys/block (disks) and
 * /sys/class/block. */
static inline void root_block(const struct tree_root *r, const char *dir, const char *number,
                              int partition)
{
	const char *name = strrchr(dir, '/') + 1;
	char path[PATH_MAX], full[PATH_MAX];

	snprintf(full, sizeof(full), "/sys%.200s", dir);
	snprintf(path, sizeof(path), "%.300s/dev", full);
	root_text(r, path, number);
	snprintf(path, sizeof(path), "%.300s/holders", full);
	root_dir(r, path);
	if (partition > 0) {
		char text[16];

		snprintf(path, sizeof(path), "%.300s/partition", full);
		snprintf(text, sizeof(text), "%d\n", partition);
		root_text(r, path, text);
	} else {
		snprintf(path, sizeof(path), "/sys/block/%.60s", name);
		root_link(r, path, full);
		snprintf(path, sizeof(path), "%.300s/queue/logical_block_size", full);
		root_text(r, path, "512\n");
	}
	snprintf(path, sizeof(path), "/sys/class/block/%.60s", name);
	root_link(r, path, full);
	snprintf(path, sizeof(path), "/sys/dev/block/%.20s", number);
	root_link(r, path, full);
}

static inline void root_new(struct tree_root *r)
{
	snprintf(r->root, sizeof(r->root), "/tmp/ioltp-sys.XXXXXX");
	if (mkdtemp(r->root) == NULL)
		abort();
}

static inline int root_unlink(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void root_free(struct tree_root *r)
{
	nftw(r->root, root_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
