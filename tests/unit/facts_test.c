/* SPDX-License-Identifier: MIT */
/* Facts of machines that are not here: trees of /proc and /sys laid out in a directory. */
#include "report_fixture.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/facts_priv.h"

static char root[64];
static struct drive_source source;
static struct kv facts;

/* Where fake files lie: set by each test. */
static const char *backing_path;
static unsigned backing_major, backing_minor;

static int fake_device_of(void *ctx, const char *path, unsigned *major, unsigned *minor)
{
	(void)ctx;
	if (backing_path == NULL || strcmp(path, backing_path) != 0)
		return -ENOENT;
	*major = backing_major;
	*minor = backing_minor;
	return 0;
}

static void make_parents(const char *path)
{
	char copy[512];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = copy + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		assert_true(mkdir(copy, 0755) == 0 || errno == EEXIST);
		*p = '/';
	}
}

static void put_bytes(const char *file, const char *bytes, size_t len)
{
	char path[512];
	FILE *out;

	snprintf(path, sizeof(path), "%s%s", root, file);
	make_parents(path);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, len, out), len);
	fclose(out);
}

static void put(const char *file, const char *text)
{
	put_bytes(file, text, strlen(text));
}

/* A link to a place given from the root of the tree. */
static void put_link(const char *file, const char *target)
{
	char path[512], full[512];

	snprintf(path, sizeof(path), "%s%s", root, file);
	snprintf(full, sizeof(full), "%s%s", root, target);
	make_parents(path);
	assert_int_equal(symlink(full, path), 0);
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/ioltp_facts_XXXXXX");
	assert_non_null(mkdtemp(root));
	source = (struct drive_source){.root = root, .device_of = fake_device_of};
	backing_path = NULL;
	facts = KV_INIT;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)state;
	kv_fini(&facts);
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void assert_fact(const char *key, const char *text)
{
	const struct kv_item *item = kv_find(&facts, key);

	if (item == NULL)
		fail_msg("no %s", key);
	else
		assert_string_equal(item->text, text);
}

static void assert_no_fact(const char *key)
{
	const struct kv_item *item = kv_find(&facts, key);

	if (item != NULL)
		fail_msg("%s is %s", key, item->text);
}

/* ---- drives ---- */

#define PCI  "/sys/devices/pci0000:00/0000:01:00.0"
#define NVME PCI "/nvme/nvme0/nvme0n1"

static void put_nvme(void)
{
	put(PCI "/current_link_speed", "16.0 GT/s PCIe\n");
	put(PCI "/current_link_width", "4\n");
	put(PCI "/max_link_speed", "32.0 GT/s PCIe\n");
	put(PCI "/numa_node", "1\n");
	put(PCI "/nvme/nvme0/model", "Acme Fast 990              \n");
	put(PCI "/nvme/nvme0/serial", "S4EWNX0R123456      \n");
	put(PCI "/nvme/nvme0/firmware_rev", "4B2QJXD7\n");
	put(PCI "/nvme/nvme0/numa_node", "-1\n");
	put(NVME "/size", "3907029168\n");
	put(NVME "/queue/logical_block_size", "512\n");
	put(NVME "/queue/physical_block_size", "4096\n");
	put(NVME "/queue/rotational", "0\n");
	put(NVME "/queue/nr_requests", "1023\n");
	put(NVME "/queue/write_cache", "write back\n");
	put(NVME "/queue/scheduler", "[none] mq-deadline kyber\n");
	put_link(NVME "/device", PCI "/nvme/nvme0");
	put(NVME "/nvme0n1p2/partition", "2\n");
	put(NVME "/nvme0n1p2/size", "2048\n");
	put_link("/sys/dev/block/259:0", NVME);
	put_link("/sys/dev/block/259:2", NVME "/nvme0n1p2");
}

static void assert_nvme(void)
{
	assert_fact("drive", "nvme0n1");
	assert_fact("model", "Acme Fast 990");
	assert_fact("firmware", "4B2QJXD7");
	assert_fact("capacity_bytes", "2000398934016");
	assert_fact("logical_block_bytes", "512");
	assert_fact("physical_block_bytes", "4096");
	assert_fact("scheduler", "none");
	assert_fact("write_cache", "write back");
	assert_fact("queue_depth", "1023");
	assert_fact("link_speed", "16.0 GT/s PCIe");
	assert_fact("link_width", "4");
	assert_fact("link_speed_max", "32.0 GT/s PCIe");
	/* The controller says -1: unknown; the slot knows. */
	assert_fact("numa_node", "1");
	assert_int_equal(kv_find(&facts, "rotational")->type, KV_BOOL);
	assert_int_equal(kv_find(&facts, "rotational")->i, 0);
}

