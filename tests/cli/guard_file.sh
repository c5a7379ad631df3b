#!/bin/bash
# SPDX-License-Identifier: MIT
# Regular files as targets: made, grown, locked, and never overwritten by surprise.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"

expect_status 0 "$probe" write new.img --file-size=1048576
assert_grep 'size=1048576 .*device=0 generic=0 writable=1'
assert_equal 1048576 "$(stat -c %s new.img)"
assert_equal a5a5 "$(od -An -tx1 -N2 new.img | tr -d ' ')"

# It is there now.
expect_status 2 "$probe" write new.img --file-size=1048576
assert_grep '^new.img: is there already; name a new file, or give --destroy-data=new.img' "$TMP/err"
expect_status 2 "$probe" write new.img --file-size=2097152 --destroy-data=other.img
assert_grep 'names something else' "$TMP/err"
assert_equal 1048576 "$(stat -c %s new.img)"
expect_status 2 "$probe" write new.img --destroy-data=new.img
assert_grep 'give --file-size=SIZE' "$TMP/err"
expect_status 0 "$probe" write new.img --file-size=2097152 --destroy-data="$TMP/./new.img"
assert_equal 2097152 "$(stat -c %s new.img)"
# A larger file is used in part, and not cut.
expect_status 0 "$probe" write new.img --file-size=65536 --destroy-data=new.img
assert_grep 'size=65536 '
assert_equal 2097152 "$(stat -c %s new.img)"

# Nothing in it to lose, and yet not this run's own: only files that it makes need no consent.
: >empty.img
truncate -s 1M holes.img
for file in empty.img holes.img; do
	before=$(stat -c '%s %b %Y' $file)
	expect_status 2 "$probe" write $file --file-size=65536
	assert_grep "^$file: is there already; .*--destroy-data=$file" "$TMP/err"
	expect_status 2 "$IOLTP" raw $file --file-size=65536 --rw=randwrite --time=100ms
	assert_grep "^ioltp: .*$file: is there already" "$TMP/err"
	assert_equal "$before" "$(stat -c '%s %b %Y' $file)" "$file"
	expect_status 0 "$probe" write $file --file-size=65536 --destroy-data=$file
done
# Consent for a file that is yet to be made must name it too.
expect_status 2 "$probe" write fresh.img --file-size=65536 --destroy-data=S3R1AL
[ ! -e fresh.img ] || fail "a file was made without consent"
expect_status 0 "$probe" write fresh.img --file-size=65536 --destroy-data="./fresh.img"

# Two runs on one file.
mkfifo hold
# shellcheck disable=SC2094 # a fifo
"$probe" hold new.img --file-size=65536 --destroy-data=new.img <hold >held.out 2>&1 &
holder=$!
exec 9>hold
for _ in $(seq 100); do
	[ -s held.out ] && break
	sleep 0.1
done
expect_status 2 "$probe" write new.img --file-size=65536 --destroy-data=new.img
assert_grep '(is locked|has it open for writing)' "$TMP/err"
exec 9>&-
wait "$holder"

# Reading: no consent, no writing, no making.
expect_status 0 "$probe" read new.img
assert_grep 'size=2097152 .*writable=0'
expect_status 2 "$probe" read new.img --file-size=4194304
assert_grep 'holds 2097152 bytes, fewer than' "$TMP/err"
expect_status 2 "$probe" read absent.img --file-size=4096
[ ! -e absent.img ] || fail "reading made a file"
: >nothing.img
expect_status 2 "$probe" read nothing.img

# No room: said, and nothing left behind.
tiny_filesystem 4096 "$TMP/tiny"
expect_status 1 "$probe" write tiny/big.img --file-size=1073741824
assert_grep 'tiny/big.img: (no room for 1 GiB|cannot be made)' "$TMP/err"
[ ! -e tiny/big.img ] || fail "a file without room stays behind"

need_loop
# The file behind a loop device, and a swap file.
attach "$TMP/new.img"
refused holders "is the file behind $dev" new.img new.img --file-size=65536 --destroy-data=new.img
ln new.img hard.img
refused holders "is the file behind $dev" new.img hard.img --file-size=65536 --destroy-data=hard.img
detach
# Its other name may lie anywhere.
refused content 'has 2 names \(hard links\)' new.img hard.img --file-size=65536 --destroy-data=hard.img
rm hard.img
new_image new.img 1
destroyed_by new.img new.img --file-size=65536 --destroy-data=new.img
