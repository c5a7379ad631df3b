#!/bin/bash
# SPDX-License-Identifier: MIT
# Names that are no target: nothing is opened, and nothing is ever made below /dev.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"

size=--file-size=65536
ghost=/dev/ioltp-no-such-device
refused - 'there is no such device' - "$ghost"
refused - 'there is no such device' - "$ghost" "$size"
refused - 'there is no such device' - /dev/./ioltp-no-such-device "$size"
refused - 'there is no such device' - /dev/ioltp-no-such-folder/disk "$size"
refused - 'there is no such device' - /dev/shm/ioltp-no-such-file "$size"
ln -s /dev devlink
ln -s "$ghost" dangling
ln -s dangling dangling2
refused - 'there is no such device' - devlink/ioltp-no-such-device "$size"
refused - 'there is no such device' - "$TMP/../../../../dev/ioltp-no-such-device" "$size"
refused - '(there is no such device|symbolic link)' - dangling "$size"
refused - '(there is no such device|symbolic link)' - dangling2 "$size"
ln -s nowhere elsewhere
refused - 'symbolic link' - elsewhere "$size"
[ ! -e nowhere ] || fail "a file was made behind a link"
[ ! -e "$ghost" ] && [ ! -e /dev/shm/ioltp-no-such-file ] || fail "something was made in /dev"

mkdir folder
refused - 'is a directory' - folder "$size"
refused - 'is a directory' - . "$size"
mkfifo pipe
refused - 'is a pipe or a socket' - pipe "$size"
refused - 'is a character device and no drive' - /dev/null "$size"
refused - 'is a character device and no drive' - /dev/zero
refused - 'its folder: No such file' - no/such/folder/file "$size"
refused - 'does not exist' - new.img
[ ! -e new.img ] || fail "a file was made without --file-size"
ln -s loop1 loop2 && ln -s loop2 loop1
refused - 'symbolic links' - loop1 "$size"
expect_status 2 "$probe" write ""
assert_grep 'empty name' "$TMP/err"

# A device number without a device behind it.
if [ "$(id -u)" = 0 ] && mknod ghostnode b 240 77 2>/dev/null; then
	refused - '/sys has no block device 240:77' - ghostnode "$size"
fi
