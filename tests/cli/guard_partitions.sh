#!/bin/bash
# SPDX-License-Identifier: MIT
# Partitions: a disk that has any is refused; one whose partition is mounted says so; a partition of a mounted disk is refused; a free
# partition beside a mounted one is not.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop
need_command addpart util-linux
need_command mkfs.ext4 e2fsprogs

empty_image disk.img 8
attach "$TMP/disk.img"
addpart "$dev" 1 2048 6144 2>/dev/null || skip "this kernel adds no partitions to loop devices"
at_exit delpart "$dev" 1
addpart "$dev" 2 8192 4096 || fail "addpart"
at_exit delpart "$dev" 2
part=${dev}p1
[ -b "$part" ] || skip "no nodes for partitions appear in /dev"
consent=--destroy-data=$TMP/disk.img
refused partitions 'has 2 partitions \(loop[0-9]+p1, loop[0-9]+p2\)' disk.img "$dev" "$consent"

# Free partitions may be written, by the serial of their disk.
destroyed_by disk.img "$part" "$consent"

mkfs.ext4 -q "$part" 2>/dev/null || fail "mkfs.ext4"
mkdir mnt
mount -o ro,noload "$part" mnt || skip "may not mount here"
refused mounted 'its partition loop[0-9]+p1 is mounted at .*/mnt' disk.img "$dev" "$consent"
refused mounted 'it is mounted at .*/mnt' disk.img "$part" "$consent"
destroyed_by disk.img "${dev}p2" "$consent"
umount mnt

# A filesystem over the whole disk, whose partitions are still known to the kernel.
empty_image whole.img
mkfs.ext4 -q whole.img 2>/dev/null || fail "mkfs.ext4"
attach "$TMP/whole.img"
mount -o ro,noload "$dev" mnt || fail "mount"
at_exit umount "$TMP/mnt"
if addpart "$dev" 1 2048 4096 2>/dev/null; then
	at_exit delpart "$dev" 1
	refused mounted 'its disk loop[0-9]+ is mounted at' whole.img "${dev}p1" --destroy-data="$TMP/whole.img"
fi
