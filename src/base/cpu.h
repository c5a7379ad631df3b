/* SPDX-License-Identifier: MIT */
/* cpu: how many there are for us, pinning, and what we used of them. */
#ifndef IOLTP_BASE_CPU_H
#define IOLTP_BASE_CPU_H

#include <stdint.h>

/* CPUs that this process may run on (affinity mask and cgroup quota, at least 1). */
unsigned cpu_available(void);
/* Pins the calling thread to the n-th CPU of the process's mask (modulo). 0 or -errno. */
int cpu_pin_self(unsigned n);

struct cpu_usage {
	uint64_t user_ns, system_ns; /* CPU time */
	uint64_t ctx_voluntary, ctx_involuntary;
	uint64_t max_rss_bytes;
};

/* Of the whole process, or of the calling thread. */
void cpu_usage_process(struct cpu_usage *u);
void cpu_usage_thread(struct cpu_usage *u);

#endif
