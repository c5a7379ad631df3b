#!/bin/bash
# SPDX-License-Identifier: MIT
# In the virtual machine: raw I/O on both nodes of an NVMe drive, drives that fail and vanish in mid-run, and a PTS test. The JSON
# documents go to the host, which reads them.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"
disk=/dev/nvme0n1 generic=/dev/ng0n1 other=nvme1
grep -q IOLTP1 /sys/class/nvme/nvme0/serial || { disk=/dev/nvme1n1 generic=/dev/ng1n1 other=nvme0; }
wipefs -qa "$disk" || fail "wipefs"
consent=--destroy-data=IOLTP1

# result NAME STATUS ARGUMENT...: a run with that exit status, its document kept for the host.
result() {
	local name=$1 status=$2
	shift 2
	expect_status "$status" "$IOLTP" raw "$@" --output="/results/$name.json"
	[ -s "/results/$name.json" ] || fail "$name: no document"
}

# Reads never write, whatever the engine.
dd if=/dev/urandom of="$disk" bs=1M oflag=direct status=none count=16 || fail "dd"
before=$(sha256sum <"$disk")
result read-uring 0 "$disk" --rw=randread --time=1 --oio=4
result read-sync 0 "$disk" --rw=randread --time=1 --oio=2 --engine=sync
result read-cmd 0 "$generic" --rw=randread --time=1 --oio=4 --engine=uring_cmd
assert_equal "$before" "$(sha256sum <"$disk")" "content after reads"
for node in "$disk" "$generic"; do
	expect_status 2 "$IOLTP" raw "$node" --rw=randwrite --time=1
	assert_grep 'needs --destroy-data=SERIAL' "$TMP/err"
done
assert_equal "$before" "$(sha256sum <"$disk")" "content after refusals"

# in_force NAME: what the engine of that run says of itself.
in_force() {
	sed -n 's/.*"engine_in_force": "\([^"]*\)".*/\1/p' "/results/$1.json"
}

# Polled on a drive with queues for it, by both nodes; and where there are none it is left out and said.
grep -q 1 "/sys/block/${disk#/dev/}/queue/io_poll" || fail "the drive has no queues to poll"
result poll-uring 0 "$disk" --rw=randread --time=1 --oio=4 --iopoll
result poll-rate 0 "$disk" --rw=randread --time=1 --oio=4 --iopoll --rate=50
result poll-sqpoll 0 "$disk" --rw=randread --time=1 --oio=4 --iopoll --sqpoll
result poll-cmd 0 "$generic" --rw=randread --time=1 --oio=4 --engine=uring_cmd --iopoll
for name in poll-uring poll-rate poll-sqpoll poll-cmd; do
	[[ "$(in_force $name)" =~ ^[^\;]*IOPOLL ]] || fail "$name: IOPOLL is not in force: $(in_force $name)"
done
if [ -b /dev/sda ]; then
	result poll-none 0 /dev/sda --rw=randread --time=1 --oio=4 --iopoll
	[[ "$(in_force poll-none)" == *'not in force: '*'IOPOLL (the drive has no queues to poll)'* ]] ||
		fail "a drive that cannot be polled: $(in_force poll-none)"
fi

# Writes by both, seen in SMART.
result write-uring 0 "$disk" "$consent" --rw=write --bs=64k --oio=4 --time=2 --flush-every=8
result write-cmd 0 "$generic" "$consent" --rw=write --bs=64k --oio=4 --time=2 --engine=uring_cmd
[ "$(sha256sum <"$disk")" != "$before" ] || fail "nothing was written"
# The block layer is not asked about passthrough; what the drive holds must be seen all the same.
blockdev --flushbufs "$disk"

# writes_of NAME: how many the kernel has seen complete.
writes_of() {
	awk '{ print $5 }' "/sys/block/$1/stat"
}

# once_writing NAME COMMAND...: runs it when a run on that device is well under way.
once_writing() {
	local name=$1 from
	shift
	from=$(writes_of "$name")
	for _ in $(seq 600); do
		[ "$(writes_of "$name")" -ge $((from + 20)) ] && break
		sleep 0.1
	done
	"$@"
}

begin_to_fail() {
	dmsetup suspend --noflush flaky && dmsetup load flaky --table "0 $sectors flakey $disk 0 0 3600" && dmsetup resume flaky
}

pull_out() {
	echo 1 >"/sys/class/nvme/$other/device/remove"
}

# A drive that begins to fail, by device-mapper.
sectors=$(blockdev --getsz "$disk")
dmsetup create flaky --table "0 $sectors linear $disk 0" || fail "dmsetup"
dmsetup mknodes flaky
once_writing "dm-$((0x$(stat -c %T /dev/mapper/flaky)))" begin_to_fail &
result flaky 1 /dev/mapper/flaky --destroy-data=flaky --rw=randwrite --time=6 --rate=50 --report-interval=1
wait
dmsetup remove flaky || fail "dmsetup remove"

# A drive that is pulled out.
once_writing "${other}n2" pull_out &
result vanished 1 "/dev/${other}n2" --destroy-data=IOLTP2 --rw=randwrite --time=60 --rate=50 --report-interval=1
wait
assert_grep 'the target went away' "$TMP/err"
[ ! -e "/dev/${other}n2" ] || fail "the drive is still there"
expect_status 2 "$IOLTP" raw "/dev/${other}n2" --rw=randread --time=1
assert_grep 'there is no such device' "$TMP/err"

# A PTS test with all its steps: purge by format, preconditioning, rounds.
result pts 0 "$disk" "$consent" --pts=latency --round-time=100ms --max-rounds=2
assert_grep 'purge: format'

# null_blk keeps what is written, and tells nothing of itself.
[ ! -b /dev/nullb0 ] || result nullblk 0 /dev/nullb0 --destroy-data=nullb0 --rw=randrw --time=1