static void partition(void **state)
{
	char hash[18];

	(void)state;
	put_nvme();
	facts_drive_add(&facts, &source, 259, 2, false);
	assert_fact("device", "nvme0n1p2");
	assert_fact("major_minor", "259:2");
	assert_fact("layers", "nvme0n1p2 on nvme0n1");
	assert_nvme();
	assert_no_fact("drives");
	facts_hash_serial(hash, "S4EWNX0R123456");
	assert_fact("serial", hash);
}

static void serials(void **state)
{
	char a[18], b[18];

	(void)state;
	put_nvme();
	facts_drive_add(&facts, &source, 259, 0, true);
	assert_fact("serial", "S4EWNX0R123456");
	facts_hash_serial(a, "S4EWNX0R123456");
	facts_hash_serial(b, "S4EWNX0R123457");
	/* Fixed: results of different versions are compared by it. */
	assert_string_equal(a, "hash:3b8d6333348b");
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(b), 17);
}

#define VIRTUAL "/sys/devices/virtual/block"

/* loop0 in a file on md0 (raid1) of dm-0 (LVM) on a partition, and of another drive. */
static void put_stack(void)
{
	put_nvme();
	put(VIRTUAL "/dm-0/dm/name", "vg-data\n");
	put(VIRTUAL "/dm-0/dm/uuid", "LVM-abcdef\n");
	put_link(VIRTUAL "/dm-0/slaves/nvme0n1p2", NVME "/nvme0n1p2");
	put_link("/sys/dev/block/253:0", VIRTUAL "/dm-0");
	put(VIRTUAL "/md0/md/level", "raid1\n");
	put_link(VIRTUAL "/md0/slaves/dm-0", VIRTUAL "/dm-0");
	put_link(VIRTUAL "/md0/slaves/sdb", VIRTUAL "/sdb");
	put_link("/sys/dev/block/9:0", VIRTUAL "/md0");
	put(VIRTUAL "/loop0/loop/backing_file", "/images/disk.img\n");
	put(VIRTUAL "/loop0/size", "100\n");
	put_link("/sys/dev/block/7:0", VIRTUAL "/loop0");
}

static void stack(void **state)
{
	(void)state;
	put_stack();
	backing_path = "/images/disk.img";
	backing_major = 9;
	backing_minor = 0;
	facts_drive_add(&facts, &source, 7, 0, false);
	assert_fact("device", "loop0");
	assert_fact("layers", "loop0 on md0 (raid1) on dm-0 (vg-data) on nvme0n1p2 on nvme0n1");
	assert_fact("drives", "2");
	assert_nvme();
}

static void loop_on_unknown(void **state)
{
	(void)state;
	put_stack();
	facts_drive_add(&facts, &source, 7, 0, false);
	assert_fact("drive", "loop0");
	assert_fact("capacity_bytes", "51200");
}

/* A loop device in a file on itself must not be followed for ever. */
static void loop_on_itself(void **state)
{
	(void)state;
	put_stack();
	backing_path = "/images/disk.img";
	backing_major = 7;
	backing_minor = 0;
	facts_drive_add(&facts, &source, 7, 0, false);
	assert_fact("drive", "loop0");
}

static void dm_multipath(void **state)
{
	(void)state;
	put_stack();
	put(VIRTUAL "/dm-1/dm/uuid", "mpath-3600\n");
	put_link(VIRTUAL "/dm-1/slaves/nvme0n1", NVME);
	put_link(VIRTUAL "/dm-1/slaves/sdz", NVME);
	put_link("/sys/dev/block/253:1", VIRTUAL "/dm-1");
	facts_drive_add(&facts, &source, 253, 1, false);
	assert_nvme();
	assert_no_fact("drives");
}

/* With NVMe multipath the namespace hangs below the subsystem, away from any bus. */
static void nvme_multipath(void **state)
{
	static const char subsystem[] = "/sys/devices/virtual/nvme-subsystem/nvme-subsys1";
	char file[256];

	(void)state;
	put_nvme();
	snprintf(file, sizeof(file), "%s/model", subsystem);
	put(file, "Acme Two Ports\n");
	snprintf(file, sizeof(file), "%s/serial", subsystem);
	put(file, "X1\n");
	snprintf(file, sizeof(file), "%s/nvme0n3/size", subsystem);
	put(file, "8\n");
	snprintf(file, sizeof(file), "%s/nvme0n3/device", subsystem);
	put_link(file, subsystem);
	/* The namespace's name sorts before its controller's. */
	snprintf(file, sizeof(file), "%s/nvme3", subsystem);
	put_link(file, PCI "/nvme/nvme0");
	snprintf(file, sizeof(file), "%s/nvme0n3", subsystem);
	put_link("/sys/dev/block/259:7", file);
	facts_drive_add(&facts, &source, 259, 7, true);
	assert_fact("drive", "nvme0n3");
	assert_fact("model", "Acme Two Ports");
	assert_fact("serial", "X1");
	assert_fact("link_speed", "16.0 GT/s PCIe");
	assert_fact("numa_node", "1");
}

