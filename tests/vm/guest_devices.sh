#!/bin/bash
# SPDX-License-Identifier: MIT
# In the virtual machine: SCSI, null_blk and device-mapper as the guard sees them.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"

# SCSI: the serial is that of page 80h.
for _ in $(seq 100); do
	[ -b /dev/sda ] && break
	sleep 0.1
done
if [ -b /dev/sda ]; then
	serial=$(tail -c +5 /sys/block/sda/device/vpd_pg80 | tr -d ' \0')
	[ -n "$serial" ] || fail "scsi_debug has no serial"
	expect_status 0 "$IOLTP" device check /dev/sda
	assert_grep "writing needs --destroy-data=$serial\$"
	before=$(sha256sum </dev/sda)
	expect_status 2 "$probe" write /dev/sda --destroy-data="1$serial"
	assert_grep 'is not the serial of this drive' "$TMP/err"
	assert_equal "$before" "$(sha256sum </dev/sda)" "content"
	destroyed_by /dev/sda /dev/sda --destroy-data="$serial"
else
	echo "note: scsi_debug did not load"
fi

# null_blk has no serial, and holds nothing: its name.
if [ -b /dev/nullb0 ]; then
	expect_status 0 "$IOLTP" device check /dev/nullb0
	assert_grep 'writing needs --destroy-data=nullb0$'
	expect_status 2 "$probe" write /dev/nullb0 --destroy-data=nullb1
	expect_status 0 "$probe" write /dev/nullb0 --destroy-data=nullb0
	assert_grep 'size=1073741824 lba=512'
else
	echo "note: null_blk did not load"
fi

# A drive without any serial is refused: its name may be another's tomorrow.
if insmod /lib/modules/brd.ko rd_nr=1 rd_size=8192 2>/dev/null && [ -b /dev/ram0 ]; then
	refused serial 'has no serial' /dev/ram0 /dev/ram0 --destroy-data=ram0
fi

dmsetup version >/dev/null 2>&1 || fail "device-mapper did not load"
