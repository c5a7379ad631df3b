#!/bin/bash
# SPDX-License-Identifier: MIT
# Consent: the whole serial or nothing.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop

# denied REGEX ARGUMENT...
denied() {
	local regex=$1 before
	shift
	before=$(sha256sum <disk.img)
	expect_status 2 "$probe" write "$dev" "$@"
	assert_grep "^$dev: $regex" "$TMP/err"
	sync
	assert_equal "$before" "$(sha256sum <disk.img)" "content"
}

new_image disk.img
attach "$TMP/disk.img"
expect_status 0 "$IOLTP" device check "$dev"
assert_grep "^serial +pass +writing needs --destroy-data=$TMP/disk.img\$"
assert_grep 'raw writing would be allowed$'
assert_no_grep ' (refuse|unknown) '

denied 'writing destroys .*needs --destroy-data=SERIAL'
denied '.*is not the serial' --destroy-data=
denied '.*is not the serial' --destroy-data="$dev"
denied '.*is not the serial' --destroy-data="$TMP/disk.im"
denied '.*is not the serial' --destroy-data="$TMP/disk.imgx"
denied '.*is not the serial' --destroy-data="${TMP^^}/DISK.IMG"
denied '.*is not the serial' --destroy-data=yes
denied '.*whose size is its own' --destroy-data="$TMP/disk.img" --file-size=4096
destroyed_by disk.img "$dev" --destroy-data="$TMP/disk.img"

expect_status 2 "$IOLTP" device purge "$dev" --destroy-data=WRONG --method=discard
assert_grep 'is not the serial' "$TMP/err"
expect_status 2 "$IOLTP" device purge "$dev" --destroy-data="$TMP/disk.img" --method=format
assert_grep 'is no NVMe drive' "$TMP/err"
expect_status 0 "$IOLTP" device purge "$dev" --destroy-data="$TMP/disk.img" --method=discard
assert_grep "^$dev: purged by discard\$"
cmp -n $((4 << 20)) /dev/zero "$dev" || fail "a discarded loop device still holds data"

# Reading needs no consent and claims nothing.
expect_status 0 "$probe" read "$dev"
assert_grep 'size=4194304 lba=512 .*direct=1 device=1 generic=0 writable=0'
