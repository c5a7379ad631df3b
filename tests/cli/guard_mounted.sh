#!/bin/bash
# SPDX-License-Identifier: MIT
# A mounted device is refused by every name it has, from every mount namespace, and with what lies on or around it.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop
need_command mkfs.ext4 e2fsprogs

new_image plain.img
attach "$TMP/plain.img"
destroyed_by plain.img "$dev" --destroy-data="$TMP/plain.img"

empty_image fs.img
mkfs.ext4 -q fs.img 2>/dev/null || fail "mkfs.ext4"
attach "$TMP/fs.img"
mkdir mnt "mnt 2"
mount -o ro,noload "$dev" "$TMP/mnt 2" || skip "may not mount here"
at_exit umount "$TMP/mnt 2"
consent=--destroy-data=$TMP/fs.img

refused mounted 'mounted at .*/mnt 2 \(ext4\)' fs.img "$dev" "$consent"
ln -s "$dev" link
ln -s link link2
refused mounted 'mounted at .*/mnt 2' fs.img "$TMP/link2" "$consent"
mknod other b 7 "${dev#/dev/loop}" 2>mknod.err || fail "mknod: $(cat mknod.err)"
refused mounted 'mounted at .*/mnt 2' fs.img "$TMP/other" "$consent"
mkdir sub
refused mounted 'mounted at' fs.img "sub/../link" "$consent"

# The same file by a second loop device.
first=$dev
attach "$TMP/fs.img"
[ "$dev" != "$first" ] || fail "losetup reused $dev"
refused mounted "the same drive as ${first#/dev/} is mounted" fs.img "$dev" "$consent"

# Mounted in another namespace only.
empty_image away.img
mkfs.ext4 -q away.img 2>/dev/null || fail "mkfs.ext4"
attach "$TMP/away.img"
if unshare -m true 2>/dev/null; then
	mkfifo go
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c 'mount -o ro,noload "$1" "$2" && echo mounted && exec cat "$3" >/dev/null' sh "$dev" "$TMP/mnt" go >away.out &
	away=$!
	exec 9>go
	for _ in $(seq 100); do
		[ -s away.out ] && break
		sleep 0.1
	done
	[ -s away.out ] || fail "mounting in a namespace of its own"
	! grep -q "$TMP/mnt " /proc/self/mountinfo || fail "the mount shows here too"
	refused mounted 'mounted at .*/mnt .*mount namespace of process' away.img "$dev" --destroy-data="$TMP/away.img"
	exec 9>&-
	wait "$away"
else
	echo "note: no mount namespaces here; that part is not tested"
fi
