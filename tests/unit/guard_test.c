/* SPDX-License-Identifier: MIT */
/* The guard's checks on laid out /sys and /proc: what this machine does not have, and what cannot
 * be read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sysfs.h"
#include "raw/guard_priv.h"
#include "sys_fixture.h"

struct fixture {
	struct tree_root r;
	struct guard_subject s;
	struct guard_finding f;
};

#define NO_MOUNTS "21 1 0:20 / /proc rw - proc proc rw\n"

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	root_new(&x->r);
	root_block(&x->r, "/devices/pci/nvme/nvme0/nvme0n1", "259:0", 0);
	root_block(&x->r, "/devices/pci/nvme/nvme0/nvme0n1/nvme0n1p1", "259:1", 1);
	root_block(&x->r, "/devices/pci/nvme/nvme0/nvme0n1/nvme0n1p2", "259:2", 2);
	root_block(&x->r, "/devices/pci/ata/sda", "8:0", 0);
	root_block(&x->r, "/devices/pci/ata/sdb", "8:16", 0);
	root_block(&x->r, "/devices/virtual/dm-0", "253:0", 0);
	root_block(&x->r, "/devices/virtual/dm-1", "253:1", 0);
	root_text(&x->r, "/proc/self/mountinfo", NO_MOUNTS);
	root_text(&x->r, "/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	*state = x;
	return 0;
}

static void drop(struct fixture *x)
{
	guard_family_fini(&x->s.family);
	x->s = (struct guard_subject){0};
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	drop(x);
	root_free(&x->r);
	free(x);
	return 0;
}

static struct guard_subject *judge(struct fixture *x, unsigned major, unsigned minor)
{
	char dir[PATH_MAX];

	drop(x);
	x->s = (struct guard_subject){
	    .root = x->r.root, .given = "target", .kind = GUARD_BLOCK, .fd = -1, .hold_fd = -1};
	snprintf(x->s.block, sizeof(x->s.block), "/dev/target");
	assert_int_equal(guard_family_init(&x->s.family, x->r.root, major, minor), 0);
	assert_true(sysfs_block_dir(x->r.root, major, minor, dir));
	sysfs_disk_dir(x->r.root, dir, x->s.disk_dir);
	return &x->s;
}

static void expect(struct fixture *x, guard_check_fn *check, enum guard_verdict verdict,
                   const char *part)
{
	memset(&x->f, 0, sizeof(x->f));
	check(&x->s, &x->f);
	if (x->f.verdict != verdict || strstr(x->f.text, part) == NULL)
		fail_msg("verdict %d, \"%s\"; wanted %d, \"%s\"", x->f.verdict, x->f.text, verdict,
		         part);
}

static bool has(const struct fixture *x, unsigned major, unsigned minor,
                enum guard_relation relation)
{
	const struct guard_relative *m = guard_family_find(&x->s.family, major, minor);

	return m != NULL && m->relation == relation;
}

/* ---- the family ---- */

static void test_family_of_a_disk(void **state)
{
	struct fixture *x = *state;

	judge(x, 259, 0);
	assert_int_equal(x->s.family.n, 3);
	assert_true(has(x, 259, 0, GUARD_SELF));
	assert_true(has(x, 259, 1, GUARD_PARTITION));
	assert_true(has(x, 259, 2, GUARD_PARTITION));
	assert_string_equal(x->s.family.unknown, "");
	expect(x, guard_check_partitions, GUARD_REFUSE, "2 partitions (nvme0n1p1, nvme0n1p2)");
}

static void test_family_of_a_partition_leaves_siblings_out(void **state)
{
	struct fixture *x = *state;

	judge(x, 259, 2);
	assert_int_equal(x->s.family.n, 2);
	assert_true(has(x, 259, 2, GUARD_SELF));
	assert_true(has(x, 259, 0, GUARD_DISK));
	expect(x, guard_check_partitions, GUARD_PASS, "no partitions");
}

static void test_holders_of_holders(void **state)
{
	struct fixture *x = *state;

	root_link(&x->r, "/sys/devices/pci/nvme/nvme0/nvme0n1/nvme0n1p1/holders/dm-0",
	          "/sys/devices/virtual/dm-0");
	root_link(&x->r, "/sys/devices/virtual/dm-0/holders/dm-1", "/sys/devices/virtual/dm-1");
	root_text(&x->r, "/sys/devices/virtual/dm-0/dm/name", "crypt\n");
	judge(x, 259, 0);
	assert_true(has(x, 253, 0, GUARD_ABOVE));
	assert_true(has(x, 253, 1, GUARD_ABOVE));
	expect(x, guard_check_holders, GUARD_REFUSE, "dm-0 (crypt) is built on it");
	/* The sibling of the partition that is held is free. */
	judge(x, 259, 2);
	expect(x, guard_check_holders, GUARD_PASS, "nothing is built on it");
	/* The upper one does not use itself. */
	judge(x, 253, 1);
	expect(x, guard_check_holders, GUARD_PASS, "nothing");
	/* A holder of the disk holds each partition. */
	root_link(&x->r, "/sys/devices/pci/nvme/nvme0/nvme0n1/holders/dm-1",
	          "/sys/devices/virtual/dm-1");
	judge(x, 259, 2);
	expect(x, guard_check_holders, GUARD_REFUSE, "dm-1");
}

