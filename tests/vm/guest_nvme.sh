#!/bin/bash
# SPDX-License-Identifier: MIT
# In the virtual machine: what an NVMe drive is, and the guard on its two nodes.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
disk=/dev/nvme0n1 generic=/dev/ng0n1
for _ in $(seq 100); do
	[ -e "$generic" ] && [ -e /dev/nvme1n2 ] && break
	sleep 0.1
done
grep -q IOLTP1 /sys/class/nvme/nvme0/serial || { disk=/dev/nvme1n1 generic=/dev/ng1n1; }

expect_status 0 "$IOLTP" device list
assert_grep "^$disk +16 MiB +QEMU NVMe Ctrl +IOLTP1 "
[ "$(grep -c 'QEMU NVMe Ctrl' "$TMP/out")" = 3 ] || fail "three namespaces are to be listed"

for node in "$disk" "$generic"; do
	expect_status 0 "$IOLTP" device show "$node"
	assert_grep "^  path: +$node\$"
	assert_grep "^  node: +$disk\$"
	assert_grep '^  serial: +IOLTP1$'
	assert_grep '^  model: +QEMU NVMe Ctrl$'
	assert_grep '^  firmware: +[0-9]'
	assert_grep '^  nvme_version: +1\.'
	assert_grep '^  capacity_bytes: +16777216$'
	assert_grep '^  namespace_bytes: +16777216$'
	assert_grep '^  namespaces: +1$'
	assert_grep '^  lba_format_0: +512 bytes, metadata 0, .*\(in use\)$'
	assert_grep '^  lba_format_[0-9]+: +4096 bytes, metadata 0, '
	assert_grep '^  power_state_0: +25 W'
	assert_grep '^  health: +good$'
	assert_grep '^  temperature_c: +50$'
	assert_grep '^  purge_methods: +format'
	assert_grep '^  write_cache: +write back$'
	assert_grep '^  ocp_missing: +the drive has no such log$'
	assert_grep '^  link_speed: +[0-9.]+ GT/s'
done
expect_status 0 "$IOLTP" device show "$disk" --format=json
assert_grep '"smart_bytes_written": [0-9]+'
assert_grep '"schema": "ioltp-devices-1"'
expect_status 2 "$IOLTP" device show /dev/nvme0
assert_grep 'not the controller' "$TMP/err"

for node in "$disk" "$generic"; do
	expect_status 0 "$IOLTP" device check "$node"
	assert_grep '^serial +pass +writing needs --destroy-data=IOLTP1$'
	assert_grep "^$node: raw writing would be allowed\$"
done

# Both nodes give the facts that a run needs.
expect_status 0 "$probe" read "$disk"
assert_grep 'size=16777216 lba=512 .*direct=1 device=1 generic=0 writable=0 nsid=0 serial=IOLTP1'
expect_status 0 "$probe" read "$generic"
assert_grep 'size=16777216 lba=512 .*device=1 generic=1 writable=0 nsid=1 serial=IOLTP1'

for node in "$disk" "$generic"; do
	for serial in IOLTP2 ioltp1 IOLTP IOLTP11 ""; do
		expect_status 2 "$probe" write "$node" --destroy-data="$serial"
		assert_grep 'is not the serial of this drive' "$TMP/err"
	done
	expect_status 2 "$probe" write "$node"
	assert_grep 'needs --destroy-data=SERIAL' "$TMP/err"
done
cmp -n 16777216 "$disk" /dev/zero || fail "a refusal wrote"

# SMART counts what is written.
written() {
	"$IOLTP" device show "$disk" | sed -n 's/^  smart_bytes_written: *//p'
}
before=$(written)
dd if=/dev/urandom of="$disk" bs=1M count=4 oflag=direct status=none || fail "dd"
after=$(written)
[ "$((after - before))" -ge 4000000 ] && [ "$((after - before))" -le 6000000 ] || fail "SMART: $before before, $after after 4 MiB"
destroyed_by "$disk" "$disk" --destroy-data=IOLTP1

# Who holds the generic device holds the drive, and the other way round.
mkfifo hold
for pair in "$generic $disk" "$disk $generic"; do
	# shellcheck disable=SC2086 # two words
	set -- $pair
	"$probe" hold "$1" --destroy-data=IOLTP1 <hold >held.out 2>&1 &
	exec 9>hold
	for _ in $(seq 200); do
		[ -s held.out ] && break
		sleep 0.1
	done
	assert_grep 'writable=1' held.out
	refused opened "'guard_probe' \(process [0-9]+\) has it open for writing" "$disk" "$2" --destroy-data=IOLTP1
	assert_grep '^exclusive +refuse '
	exec 9>&-
	wait
done

# Who writes through the generic device without a claim writes to the drive all the same.
exec 8<>"$generic"
refused opened 'has it open for writing' "$disk" "$disk" --destroy-data=IOLTP1
exec 8>&-

# A mounted filesystem stands before both.
mkfs.ext4 -q -F "$disk" 2>/dev/null || fail "mkfs.ext4"
for node in "$disk" "$generic"; do
	refused signature 'holds ext4' "$disk" "$node" --destroy-data=IOLTP1
done
mkdir mnt
mount -o ro,noload "$disk" mnt || fail "mount"
at_exit umount "$TMP/mnt"
for node in "$disk" "$generic"; do
	refused mounted "it is mounted at $TMP/mnt" "$disk" "$node" --destroy-data=IOLTP1
	expect_status 2 "$IOLTP" device purge "$node" --destroy-data=IOLTP1
	assert_grep 'mounted at' "$TMP/err"
done
assert_equal ext4 "$(blkid -p -o value -s TYPE "$disk")" "what is on it"
