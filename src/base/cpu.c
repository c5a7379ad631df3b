/* SPDX-License-Identifier: MIT */
#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CPUS_MAX 8192u /* as many as the kernel can be built for */

/* The mask of the process: that of its first thread, which pinning a worker leaves alone. NULL:
 * unknown. */
static cpu_set_t *process_mask(void)
{
	cpu_set_t *mask = CPU_ALLOC(CPUS_MAX);

	if (mask != NULL && sched_getaffinity(getpid(), CPU_ALLOC_SIZE(CPUS_MAX), mask) != 0) {
		CPU_FREE(mask);
		mask = NULL;
	}
	return mask;
}

static unsigned affinity_count(void)
{
	cpu_set_t *mask = process_mask();
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	int n = mask != NULL ? CPU_COUNT_S(CPU_ALLOC_SIZE(CPUS_MAX), mask) : (int)online;

	CPU_FREE(mask);
	return n > 0 ? (unsigned)n : 1;
}

/* Reads up to two numbers from a file; how many there were. "max", the lack of a limit, is none. */
static int read_numbers(const char *dir, const char *name, double *first, double *second)
{
	char *path;
	FILE *f;
	int n;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return 0;
	f = fopen(path, "re");
	free(path);
	if (f == NULL)
		return 0;
	n = fscanf(f, "%lf %lf", first, second);
	fclose(f);
	return n;
}

/* CPUs that a control group may use; 0: no limit. */
static double quota_in(const char *dir, bool v2)
{
	double quota = 0;
	double period = 0;
	double unused;

	if (v2 && read_numbers(dir, "cpu.max", &quota, &period) != 2)
		return 0;
	if (!v2 && (read_numbers(dir, "cpu.cfs_quota_us", &quota, &unused) != 1 ||
	            read_numbers(dir, "cpu.cfs_period_us", &period, &unused) != 1))
		return 0;
	/* In v1 a quota of -1 is no limit. */
	return quota > 0 && period > 0 ? quota / period : 0;
}

static double smaller_quota(double a, double b)
{
	if (a <= 0 || b <= 0)
		return a > b ? a : b;
	return a < b ? a : b;
}

/* The tightest quota from a group up to the root: each level limits all below it. `group` is cut up
 * on the way. */
static double tightest_quota(const char *root, char *group, bool v2)
{
	double quota = 0;

	for (;;) {
		char *slash = strrchr(group, '/');
		char *dir;

		if (asprintf(&dir, "%s%s", root, group) < 0)
			return quota;
		quota = smaller_quota(quota, quota_in(dir, v2));
		free(dir);
		if (slash == NULL)
			return quota;
		*slash = '\0';
	}
}

/* Whether a comma separated list has the name ("cpu" is not in "cpuset"). */
static bool has_controller(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (;;) {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, name, len) == 0)
			return true;
		if (list[n] == '\0')
			return false;
		list += n + 1;
	}
}

/* One line "ID:CONTROLLERS:GROUP" of /proc/self/cgroup. */
static double quota_of_line(char *line)
{
	char *controllers = strchr(line, ':');
	char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

	if (group == NULL)
		return 0;
	*controllers++ = '\0';
	*group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	/* The root group "/" is the mount point itself. */
	if (strcmp(group, "/") == 0)
		group[0] = '\0';
	if (controllers[0] == '\0')
		return tightest_quota("/sys/fs/cgroup", group, true);
	if (has_controller(controllers, "cpu"))
		return tightest_quota("/sys/fs/cgroup/cpu", group, false);
	return 0;
}

/* CPUs that the control groups allow; 0: no limit. */
static double cgroup_quota(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char *line = NULL;
	size_t room = 0;
	double quota = 0;

	if (f == NULL)
		return 0;
	while (getline(&line, &room, f) >= 0)
		quota = smaller_quota(quota, quota_of_line(line));
	free(line);
	fclose(f);
	return quota;
}

unsigned cpu_available(void)
{
	unsigned n = affinity_count();
	double quota = cgroup_quota();
	unsigned whole;

	if (quota <= 0 || quota >= (double)n)
		return n;
	/* Half a CPU more is still room for one thread more. */
	whole = (unsigned)quota;
	return (double)whole < quota ? whole + 1 : whole;
}

int cpu_pin_self(unsigned n)
{
	const size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *mask = process_mask();
	unsigned left;
	int rc = -EINVAL;

	if (mask == NULL)
		return -ENOMEM;
	left = n % (unsigned)CPU_COUNT_S(bytes, mask);
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!CPU_ISSET_S(cpu, bytes, mask) || left-- != 0)
			continue;
		CPU_ZERO_S(bytes, mask);
		CPU_SET_S(cpu, bytes, mask);
		rc = sched_setaffinity(0, bytes, mask) == 0 ? 0 : -errno;
		break;
	}
	CPU_FREE(mask);
	return rc;
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_usec * 1000ull;
}

static void usage_of(int who, struct cpu_usage *u)
{
	struct rusage r = {0};

	/* Fails only for an unknown `who`. */
	(void)getrusage(who, &r);
	u->user_ns = timeval_ns(r.ru_utime);
	u->system_ns = timeval_ns(r.ru_stime);
	u->ctx_voluntary = (uint64_t)r.ru_nvcsw;
	u->ctx_involuntary = (uint64_t)r.ru_nivcsw;
	u->max_rss_bytes = (uint64_t)r.ru_maxrss * 1024;
}

void cpu_usage_process(struct cpu_usage *u)
{
	usage_of(RUSAGE_SELF, u);
}

void cpu_usage_thread(struct cpu_usage *u)
{
	usage_of(RUSAGE_THREAD, u);
}