static void test_bcache_and_md(void **state)
{
	struct fixture *x = *state;

	root_dir(&x->r, "/sys/devices/pci/ata/sda/bcache");
	judge(x, 8, 0);
	expect(x, guard_check_holders, GUARD_REFUSE, "it belongs to bcache");
	root_block(&x->r, "/devices/virtual/md0", "9:0", 0);
	root_text(&x->r, "/sys/devices/virtual/md0/md/level", "raid1\n");
	root_link(&x->r, "/sys/devices/pci/ata/sdb/holders/md0", "/sys/devices/virtual/md0");
	judge(x, 8, 16);
	expect(x, guard_check_holders, GUARD_REFUSE, "md0 (raid1) is built on it");
}

/* One drive on two controllers that no multipath has bundled. */
static void test_second_path(void **state)
{
	struct fixture *x = *state;

	root_text(&x->r, "/sys/devices/pci/ata/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
	root_text(&x->r, "/sys/devices/pci/ata/sdb/device/wwid", "naa.5000c500a1b2c3d4\n");
	root_block(&x->r, "/devices/pci/ata/sdb/sdb1", "8:17", 1);
	root_text(&x->r, "/proc/self/mountinfo", "30 1 8:17 / /mnt rw - ext4 /dev/sdb1 rw\n");
	judge(x, 8, 0);
	assert_true(has(x, 8, 16, GUARD_ALIAS));
	expect(x, guard_check_mounted, GUARD_REFUSE,
	       "the same drive as sdb1 is mounted at /mnt (ext4)");
	root_text(&x->r, "/sys/devices/pci/ata/sdb/device/wwid", "naa.5000c500a1b2c3d5\n");
	judge(x, 8, 0);
	expect(x, guard_check_mounted, GUARD_PASS, "not mounted");
}

static void test_family_that_cannot_be_read(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];

	root_path(&x->r, path, "/sys/devices/pci/ata/sda/holders");
	rmdir(path);
	judge(x, 8, 0);
	expect(x, guard_check_family, GUARD_UNKNOWN, "cannot be told");
	/* A holder that is named and cannot be looked at. */
	root_link(&x->r, "/sys/devices/pci/ata/sdb/holders/dm-9", "/sys/devices/virtual/dm-9");
	judge(x, 8, 16);
	expect(x, guard_check_family, GUARD_UNKNOWN, "dm-9");
	/* No entry at all: nothing can be said, so nothing passes. */
	drop(x);
	x->s =
	    (struct guard_subject){.root = x->r.root, .kind = GUARD_BLOCK, .fd = -1, .hold_fd = -1};
	guard_family_init(&x->s.family, x->r.root, 77, 7);
	expect(x, guard_check_family, GUARD_UNKNOWN, "77:7");
	expect(x, guard_check_holders, GUARD_UNKNOWN, "/sys");
	expect(x, guard_check_partitions, GUARD_UNKNOWN, "/sys");
	expect(x, guard_check_read_only, GUARD_UNKNOWN, "/sys");
}

/* ---- mounts ---- */

static void test_mountinfo(void **state)
{
	struct fixture *x = *state;

	root_text(&x->r, "/proc/self/mountinfo",
	          "21 1 0:20 / /proc rw - proc proc rw\n"
	          "30 1 259:1 /sub /mnt/with\\040blank rw,noatime shared:1 master:2 - xfs "
	          "/dev/nvme0n1p1 rw\n");
	judge(x, 259, 0);
	expect(x, guard_check_mounted, GUARD_REFUSE,
	       "its partition nvme0n1p1 is mounted at /mnt/with blank (xfs); unmount it");
	judge(x, 259, 1);
	expect(x, guard_check_mounted, GUARD_REFUSE, "it is mounted");
	judge(x, 259, 2);
	expect(x, guard_check_mounted, GUARD_PASS, "is not mounted");
	judge(x, 8, 0);
	expect(x, guard_check_mounted, GUARD_PASS, "is not mounted");
}