static void sata(void **state)
{
#define ATA "/sys/devices/pci0000:00/0000:00:17.0/ata3"
#define SDA ATA "/host2/target2:0:0/2:0:0:0/block/sda"
	static const char page[] = "\0\x80\0\x14"
	                           "      WD-WX31D 12345";

	(void)state;
	put("/sys/devices/pci0000:00/0000:00:17.0/current_link_speed", "Unknown\n");
	put(ATA "/link3/ata_link/link3/sata_spd", "6.0 Gbps\n");
	put(ATA "/host2/target2:0:0/2:0:0:0/model", "WDC WD40EFRX\n");
	put(ATA "/host2/target2:0:0/2:0:0:0/rev", "0A82\n");
	put_bytes(ATA "/host2/target2:0:0/2:0:0:0/vpd_pg80", page, sizeof(page) - 1);
	put(SDA "/queue/rotational", "1\n");
	put(SDA "/queue/scheduler", "mq-deadline [bfq] none\n");
	put_link(SDA "/device", ATA "/host2/target2:0:0/2:0:0:0");
	put_link("/sys/dev/block/8:0", SDA);
	facts_drive_add(&facts, &source, 8, 0, true);
	assert_fact("model", "WDC WD40EFRX");
	assert_fact("firmware", "0A82");
	assert_fact("serial", "WD-WX31D 12345"); /* by the length of the page */
	assert_fact("link_speed", "6.0 Gbps");
	assert_fact("scheduler", "bfq");
	assert_int_equal(kv_find(&facts, "rotational")->i, 1);
	assert_no_fact("link_width");
	assert_no_fact("note");
}

static void kinds(void **state)
{
	(void)state;
	put(VIRTUAL "/zram0/size", "8\n");
	put_link("/sys/dev/block/252:0", VIRTUAL "/zram0");
	facts_drive_add(&facts, &source, 252, 0, false);
	assert_fact("model", "compressed memory");
	assert_has(kv_find(&facts, "note")->text, "memory");
	kv_fini(&facts);
	put("/sys/devices/pci0000:00/0000:00:05.0/virtio1/block/vda/serial", "disk-1\n");
	put_link("/sys/dev/block/254:0", "/sys/devices/pci0000:00/0000:00:05.0/virtio1/block/vda");
	facts_drive_add(&facts, &source, 254, 0, true);
	assert_fact("model", "virtio disk");
	assert_fact("serial", "disk-1");
	kv_fini(&facts);
	facts_drive_add(&facts, &source, 99, 9, true);
	assert_int_equal(facts.n, 0);
}

/* ---- mounts ---- */

static const char mountinfo[] =
    "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw,errors=remount-ro\n"
    "23 22 0:21 / /tmp rw,nosuid - tmpfs tmpfs rw,size=1024k\n"
    "24 22 0:40 /sub /data rw,noatime shared:9 master:2 - btrfs /dev/sdc1 rw,compress=zstd:3\n"
    "25 22 259:2 / /data/my\\040disk rw - xfs /dev/nvme0n1p2 rw\n"
    "26 22 0:50 / /over ro - ext4 /dev/sdx rw\n"
    "27 22 0:51 / /over rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w\n"
    "28 22 0:52 / /fuse rw - fuse.sshfs host:/ rw\n"
    "broken line\n";

static void mounts(void **state)
{
	struct facts_mount m;

	(void)state;
	assert_false(facts_mount_of(&source, "/data", &m));
	put("/proc/self/mountinfo", mountinfo);
	assert_true(facts_mount_of(&source, "/database", &m));
	assert_string_equal(m.point, "/");
	assert_string_equal(m.options, "rw,relatime,errors=remount-ro");
	assert_true(facts_mount_of(&source, "/data/x", &m));
	assert_string_equal(m.point, "/data");
	assert_string_equal(m.type, "btrfs");
	assert_string_equal(m.source, "/dev/sdc1");
	assert_true(facts_mount_of(&source, "/data/my disk/db", &m));
	assert_string_equal(m.point, "/data/my disk");
	assert_string_equal(m.type, "xfs");
	assert_string_equal(m.options, "rw");
	/* The second mount on a point hides the first. */
	assert_true(facts_mount_of(&source, "/over", &m));
	assert_string_equal(m.type, "overlay");
}

