#!/bin/bash
# SPDX-License-Identifier: MIT
# What an unprivileged user may not look at is refused for writing, and reading needs nothing but read permission.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
need_loop
need_command setpriv util-linux
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${as_nobody[@]}" true 2>/dev/null || skip "may not become another user here"

# The program and the folder must be readable for that user.
cp "$probe" "$IOLTP" "$TMP/" || fail "cp"
chmod 755 "$TMP" "$TMP/guard_probe" "$TMP/ioltp"
new_image disk.img
chmod 644 disk.img
attach "$TMP/disk.img"
mode=$(stat -c %a "$dev") owner=$(stat -c %u:%g "$dev")
at_exit chown "$owner" "$dev"
at_exit chmod "$mode" "$dev"
consent=--destroy-data=$TMP/disk.img

before=$(sha256sum <disk.img)
chmod 600 "$dev"
expect_status 2 "${as_nobody[@]}" ./guard_probe write "$dev" "$consent"
assert_grep "^$dev: refused: .*(ermission|not permitted)" "$TMP/err"
expect_status 2 "${as_nobody[@]}" ./guard_probe read "$dev"
assert_grep 'permission denied for reading' "$TMP/err"
expect_status 2 "${as_nobody[@]}" ./ioltp device check "$dev"
assert_grep '^signature +unknown .*ermission'

# Permission to write is not enough: the content must be seen.
chown 65534 "$dev" && chmod 200 "$dev"
expect_status 2 "${as_nobody[@]}" ./guard_probe write "$dev" "$consent"
assert_grep 'refused: ' "$TMP/err"
# Read permission is enough to read, and not to write.
chmod 400 "$dev"
expect_status 0 "${as_nobody[@]}" ./guard_probe read "$dev"
expect_status 2 "${as_nobody[@]}" ./guard_probe write "$dev" "$consent"
assert_grep 'permission denied (for writing|to look at)' "$TMP/err"
# With both: other users' processes cannot be looked at, and one of them may write to it.
chmod 600 "$dev"
expect_status 2 "${as_nobody[@]}" ./guard_probe write "$dev" "$consent"
assert_grep 'whether a process writes to it cannot be told: permission denied' "$TMP/err"
expect_status 2 "${as_nobody[@]}" ./ioltp device check "$dev"
assert_grep '^opened +unknown .*run as root'
sync
assert_equal "$before" "$(sha256sum <disk.img)" "content"

# Files: one that may not be read, one in a folder that may not be entered.
mkdir mine closed
chmod 777 mine
chmod 700 closed
echo secret >closed/file
echo mine >mine/file
chown 65534 mine/file
chmod 200 mine/file
expect_status 2 "${as_nobody[@]}" ./guard_probe write mine/file --file-size=4096 --destroy-data=mine/file
assert_grep 'ermission' "$TMP/err"
expect_status 2 "${as_nobody[@]}" ./guard_probe write closed/file --file-size=4096 --destroy-data=closed/file
assert_grep 'permission denied' "$TMP/err"
assert_equal secret "$(cat closed/file)"
assert_equal mine "$(cat mine/file)"
expect_status 0 "${as_nobody[@]}" ./guard_probe write mine/new --file-size=4096
# Of a file the kernel tells whether somebody writes to it, whoever that is.
expect_status 0 "${as_nobody[@]}" ./guard_probe write mine/new --file-size=4096 --destroy-data=mine/new
exec 8>>mine/new
expect_status 2 "${as_nobody[@]}" ./guard_probe write mine/new --file-size=4096 --destroy-data=mine/new
assert_grep 'whether a process writes to it cannot be told' "$TMP/err"
exec 8>&-