static void test_mountinfo_of_others(void **state)
{
	struct fixture *x = *state;

	root_text(&x->r, "/proc/4711/mountinfo",
	          NO_MOUNTS "31 1 8:0 / /data rw - ext4 /dev/sda rw\n");
	judge(x, 8, 0);
	expect(x, guard_check_mounted, GUARD_REFUSE, "(mount namespace of process 4711)");
	judge(x, 8, 16);
	expect(x, guard_check_mounted, GUARD_PASS, "is not mounted");
}

static void test_mountinfo_that_cannot_be_read(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];

	judge(x, 8, 0);
	root_text(&x->r, "/proc/self/mountinfo", NO_MOUNTS "garbage\n");
	expect(x, guard_check_mounted, GUARD_UNKNOWN, "cannot be told");
	root_path(&x->r, path, "/proc/self/mountinfo");
	unlink(path);
	expect(x, guard_check_mounted, GUARD_UNKNOWN, "is /proc mounted?");
	expect(x, guard_check_database, GUARD_UNKNOWN, "cannot be told");
}

/* A member of a btrfs of several drives: the mount names only the first, by a number of its own. */
static void test_btrfs_members(void **state)
{
	struct fixture *x = *state;

	root_text(&x->r, "/proc/self/mountinfo",
	          NO_MOUNTS "32 1 0:50 / /data rw - btrfs /dev/absent rw\n");
	root_link(&x->r, "/sys/fs/btrfs/0f-1e/devices/sda", "/sys/devices/pci/ata/sda");
	root_link(&x->r, "/sys/fs/btrfs/0f-1e/devices/nvme0n1p2",
	          "/sys/devices/pci/nvme/nvme0/nvme0n1/nvme0n1p2");
	root_dir(&x->r, "/sys/fs/btrfs/features");
	judge(x, 8, 0);
	expect(x, guard_check_mounted, GUARD_REFUSE, "it belongs to a mounted btrfs");
	judge(x, 259, 0);
	expect(x, guard_check_mounted, GUARD_REFUSE,
	       "its partition nvme0n1p2 belongs to a mounted btrfs");
	judge(x, 8, 16);
	expect(x, guard_check_mounted, GUARD_PASS, "is not mounted");
}

/* ---- swap ---- */

static void test_swap(void **state)
{
	struct fixture *x = *state;

	root_text(&x->r, "/proc/swaps",
	          "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	          "/dev/nvme0n1p2                          partition\t16380\t\t0\t\t-2\n");
	judge(x, 259, 0);
	expect(x, guard_check_swap, GUARD_REFUSE, "its partition nvme0n1p2 is in use as swap");
	judge(x, 259, 2);
	expect(x, guard_check_swap, GUARD_REFUSE, "it is in use as swap; 'swapoff /dev/nvme0n1p2'");
	judge(x, 259, 1);
	expect(x, guard_check_swap, GUARD_PASS, "is not in use as swap");
	/* Another namespace's node, unknown here: it may be ours. */
	root_text(&x->r, "/proc/swaps",
	          "Filename\tType\tSize\tUsed\tPriority\n/dev/mapper/vg-swap partition 1 0 -2\n");
	expect(x, guard_check_swap, GUARD_UNKNOWN, "/dev/mapper/vg-swap");
	/* A swap file lies in a mounted filesystem, which is found as such. */
	root_text(&x->r, "/proc/swaps",
	          "Filename\tType\tSize\tUsed\tPriority\n/swap\\040file file 1 0 -2\n");
	expect(x, guard_check_swap, GUARD_PASS, "not in use");
}

static void test_swap_without_proc(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];

	judge(x, 8, 0);
	root_path(&x->r, path, "/proc/swaps");
	unlink(path);
	expect(x, guard_check_swap, GUARD_PASS, "not in use"); /* a kernel without swap */
	root_path(&x->r, path, "/proc/self/mountinfo");
	unlink(path);
	root_path(&x->r, path, "/proc/self");
	rmdir(path);
	expect(x, guard_check_swap, GUARD_UNKNOWN, "is /proc mounted?");
}

/* ---- processes, claims, read-only ---- */

static void test_opened_by_a_process(void **state)
{
	struct fixture *x = *state;

	judge(x, 8, 0);
	expect(x, guard_check_opened, GUARD_PASS, "no process writes to it");
	x->s.root = "/nonexistent";
	expect(x, guard_check_opened, GUARD_UNKNOWN, "is /proc mounted?");
}

