/* SPDX-License-Identifier: MIT */
#include "raw/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/sysfs.h"
#include "base/units.h"
#include "raw/counters.h"
#include "raw/device_priv.h"
#include "raw/guard_priv.h"

/* ---- the list ---- */

static int add_name(void *ctx, const char *name)
{
	struct device_names *list = ctx;
	char(*names)[DEVICE_NAME_MAX];
	uint64_t v;

	if (strlen(name) >= DEVICE_NAME_MAX || !sysfs_number("", &v, "/sys/block/%s/size", name) ||
	    v == 0 || (sysfs_number("", &v, "/sys/block/%s/hidden", name) && v != 0))
		return 0;
	names = realloc(list->names, (list->n + 1) * sizeof(*names));
	if (names == NULL)
		return -ENOMEM;
	list->names = names;
	snprintf(names[list->n++], DEVICE_NAME_MAX, "%s", name);
	return 0;
}

int device_list(struct device_names *list, struct err *err)
{
	int rc;

	*list = (struct device_names){0};
	rc = sysfs_each("", "/sys/block", add_name, list);
	if (rc != 0) {
		device_list_fini(list);
		err_run(err, "/sys/block: %s; is /sys mounted?", strerror(-rc));
	}
	return rc;
}

void device_list_fini(struct device_names *list)
{
	free(list->names);
	list->names = NULL;
	list->n = 0;
}

/* ---- the link ---- */

static bool read_link_at(const char *root, const char *dir, struct kv *facts)
{
	char speed[64], speed_max[64];
	uint64_t width = 0, width_max = 0;
	double now, own;

	if (!sysfs_line(root, speed, sizeof(speed), "%s/current_link_speed", dir) ||
	    strncmp(speed, "Unknown", 7) == 0)
		return false;
	kv_text(facts, "link_speed", speed);
	if (sysfs_number(root, &width, "%s/current_link_width", dir))
		kv_int(facts, "link_width", (int64_t)width);
	if (!sysfs_line(root, speed_max, sizeof(speed_max), "%s/max_link_speed", dir))
		return true;
	kv_text(facts, "link_speed_max", speed_max);
	if (sysfs_number(root, &width_max, "%s/max_link_width", dir) && width_max != 255)
		kv_int(facts, "link_width_max", (int64_t)width_max);
	/* "8.0 GT/s PCIe" */
	now = strtod(speed, NULL);
	own = strtod(speed_max, NULL);
	if (now > 0 && own > 0)
		kv_bool(facts, "link_below_own",
		        now < own || (width != 0 && width_max != 255 && width < width_max));
	return true;
}

static int is_controller(void *ctx, const char *name)
{
	if (strncmp(name, "nvme", 4) != 0 || name[4] == '\0' ||
	    name[4 + strspn(name + 4, "0123456789")] != '\0')
		return 0;
	snprintf(ctx, 256, "%s", name);
	return 1;
}

void device_link_facts(const char *root, const char *disk_dir, struct kv *facts)
{
	char dir[PATH_MAX], link[PATH_MAX], controller[256];

	snprintf(dir, sizeof(dir), "%s", disk_dir);
	/* With multipath the namespace hangs below the subsystem; its controllers are listed there.
	 */
	if (strstr(dir, "/nvme-subsystem/") != NULL && sysfs_parent(dir) &&
	    sysfs_each(root, dir, is_controller, controller) == 1 &&
	    snprintf(link, sizeof(link), "%s/%s", dir, controller) < (int)sizeof(link) &&
	    !sysfs_resolve(root, link, dir))
		return;
	do {
		if (read_link_at(root, dir, facts))
			return;
	} while (sysfs_parent(dir) && strcmp(dir, "/sys/devices") != 0);
}

/* ---- facts ---- */

