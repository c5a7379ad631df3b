/* SPDX-License-Identifier: MIT */
#include "raw/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sysfs.h"
#include "raw/nvme.h"

/* ---- the kernel's ---- */

/* The block device that the counters are of: the device itself, a generic device's sibling, or what
 * a file lies on. */
static bool block_dir(const char *path, char dir[PATH_MAX])
{
	struct stat st;
	dev_t dev;

	if (stat(path, &st) != 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return sysfs_generic_sibling("", major(st.st_rdev), minor(st.st_rdev), dir);
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	return sysfs_block_dir("", major(dev), minor(dev), dir);
}

/* ---- the drive's ---- */

static int take_first(void *ctx, const char *name)
{
	snprintf(ctx, 256, "%s", name);
	return 1;
}

static int count_two(void *ctx, const char *name)
{
	unsigned *n = ctx;

	(void)name;
	return ++*n > 1;
}

/* From a partition or a device-mapper device on a single one to the drive. */
static void drive_dir(const char *dir, char drive[PATH_MAX])
{
	char slaves[PATH_MAX], link[PATH_MAX], first[256];

	sysfs_disk_dir("", dir, drive);
	for (unsigned depth = 0; depth < 8; depth++) {
		unsigned n = 0;

		if (snprintf(slaves, sizeof(slaves), "%s/slaves", drive) >= (int)sizeof(slaves) ||
		    sysfs_each("", slaves, count_two, &n) != 0 || n != 1 ||
		    sysfs_each("", slaves, take_first, first) != 1 ||
		    snprintf(link, sizeof(link), "%s/%s", slaves, first) >= (int)sizeof(link) ||
		    !sysfs_resolve("", link, slaves))
			return;
		sysfs_disk_dir("", slaves, drive);
	}
}

struct hwmon {
	const char *dir;
	bool found;
	double temperature_c;
};

static int read_hwmon(void *ctx, const char *name)
{
	struct hwmon *h = ctx;
	uint64_t milli;

	if (strncmp(name, "hwmon", 5) != 0)
		return 0;
	/* SATA: device/hwmon/hwmonN; NVMe: device/hwmonN. */
	if (!sysfs_number("", &milli, "%s/%s/temp1_input", h->dir, name))
		return 0;
	h->found = true;
	h->temperature_c = (double)milli / 1000;
	return 1;
}

static void take_hwmon(const char *drive, struct counters *c)
{
	char dir[PATH_MAX];
	struct hwmon h = {.dir = dir};

	if (snprintf(dir, sizeof(dir), "%s/device", drive) < (int)sizeof(dir))
		sysfs_each("", dir, read_hwmon, &h);
	if (!h.found && snprintf(dir, sizeof(dir), "%s/device/hwmon", drive) < (int)sizeof(dir))
		sysfs_each("", dir, read_hwmon, &h);
	if (h.found) {
		c->has_temperature = true;
		c->temperature_c = h.temperature_c;
	}
}

static void take_power(int fd, struct counters *c)
{
	struct nvme_info_ctrl ctrl;
	unsigned state;

	if (nvmedev_power_state(fd, &state) != 0 || nvmedev_ctrl(fd, &ctrl) != 0 ||
	    state >= ctrl.npower_states || ctrl.power_states[state].max_power_w <= 0)
		return;
	c->has_power = true;
	c->power_w = ctrl.power_states[state].max_power_w;
}

static void take_nvme(const char *drive, struct counters *c)
{
	char node[PATH_MAX];
	int fd, rc;

	snprintf(node, sizeof(node), "/dev/%s", sysfs_name(drive));
	fd = open(node, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(c->why_no_health, sizeof(c->why_no_health), "%.60s: %.60s", node,
		         strerror(errno));
		return;
	}
	rc = nvmedev_health(fd, &c->health);
	c->has_health = rc == 0;
	if (rc != 0)
		snprintf(c->why_no_health, sizeof(c->why_no_health), "%s", nvmedev_strerror(rc));
	rc = nvmedev_ocp(fd, &c->ocp);
	c->has_ocp = rc == 0;
	if (rc != 0)
		snprintf(c->why_no_ocp, sizeof(c->why_no_ocp), "%s", nvmedev_no_ocp(rc));
	if (c->has_health && c->health.temperature_c[0] != INT16_MIN) {
		c->has_temperature = true;
		c->temperature_c = c->health.temperature_c[0];
	}
	take_power(fd, c);
	close(fd);
}

void counters_take(const char *path, struct counters *c)
{
	char dir[PATH_MAX], drive[PATH_MAX];
	struct stat st;

	*c = (struct counters){0};
	c->passthrough = stat(path, &st) == 0 && S_ISCHR(st.st_mode);
	c->taken_ns = clock_mono_ns();
	if (!block_dir(path, dir)) {
		snprintf(c->why_no_health, sizeof(c->why_no_health),
		         "no block device is known under it");
		return;
	}
	snprintf(c->device, sizeof(c->device), "%.63s", sysfs_name(dir));
	c->has_block = !c->passthrough && blockstat_read(&c->block, dir);
	drive_dir(dir, drive);
	if (strncmp(sysfs_name(drive), "nvme", 4) == 0)
		take_nvme(drive, c);
	else
		snprintf(c->why_no_health, sizeof(c->why_no_health), "%.60s is no NVMe drive",
		         sysfs_name(drive));
	if (!c->has_temperature)
		take_hwmon(drive, c);
}
