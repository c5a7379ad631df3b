/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "trace/block.h"

/* A process of this number that is one of ours: numbers are used again. */
static bool lives(pid_t pid)
{
	char comm[64], own[64];

	if (kill(pid, 0) != 0 && errno == ESRCH)
		return false;
	if (!sysfs_line("", comm, sizeof(comm), "/proc/%d/comm", (int)pid) ||
	    !sysfs_line("", own, sizeof(own), "/proc/self/comm"))
		return true;
	return strcmp(comm, own) == 0 || strncmp(comm, "ioltp", 5) == 0;
}

static void remove_in(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		char path[512], *end;
		long pid;

		if (strncmp(e->d_name, "ioltp-", 6) != 0)
			continue;
		pid = strtol(e->d_name + 6, &end, 10);
		if (*end != '\0' || pid <= 0 || pid == getpid() || lives((pid_t)pid))
			continue;
		/* The kernel disables its events. One that is in use all the same refuses. */
		snprintf(path, sizeof(path), "%s/%.200s", dir, e->d_name);
		(void)rmdir(path);
	}
	if (d != NULL)
		closedir(d);
}

void block_remove_stale(void)
{
	if (geteuid() != 0)
		return;
	remove_in("/sys/kernel/tracing/instances");
	if (access("/sys/kernel/tracing/instances", F_OK) != 0)
		remove_in("/sys/kernel/debug/tracing/instances");
}