static void add_queue(const char *dir, struct kv *facts)
{
	static const struct {
		const char *file, *key;
		uint64_t unit;
	} numbers[] = {
	    {"max_hw_sectors_kb", "max_io_bytes", 1024},
	    {"discard_max_bytes", "discard_max_bytes", 1},
	    {"optimal_io_size", "optimal_io_bytes", 1},
	    {"nr_zones", "zones", 1},
	};
	char text[64];
	uint64_t v;

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (sysfs_number("", &v, "%s/queue/%s", dir, numbers[i].file) && v != 0)
			kv_int(facts, numbers[i].key, (int64_t)(v * numbers[i].unit));
	}
	if (sysfs_line("", text, sizeof(text), "%s/queue/zoned", dir) && strcmp(text, "none") != 0)
		kv_text(facts, "zoned", text);
	if (sysfs_number("", &v, "%s/queue/io_poll", dir))
		kv_bool(facts, "polling", v != 0);
	if (sysfs_line("", text, sizeof(text), "%s/device/transport", dir))
		kv_text(facts, "transport", text);
}

static void add_partitions(const struct guard_subject *s, struct kv *facts)
{
	struct strbuf text = STRBUF_INIT;
	char size[32];
	uint64_t sectors;

	for (unsigned i = 0; i < s->family.n; i++) {
		const struct guard_relative *m = &s->family.members[i];

		if (m->relation == GUARD_PARTITION && sysfs_number("", &sectors, "%s/size", m->dir))
			strbuf_addf(&text, "%s%s (%s)", text.len > 0 ? ", " : "", m->name,
			            units_format_size(size, sizeof(size), sectors * 512));
	}
	if (text.len > 0)
		kv_text(facts, "partitions", strbuf_str(&text));
	strbuf_fini(&text);
}

static int add_point(void *ctx, const char *point)
{
	struct strbuf *text = ctx;

	strbuf_addf(text, "%s%s", text->len > 0 ? ", " : "", point);
	return 0;
}

/* What stands against writing, as far as can be told without touching the drive; "" nothing. */
static void add_use(const struct guard_subject *s, struct kv *facts)
{
	static guard_check_fn *const checks[] = {guard_check_mounted, guard_check_swap,
	                                         guard_check_holders, guard_check_partitions};
	struct strbuf mounts = STRBUF_INIT;
	struct guard_finding f;

	guard_each_mount_point(s, add_point, &mounts);
	if (mounts.len > 0)
		kv_text(facts, "mounts", strbuf_str(&mounts));
	strbuf_fini(&mounts);
	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		checks[i](s, &f);
		if (f.verdict == GUARD_PASS || f.verdict == GUARD_NOT_APPLICABLE)
			continue;
		f.text[strcspn(f.text, ";")] = '\0';
		kv_text(facts, "in_use", f.text);
		return;
	}
}

static void add_temperature(const char *path, struct kv *facts)
{
	struct counters c;

	if (kv_find(facts, "temperature_c") != NULL)
		return;
	counters_take(path, &c);
	if (c.has_temperature)
		kv_double(facts, "temperature_c", c.temperature_c);
}

int device_facts(const char *path, struct kv *facts, struct err *err)
{
	struct guard_subject s;
	char text[PATH_MAX];
	int rc = guard_subject_init(&s, "", path, false, err);
	int fd;

	if (rc != 0)
		return rc;
	if (!guard_is_device(&s)) {
		guard_subject_fini(&s);
		return err_usage(err, "%s: is a regular file; name a device", path);
	}
	kv_text(facts, "node", s.block);
	if (guard_identity(&s, text, sizeof(text)))
		kv_text(facts, "serial", text);
	add_queue(s.disk_dir, facts);
	device_link_facts("", s.disk_dir, facts);
	add_partitions(&s, facts);
	add_use(&s, facts);
	if (strncmp(sysfs_name(s.disk_dir), "nvme", 4) == 0) {
		fd = open(s.block, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			device_nvme_facts(fd, facts);
		else
			kv_text(facts, "nvme_missing", strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	add_temperature(s.block, facts);
	guard_subject_fini(&s);
	return 0;
}
