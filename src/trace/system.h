/* SPDX-License-Identifier: MIT */
/*
 * system: what the kernel counts meanwhile: CPUs, this process, a server's processes, a block
 * device. Two looks make a difference. Main thread.
 */
#ifndef IOLTP_TRACE_SYSTEM_H
#define IOLTP_TRACE_SYSTEM_H

#include <sys/types.h>

#include "base/blockstat.h"
#include "run/captured.h"

#define SYSTEM_SERVERS_MAX 64u

/* What is looked at. */
struct system_subject {
	const char *device_dir;            /* in sysfs; NULL: none */
	pid_t servers[SYSTEM_SERVERS_MAX]; /* their processes are these and all below them */
	unsigned nservers;
};

struct system_look {
	uint64_t at_ns;                         /* monotonic clock */
	uint64_t cpu_all, cpu_busy, cpu_iowait; /* clock ticks, of all CPUs together */
	unsigned cpus;
	struct captured_process own, server; /* since they began */
	bool has_device;
	struct blockstat device;
};

/* Never fails: what cannot be read is zero, and said so. */
void system_look(struct system_look *l, const struct system_subject *s);

void system_diff(const struct system_look *a, const struct system_look *b,
                 struct captured_system *out);
/* Processes that ended in between have left their figures to their parents. */
void system_diff_process(const struct captured_process *a, const struct captured_process *b,
                         struct captured_process *out);
/* False: not known, or the counters went backwards. */
bool system_diff_device(const struct system_look *a, const struct system_look *b,
                        struct captured_device *out);

/*
 * The processes of a database server that has this data directory, on this machine: those that work
 * in it and have such a name, without those below one of them; else what its pid file says. Returns
 * how many were found.
 */
unsigned system_find_servers(const char *data_dir, pid_t *pids, unsigned room);

#endif
