/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/sysfs.h"
#include "report/facts_priv.h"
#include "report/result.h"

/* ---- the host ---- */

/* Text after "KEY", blanks and `separator` on the first line that begins so. */
static bool find_key(const char *text, const char *key, char separator, char *out, size_t room)
{
	size_t len = strlen(key);

	for (const char *line = text; line != NULL && *line != '\0';) {
		const char *at = line + len;

		if (strncmp(line, key, len) == 0) {
			at += strspn(at, " \t");
			if (*at == separator) {
				snprintf(out, room, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
				return sysfs_trim(out);
			}
		}
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return false;
}

/* How many numbers a list as "0-3,8" holds. */
static int64_t count_list(const char *list)
{
	int64_t n = 0;

	while (*list != '\0') {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			return 0;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		n += last - first + 1;
		list = *end == ',' ? end + 1 : "";
	}
	return n;
}

static void add_cpu(struct kv *host, const struct drive_source *src, const char *cpuinfo)
{
	static const char *const keys[] = {"model name", "Model", "Hardware", "cpu model", "cpu"};
	char text[256];

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (find_key(cpuinfo, keys[i], ':', text, sizeof(text))) {
			kv_text(host, "cpu_model", text);
			break;
		}
	}
	if (sysfs_line(src->root, text, sizeof(text), "/sys/devices/system/cpu/online"))
		kv_int(host, "cpus", count_list(text));
	kv_int(host, "cpus_usable", cpu_available());
	if (sysfs_line(src->root, text, sizeof(text),
	               "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
		kv_text(host, "governor", text);
	if (sysfs_line(src->root, text, sizeof(text),
	               "/sys/devices/system/clocksource/clocksource0/current_clocksource"))
		kv_text(host, "clocksource", text);
}

static void add_memory(struct kv *host, const struct drive_source *src)
{
	char text[8192], value[64];

	if (sysfs_read(src->root, text, sizeof(text), "/proc/meminfo") > 0 &&
	    find_key(text, "MemTotal", ':', value, sizeof(value)))
		kv_int(host, "memory_bytes", (int64_t)strtoll(value, NULL, 10) * 1024);
}

struct limits {
	double cpus;           /* 0: none */
	uint64_t memory_bytes; /* UINT64_MAX: none */
};

static void cpu_limit_of(struct limits *l, const struct drive_source *src, const char *mount,
                         const char *group)
{
	char text[64];
	uint64_t quota_us = 0, period_us = 0;
	unsigned long long a, b;
	double cpus;

	if (sysfs_line(src->root, text, sizeof(text), "%s%s/cpu.max", mount, group) &&
	    sscanf(text, "%llu %llu", &a, &b) == 2) {
		quota_us = a;
		period_us = b;
	} else if (!sysfs_number(src->root, &quota_us, "%s%s/cpu.cfs_quota_us", mount, group) ||
	           !sysfs_number(src->root, &period_us, "%s%s/cpu.cfs_period_us", mount, group)) {
		return;
	}
	if (quota_us == 0 || period_us == 0)
		return;
	cpus = (double)quota_us / (double)period_us;
	if (l->cpus == 0 || cpus < l->cpus)
		l->cpus = cpus;
}

static void memory_limit_of(struct limits *l, const struct drive_source *src, const char *mount,
                            const char *group)
{
	uint64_t bytes;

	if (!sysfs_number(src->root, &bytes, "%s%s/memory.max", mount, group) &&
	    !sysfs_number(src->root, &bytes, "%s%s/memory.limit_in_bytes", mount, group))
		return;
	/* Version 1 says "no limit" by a number near 2^63. */
	if (bytes < (uint64_t)1 << 60 && bytes < l->memory_bytes)
		l->memory_bytes = bytes;
}

/* A group is bound by its own limits and by those of all groups above it. A mount may be NULL. */
static void limits_up(struct limits *l, const struct drive_source *src, const char *mount_cpu,
                      const char *mount_memory, char *group)
{
	for (;;) {
		char *slash = strrchr(group, '/');

		if (mount_cpu != NULL)
			cpu_limit_of(l, src, mount_cpu, group);
		if (mount_memory != NULL)
			memory_limit_of(l, src, mount_memory, group);
		if (slash == NULL)
			return;
		*slash = '\0';
	}
}

/* True when a comma separated list holds a word. */
static bool has_word(const char *list, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++) {
		if ((i == 0 || list[i - 1] == ',') && strncmp(list + i, word, n) == 0 &&
		    (i + n == len || list[i + n] == ','))
			return true;
	}
	return false;
}

static void add_cgroup(struct kv *host, const struct drive_source *src)
{
	struct limits l = {.memory_bytes = UINT64_MAX};
	char text[8192], group[1024];
	char *save = NULL;

	sysfs_read(src->root, text, sizeof(text), "/proc/self/cgroup");
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *names = strchr(line, ':');
		char *path = names != NULL ? strchr(names + 1, ':') : NULL;
		size_t len;

		if (path == NULL)
			continue;
		len = (size_t)(path - names) - 1;
		snprintf(group, sizeof(group), "%s", path + 1);
		if (len == 0)
			limits_up(&l, src, "/sys/fs/cgroup", "/sys/fs/cgroup", group);
		else
			limits_up(
			    &l, src, has_word(names + 1, len, "cpu") ? "/sys/fs/cgroup/cpu" : NULL,
			    has_word(names + 1, len, "memory") ? "/sys/fs/cgroup/memory" : NULL,
			    group);
	}
	if (l.cpus > 0)
		kv_double(host, "cgroup_cpus_max", l.cpus);
	if (l.memory_bytes != UINT64_MAX)
		kv_int(host, "cgroup_memory_max_bytes", (int64_t)l.memory_bytes);
}

/* Who makes the machine, when that says that it is a virtual one; else NULL. */
static const char *vendor_to_name(const char *vendor, const char *product)
{
	static const struct {
		const char *begins, *name;
	} known[] = {
	    {"QEMU", "kvm"},
	    {"KVM", "kvm"},
	    {"Amazon EC2", "amazon"},
	    {"Google", "google"},
	    {"VMware", "vmware"},
	    {"Microsoft", "hyper-v"},
	    {"Xen", "xen"},
	    {"innotek", "virtualbox"},
	    {"OpenStack", "openstack"},
	    {"Parallels", "parallels"},
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(vendor, known[i].begins, strlen(known[i].begins)) == 0 ||
		    strncmp(product, known[i].begins, strlen(known[i].begins)) == 0)
			return known[i].name;
	}
	return NULL;
}

