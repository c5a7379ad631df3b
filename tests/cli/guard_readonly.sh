#!/bin/bash
# SPDX-License-Identifier: MIT
# Read-only devices and filesystems, and devices without a medium.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop

new_image disk.img
attach "$TMP/disk.img" -r
refused read-only 'is read-only' disk.img "$dev" --destroy-data="$TMP/disk.img"
expect_status 0 "$probe" read "$dev"

new_image soft.img
attach "$TMP/soft.img"
blockdev --setro "$dev" || fail "blockdev"
refused read-only 'is read-only' soft.img "$dev" --destroy-data="$TMP/soft.img"
blockdev --setrw "$dev" || fail "blockdev"
destroyed_by soft.img "$dev" --destroy-data="$TMP/soft.img"

# A loop device that was detached has no size.
detach
expect_status 2 "$probe" write "$dev" --destroy-data="$TMP/soft.img"
expect_status 2 "$probe" read "$dev"
assert_grep 'has no medium' "$TMP/err"

need_command mkfs.ext4 e2fsprogs
empty_image fs.img
mkfs.ext4 -q fs.img 2>/dev/null || fail "mkfs.ext4"
mkdir mnt
attach "$TMP/fs.img"
mount "$dev" mnt || skip "may not mount here; the rest has passed"
echo data >mnt/file
mount -o remount,ro mnt || fail "remount"
at_exit umount "$TMP/mnt"
refused read-only 'its filesystem is mounted read-only' mnt/file mnt/file --file-size=4096 --destroy-data=mnt/file
expect_status 2 "$probe" write mnt/new --file-size=4096
assert_grep 'mounted read-only' "$TMP/err"
