#!/bin/bash
# SPDX-License-Identifier: MIT
# NVMe, device-mapper, partitions, SCSI and null_blk for real, in one virtual machine. What it is made of: vm_lib.sh; what runs in it:
# guest_*.sh and the tests of the guard.
. "${srcdir:-.}/tests/lib.sh"
# shellcheck source=tests/vm/vm_lib.sh
. "$srcdir/tests/vm/vm_lib.sh"
vm_need
vm_kernel
vm_build

builddir=${IOLTP%/*}
vm_add "$IOLTP" "$builddir/tests/unit/guard_probe"
vm_add_tree "$srcdir/lua" "$srcdir/tests/cli" "$srcdir/tests/vm" "$srcdir/scenarios"
mkdir -p "$vm_root$srcdir/tests" "$vm_root/tests.d" && cp "$srcdir/tests/lib.sh" "$vm_root$srcdir/tests/" || fail "cp"
at=0
# IOLTP_VM_TESTS names some of them, for who works on one.
tests=${IOLTP_VM_TESTS:-vm/guest_nvme vm/guest_purge vm/guest_devices vm/guest_raw vm/guest_verdict cli/guard_holders cli/guard_mounted cli/guard_partitions \
	cli/guard_readonly cli/guard_permission cli/guard_signature}
for test in $tests; do
	at=$((at + 1))
	printf 'export IOLTP=%q srcdir=%q\nexec bash %q\n' "$IOLTP" "$srcdir" "$srcdir/tests/$test.sh" >"$vm_root/tests.d/$at-${test##*/}"
done

for disk in nvme0 nvme1a nvme1b; do
	truncate -s 16M "$disk.img" || fail "truncate"
done
vm_boot 540 \
	-device pcie-root-port,id=port0,chassis=1 \
	-drive file=nvme0.img,if=none,id=d0,format=raw -device nvme,serial=IOLTP1,drive=d0,bus=port0 \
	-drive file=nvme1a.img,if=none,id=d1a,format=raw -drive file=nvme1b.img,if=none,id=d1b,format=raw \
	-device nvme,serial=IOLTP2,id=c1 -device nvme-ns,drive=d1a,bus=c1,nsid=1 -device nvme-ns,drive=d1b,bus=c1,nsid=2

failed=0 ran=0
while read -r name status seconds; do
	ran=$((ran + 1))
	case $status in
	0) echo "$name: ok, $seconds s" ;;
	77) echo "$name: $(sed -n 's/^SKIP: //p' "results/$name.log" | tail -n 1) (skipped in part)" ;;
	*)
		echo "$name: FAILED with status $status"
		grep -m 1 '^FAIL' "results/$name.log"
		tail -n 40 "results/$name.log"
		tail -n 20 results/dmesg
		failed=1
		;;
	esac
done <results/status
need_command python3 python3
if [ -e results/pts.json ]; then
	python3 "$srcdir/tests/vm/results.py" results || fail "a document of the runs is wrong"
fi
if [ -e results/memory.compare.json ]; then
	python3 "$srcdir/tests/vm/verdicts.py" results || fail "a verdict is wrong"
fi
[ "$ran" = "$at" ] || fail "$ran tests of $at ran"
[ "$failed" = 0 ] || fail "in the virtual machine"
echo "in the virtual machine: $(tr -d '\r' <console.log | sed -n 's/^VM DONE //p') s"