static void add_virtualization(struct kv *host, const struct drive_source *src, const char *cpuinfo)
{
	char vendor[128], product[128], text[128];
	bool in_vm = strstr(cpuinfo, " hypervisor") != NULL;
	bool x86 = strstr(cpuinfo, "vendor_id") != NULL;
	const char *name;

	sysfs_line(src->root, vendor, sizeof(vendor), "/sys/class/dmi/id/sys_vendor");
	sysfs_line(src->root, product, sizeof(product), "/sys/class/dmi/id/product_name");
	name = vendor_to_name(vendor, product);
	/* Only x86 tells whether there is a hypervisor; some vendors have metal and virtual
	 * machines. */
	if (x86 && !in_vm)
		name = "none";
	else if (x86 && name == NULL)
		name = "virtual machine";
	if (sysfs_line(src->root, text, sizeof(text), "/sys/hypervisor/type"))
		name = text;
	kv_text(host, "virtualization", name);
	if (sysfs_line(src->root, text, sizeof(text), "/run/systemd/container"))
		kv_text(host, "container", text);
	else if (sysfs_exists(src->root, "/.dockerenv"))
		kv_text(host, "container", "docker");
	else if (sysfs_exists(src->root, "/run/.containerenv"))
		kv_text(host, "container", "podman");
}

static void add_os(struct kv *host, const struct drive_source *src)
{
	char text[4096], value[256];
	size_t len;

	if (sysfs_line(src->root, value, sizeof(value), "/proc/sys/kernel/osrelease"))
		kv_text(host, "kernel", value);
	sysfs_read(src->root, text, sizeof(text), "/etc/os-release");
	if (!find_key(text, "PRETTY_NAME", '=', value, sizeof(value)))
		return;
	len = strlen(value);
	if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
		value[len - 1] = '\0';
		memmove(value, value + 1, len - 1);
	}
	kv_text(host, "os", value);
}

void facts_host_from(struct kv *host, const struct drive_source *src)
{
	static const size_t room = 16384; /* the first CPUs are enough */
	char *cpuinfo = malloc(room);

	if (cpuinfo == NULL) {
		host->failed = true;
		return;
	}
	sysfs_read(src->root, cpuinfo, room, "/proc/cpuinfo");
	add_cpu(host, src, cpuinfo);
	add_memory(host, src);
	add_cgroup(host, src);
	add_os(host, src);
	add_virtualization(host, src, cpuinfo);
	free(cpuinfo);
}

void facts_host(struct kv *host)
{
	facts_host_from(host, &drive_real);
}
