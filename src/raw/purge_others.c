/* SPDX-License-Identifier: MIT */
/* Sanitize, and format on some drives, erase all namespaces: the guard judges the others too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/sysfs.h"
#include "raw/nvme.h"
#include "raw/purge_priv.h"

/* The block device's directory, for a generic device its sibling's. */
static bool block_dir(const struct raw_target *t, char dir[PATH_MAX])
{
	unsigned of_major = major((dev_t)t->dev), of_minor = minor((dev_t)t->dev);

	return t->is_nvme_generic ? sysfs_generic_sibling("", of_major, of_minor, dir)
	                          : sysfs_block_dir("", of_major, of_minor, dir);
}

bool purge_is_partition(const struct raw_target *t)
{
	char dir[PATH_MAX];

	return !block_dir(t, dir) || sysfs_exists("", "%s/partition", dir);
}

struct search {
	struct purge_others *others;
	char own[64], beginning[64];
	const char *destroy_data;
	struct err *err;
};

/* One block device of the machine: claimed when it is a namespace of the same drive. */
static int claim(void *ctx, const char *name)
{
	struct search *s = ctx;
	struct raw_target *t;
	char path[96];
	int rc;

	if (strncmp(name, s->beginning, strlen(s->beginning)) != 0 || strcmp(name, s->own) == 0 ||
	    strchr(name + strlen(s->beginning), 'p') != NULL)
		return 0;
	if (s->others->n == PURGE_OTHERS_MAX)
		return err_usage(
		    s->err, "%s: has more than %u namespaces; purge them one by one with format",
		    s->own, PURGE_OTHERS_MAX);
	snprintf(path, sizeof(path), "/dev/%.64s", name);
	t = &s->others->targets[s->others->n];
	rc = guard_open(
	    t,
	    &(struct guard_request){.path = path, .write = true, .destroy_data = s->destroy_data},
	    s->err);
	if (rc == 0)
		s->others->n++;
	return rc;
}

int purge_claim_others(struct purge_others *o, const struct raw_target *t, const char *destroy_data,
                       struct err *err)
{
	struct search s = {.others = o, .destroy_data = destroy_data, .err = err};
	uint32_t nsids[1024];
	unsigned n = 0;
	char dir[PATH_MAX], *end;
	int rc;

	o->targets = calloc(PURGE_OTHERS_MAX, sizeof(*o->targets));
	if (o->targets == NULL)
		return err_run(err, "%s: out of memory", t->path);
	if (!block_dir(t, dir))
		return err_usage(err, "%s: /sys does not tell which drive it is; is /sys mounted?",
		                 t->path);
	snprintf(s.own, sizeof(s.own), "%.63s", sysfs_name(dir));
	snprintf(s.beginning, sizeof(s.beginning), "%s", s.own);
	end = strrchr(s.beginning, 'n'); /* nvme0n1 -> nvme0n */
	if (end == NULL || end == s.beginning)
		return err_usage(err, "%s: is not named like an NVMe namespace", t->path);
	end[1] = '\0';
	rc = sysfs_each("", "/sys/block", claim, &s);
	if (rc != 0)
		return err_is_set(err) ? -EINVAL : err_usage(err, "/sys/block: %s", strerror(-rc));
	/* Those that this machine does not see cannot be judged. */
	rc = nvmedev_namespaces(t->fd, nsids, 1024, &n);
	if (rc != 0 || n != o->n + 1)
		return err_usage(err,
		                 "%s: the drive has %u namespaces and %u can be judged here; "
		                 "detach the others, or use format",
		                 t->path, n, o->n + 1);
	return 0;
}

void purge_release_others(struct purge_others *o)
{
	for (unsigned i = 0; i < o->n; i++)
		guard_close(&o->targets[i]);
	free(o->targets);
	o->targets = NULL;
	o->n = 0;
}
