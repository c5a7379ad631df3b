#!/bin/bash
# SPDX-License-Identifier: MIT
# In the virtual machine: drives whose speed the kernel limits, and what `ioltp compare` says of a database on them. io.max lets a
# drive do so many writes a second and no more; dm-delay makes each take its time, however many there are side by side. The
# comparisons go to the host, which reads them.
. "${srcdir:-.}/tests/lib.sh"
disk=/dev/nullb0 # keeps what is written, in memory
[ -b "$disk" ] || fail "$disk is not there"
cgroup=/sys/fs/cgroup
mkdir -p "$cgroup"
grep -q " $cgroup cgroup2 " /proc/mounts || mount -t cgroup2 cgroup "$cgroup" || fail "no cgroup2"
echo '+io +memory' >"$cgroup/cgroup.subtree_control" || fail "no io controller"
mkdir -p "$cgroup/slow" && at_exit rmdir "$cgroup/slow"

# filesystem DEVICE: mounted, as the current folder
filesystem() {
	wipefs -qa "$1" && mkfs.ext4 -q -O ^has_journal "$1" && mkdir -p "$TMP/disk" && mount "$1" "$TMP/disk" || fail "mount $1"
	cd "$TMP/disk" || fail "cd"
}

leave_filesystem() {
	cd "$TMP" && umount "$TMP/disk" || fail "umount"
}

# story NAME PREFIX ARGS...: the run, its twin beside it, and what the two together say, in /results/NAME.compare.json
story() {
	local name=$1 prefix=$2
	shift 2
	expect_status 0 $prefix "$IOLTP" oltp_write_only --table-size=500 "$@" --capture=vfs --output="/results/$name.app.json" run
	expect_status 0 $prefix "$IOLTP" twin "/results/$name.app.json" --engine=sync --units=transaction --replay=capability,saturation \
		--time=1.5 --warmup-time=0 --direct=off --output="/results/$name.twin.json"
	expect_status 0 "$IOLTP" compare "/results/$name.app.json" "/results/$name.twin.json" --format=json
	cp "$TMP/out" "/results/$name.compare.json"
}

in_slow() {
	bash -c 'echo $$ >"$0/slow/cgroup.procs" && exec "$@"' "$cgroup" "$@"
}

# One writer on a drive that does 30 writes a second.
filesystem "$disk"
expect_status 0 "$IOLTP" oltp_write_only --table-size=500 prepare
sync
echo "$(cat "/sys/block/${disk#/dev/}/dev") wiops=30" >"$cgroup/slow/io.max" || fail "io.max"
story throttled in_slow --threads=1 --time=3
leave_filesystem

# Writers of which one may write, on a drive that takes 30 ms for each write and as many as there are at a time.
sectors=$(blockdev --getsz "$disk")
dmsetup create slow --table "0 $sectors delay $disk 0 0 $disk 0 30" || fail "dmsetup"
dmsetup mknodes slow
at_exit dmsetup remove --retry slow
filesystem /dev/mapper/slow
expect_status 0 "$IOLTP" oltp_write_only --table-size=500 prepare
sync
story delayed "" --threads=6 --time=3
leave_filesystem

# Memory: nothing but the CPU is left.
mkdir -p "$TMP/memory" && mount -t tmpfs tmpfs "$TMP/memory" || fail "tmpfs"
at_exit umount "$TMP/memory"
cd "$TMP/memory" || fail "cd"
expect_status 0 "$IOLTP" oltp_write_only --table-size=500 prepare
story memory "" --threads=1 --time=3
cd "$TMP" || fail "cd"