static void test_exclusive(void **state)
{
	struct fixture *x = *state;

	judge(x, 8, 0);
	x->s.hold_error = EBUSY;
	expect(x, guard_check_exclusive, GUARD_REFUSE, "in use");
	x->s.hold_error = EACCES;
	expect(x, guard_check_exclusive, GUARD_UNKNOWN, "permission denied");
	x->s.hold_error = ENOMEDIUM;
	expect(x, guard_check_exclusive, GUARD_REFUSE, "no medium");
	x->s.hold_error = EIO;
	expect(x, guard_check_exclusive, GUARD_UNKNOWN, "Input/output error");
}

static void test_read_only(void **state)
{
	struct fixture *x = *state;

	judge(x, 8, 0);
	expect(x, guard_check_read_only, GUARD_UNKNOWN, "/sys does not tell");
	root_text(&x->r, "/sys/devices/pci/ata/sda/ro", "1\n");
	expect(x, guard_check_read_only, GUARD_REFUSE, "is read-only");
	root_text(&x->r, "/sys/devices/pci/ata/sda/ro", "0\n");
	expect(x, guard_check_read_only, GUARD_PASS, "takes writes");
}

static void test_unreadable_content_refuses(void **state)
{
	struct fixture *x = *state;

	judge(x, 8, 0);
	x->s.fd_error = EACCES;
	expect(x, guard_check_signature, GUARD_UNKNOWN, "Permission denied");
}

/* ---- identity ---- */

static void expect_identity(struct fixture *x, const char *want)
{
	char text[256];

	assert_true(guard_identity(&x->s, text, sizeof(text)));
	assert_string_equal(text, want);
}

static void test_serials(void **state)
{
	static const char page[] = "\0\x80\0\x14      Z1X2C3V4        ";
	struct fixture *x = *state;
	struct err err = ERR_INIT;
	char text[256];

	judge(x, 259, 2);
	assert_false(guard_identity(&x->s, text, sizeof(text)));
	expect(x, guard_check_serial, GUARD_REFUSE, "no serial");
	assert_int_equal(guard_judge_consent(&x->s, "", &err), -EINVAL);
	/* NVMe: padded with blanks, of the drive for its partitions too. */
	root_text(&x->r, "/sys/devices/pci/nvme/nvme0/nvme0n1/device/serial",
	          "S5GXNX0W123456      \n");
	expect_identity(x, "S5GXNX0W123456");
	err = ERR_INIT;
	assert_int_equal(guard_judge_consent(&x->s, "S5GXNX0W123456", &err), 0);
	assert_int_equal(guard_judge_consent(&x->s, "S5GXNX0W12345", &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not the serial of this drive"));
	err = ERR_INIT;
	assert_int_equal(guard_judge_consent(&x->s, NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--destroy-data=SERIAL"));
	assert_int_equal(err.status, EXIT_USAGE);
	/* SCSI and SATA: the page, with its own length. */
	judge(x, 8, 0);
	root_put(&x->r, "/sys/devices/pci/ata/sda/device/vpd_pg80", page, sizeof(page) - 1);
	expect_identity(x, "Z1X2C3V4");
	/* None, but a world wide name. */
	judge(x, 8, 16);
	root_text(&x->r, "/sys/devices/pci/ata/sdb/device/wwid", "naa.5000c500a1b2c3d4\n");
	expect_identity(x, "naa.5000c500a1b2c3d4");
	/* Device-mapper: its name. */
	judge(x, 253, 0);
	root_text(&x->r, "/sys/devices/virtual/dm-0/dm/name", "vg-test\n");
	expect_identity(x, "vg-test");
}

static void test_made_devices(void **state)
{
	struct fixture *x = *state;

	root_block(&x->r, "/devices/virtual/nullb0", "252:0", 0);
	judge(x, 252, 0);
	expect_identity(x, "nullb0");
	root_block(&x->r, "/devices/virtual/loop3", "7:3", 0);
	root_text(&x->r, "/sys/devices/virtual/loop3/loop/backing_file", "/tmp/a disk.img\n");
	judge(x, 7, 3);
	expect_identity(x, "/tmp/a disk.img");
	root_block(&x->r, "/devices/virtual/md0", "9:0", 0);
	root_text(&x->r, "/sys/devices/virtual/md0/md/uuid", "d0b1-22\n");
	judge(x, 9, 0);
	expect_identity(x, "d0b1-22");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_family_of_a_disk, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_family_of_a_partition_leaves_siblings_out, setup,
	                                    teardown),
	    cmocka_unit_test_setup_teardown(test_holders_of_holders, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_bcache_and_md, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_second_path, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_family_that_cannot_be_read, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_mountinfo, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_mountinfo_of_others, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_mountinfo_that_cannot_be_read, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_btrfs_members, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_swap, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_swap_without_proc, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_opened_by_a_process, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_exclusive, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_read_only, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_unreadable_content_refuses, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_serials, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_made_devices, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
