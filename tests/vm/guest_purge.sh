#!/bin/bash
# SPDX-License-Identifier: MIT
# In the virtual machine: purge through the guard, block sizes, and what a purge of one namespace leaves of another.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
disk=/dev/nvme0n1 generic=/dev/ng0n1 first=/dev/nvme1n1 second=/dev/nvme1n2
grep -q IOLTP1 /sys/class/nvme/nvme0/serial || { disk=/dev/nvme1n1 generic=/dev/ng1n1 first=/dev/nvme0n1 second=/dev/nvme0n2; }
wipefs -qa "$disk" || fail "wipefs"
size=16777216

fill() {
	dd if=/dev/urandom of="$1" bs=1M oflag=direct status=none count=$((size >> 20)) || fail "dd $1"
}

is_empty() {
	cmp -n "$size" "$1" /dev/zero
}

fill "$disk"
before=$(sha256sum <"$disk")
expect_status 2 "$IOLTP" device purge "$disk"
expect_status 2 "$IOLTP" device purge "$disk" --destroy-data=IOLTP2
assert_grep 'is not the serial' "$TMP/err"
expect_status 2 "$IOLTP" device purge "$disk" --destroy-data=IOLTP1 --method=sanitize
assert_grep "has no sanitize .*take another method" "$TMP/err"
expect_status 2 "$IOLTP" device purge "$disk" --destroy-data=IOLTP1 --method=format --lba-size=8192
assert_grep 'has no format with blocks of 8192 bytes' "$TMP/err"
expect_status 2 "$IOLTP" device purge "$disk" --destroy-data=IOLTP1 --method=discard --lba-size=4096
assert_grep 'cannot change the block size' "$TMP/err"
expect_status 2 "$IOLTP" device purge "$disk" --destroy-data=IOLTP1 --method=shred
assert_equal "$before" "$(sha256sum <"$disk")" "content after refusals"

expect_status 0 "$IOLTP" device purge "$disk" --destroy-data=IOLTP1 --format=json
assert_grep '"method": "format"'
is_empty "$disk" || fail "a formatted drive holds data"

# By the generic node, to another block size and back.
fill "$disk"
expect_status 0 "$IOLTP" device purge "$generic" --destroy-data=IOLTP1 --method=format --lba-size=4096
assert_grep "^$generic: purged by format\$"
is_empty "$disk" || fail "a formatted drive holds data"
assert_equal 4096 "$(cat "/sys/block/${disk#/dev/}/queue/logical_block_size")" "block size"
expect_status 0 "$probe" read "$generic"
assert_grep 'size=16777216 lba=4096 '
expect_status 0 "$IOLTP" device show "$disk"
assert_grep '^  lba_format_[0-9]+: +4096 bytes, metadata 0, .*\(in use\)$'
expect_status 0 "$IOLTP" device purge "$disk" --destroy-data=IOLTP1 --method=format --lba-size=512
assert_equal 512 "$(cat "/sys/block/${disk#/dev/}/queue/logical_block_size")" "block size"

# One namespace of two.
fill "$second"
before=$(sha256sum <"$second")
fill "$first"
expect_status 0 "$IOLTP" device show "$second"
assert_grep '^  namespaces: +1, 2$'
assert_grep '^  namespace: +2$'
assert_grep '^  format_reaches_all: +off$'
expect_status 0 "$IOLTP" device purge "$first" --destroy-data=IOLTP2 --method=format
is_empty "$first" || fail "a formatted namespace holds data"
assert_equal "$before" "$(sha256sum <"$second")" "the other namespace"

# A partition is no drive.
echo 'size=4M' | sfdisk -q -X gpt "$second" >/dev/null || fail "sfdisk"
for _ in $(seq 50); do
	[ -b "${second}p1" ] && break
	sleep 0.1
done
expect_status 2 "$IOLTP" device purge "$second" --destroy-data=IOLTP2
assert_grep 'has 1 partition' "$TMP/err"
expect_status 2 "$IOLTP" device purge "${second}p1" --destroy-data=IOLTP2 --method=format
assert_grep 'is a partition' "$TMP/err"
wipefs -qa "$second" && blockdev --rereadpt "$second" || fail "wipefs"

# Discard.
fill "$first"
expect_status 0 "$IOLTP" device purge "$first" --destroy-data=IOLTP2 --method=discard
assert_grep 'purged by discard'