static void notes(void **state)
{
	static const struct {
		const char *path, *begins;
	} cases[] = {
	    {"/tmp/db", "tmpfs: this is memory"},
	    {"/over/db", "overlay: the layer of a container"},
	    {"/fuse/db", "fuse: "},
	};
	struct facts_mount m;

	(void)state;
	put("/proc/self/mountinfo", mountinfo);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(facts_mount_of(&source, cases[i].path, &m));
		facts_mount_add(&facts, &m);
		assert_begins(kv_find(&facts, "note")->text, cases[i].begins);
		kv_fini(&facts);
	}
	assert_true(facts_mount_of(&source, "/data/x", &m));
	facts_mount_add(&facts, &m);
	assert_no_fact("note");
	assert_fact("filesystem", "btrfs");
	assert_fact("mount_point", "/data");
	assert_fact("mount_options", "rw,noatime,compress=zstd:3");
}

/* ---- the host ---- */

static void host(void **state)
{
	(void)state;
	put("/proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Acme CPU  3 GHz\n"
	    "flags\t\t: fpu vme hypervisor lm\n");
	put("/proc/meminfo", "MemFree: 1 kB\nMemTotal:       16384 kB\n");
	put("/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	put("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
	put("/sys/devices/system/cpu/online", "0-3,8,10-11\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	put("/proc/self/cgroup", "0::/user/job/inner\n");
	put("/sys/fs/cgroup/user/job/inner/cpu.max", "max 100000\n");
	put("/sys/fs/cgroup/user/job/cpu.max", "150000 100000\n");
	put("/sys/fs/cgroup/user/cpu.max", "400000 100000\n");
	put("/sys/fs/cgroup/user/job/inner/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/user/memory.max", "max\n");
	facts_host_from(&facts, &source);
	assert_fact("cpu_model", "Acme CPU  3 GHz");
	assert_fact("cpus", "7");
	assert_fact("memory_bytes", "16777216");
	assert_fact("kernel", "6.1.0-13-amd64");
	assert_fact("os", "Debian GNU/Linux 12 (bookworm)");
	assert_fact("governor", "performance");
	assert_fact("clocksource", "tsc");
	assert_fact("virtualization", "kvm");
	assert_true(kv_find(&facts, "cgroup_cpus_max")->d == 1.5);
	assert_fact("cgroup_memory_max_bytes", "1073741824");
	assert_no_fact("container");
	assert_no_fact("hostname");
}

/* Control groups of version 1: each controller has its own path; "no limit" is a huge number or -1.
 */
static void host_cgroup_v1(void **state)
{
	(void)state;
	put("/proc/self/cgroup",
	    "5:cpuset:/other\n4:memory:/m\n3:cpu,cpuacct:/c/d\n1:name=systemd:/x\n");
	put("/sys/fs/cgroup/cpu/c/d/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu/c/d/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n");
	put("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
	/* Not ours. */
	put("/sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "1000\n");
	put("/sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4096\n");
	put("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "536870912\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("/.dockerenv", "");
	facts_host_from(&facts, &source);
	assert_true(kv_find(&facts, "cgroup_cpus_max")->d == 0.5);
	assert_fact("cgroup_memory_max_bytes", "536870912");
	assert_fact("container", "docker");
	assert_no_fact("cpu_model");
	assert_no_fact("virtualization");
}

static void host_metal(void **state)
{
	(void)state;
	put("/proc/cpuinfo", "vendor_id\t: AuthenticAMD\nmodel name\t: Acme\nflags\t\t: fpu\n");
	put("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	facts_host_from(&facts, &source);
	assert_fact("virtualization", "none");
	assert_no_fact("cgroup_cpus_max");
}

/* ---- this machine ---- */

static void here(void **state)
{
	char path[256];

	(void)state;
	facts_host(&facts);
	assert_non_null(kv_find(&facts, "kernel"));
	assert_non_null(kv_find(&facts, "memory_bytes"));
	assert_true(kv_find(&facts, "cpus_usable")->i >= 1);
	kv_fini(&facts);
	/* Neither the file nor its directory exists: the nearest one above does. */
	snprintf(path, sizeof(path), "%s/none/file.db", root);
	facts_device(&facts, path, false);
	assert_fact("path", path);
	assert_non_null(kv_find(&facts, "filesystem"));
	assert_non_null(kv_find(&facts, "mount_point"));
	assert_non_null(kv_find(&facts, "free_bytes"));
	kv_fini(&facts);
	facts_device(&facts, "no-such-file", false);
	assert_non_null(kv_find(&facts, "filesystem"));
	kv_fini(&facts);
	facts_device(&facts, "/dev/shm", false);
	if (kv_find(&facts, "filesystem") != NULL &&
	    strcmp(kv_find(&facts, "filesystem")->text, "tmpfs") == 0)
		assert_non_null(kv_find(&facts, "note"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(partition),      TEST(serials),      TEST(stack),          TEST(loop_on_unknown),
	    TEST(loop_on_itself), TEST(dm_multipath), TEST(nvme_multipath), TEST(sata),
	    TEST(kinds),          TEST(mounts),       TEST(notes),          TEST(host),
	    TEST(host_cgroup_v1), TEST(host_metal),   TEST(here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
