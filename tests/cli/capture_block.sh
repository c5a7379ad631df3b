#!/bin/bash
# SPDX-License-Identifier: MIT
# Capture by block tracepoints, on loop devices: each request of known number and size is seen, the kernel's own count says the same, a
# killed run leaves nothing behind the next start, and SQLite's VFS and the drive agree on the same run.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"
. "$srcdir/tests/cli/capture_lib.sh"
need_tracing
need_command fio fio
need_command mkfs.ext4 e2fsprogs

instances=/sys/kernel/tracing/instances
loop_device 128

# watch NAME SECONDS: captures the device in the background, while others use it; `watched` waits for its document.
watch() {
	rm -f "$1.json" "$1.json.trace"
	"$IOLTP" raw --engine=null --rate=10 --time="$2" --report-interval=100ms --capture=block --device="$loop" --output="$1.json" \
		--verbosity=1 >watch.out 2>&1 &
	watcher=$!
	# An interval has passed: the window is open.
	for _ in $(seq 200); do
		grep -qs '^\[ ' watch.out && break
		sleep 0.05
	done
	grep -qs 1 "$instances/ioltp-$watcher/events/block/block_rq_issue/enable" || fail "no tracepoint is enabled: $(cat watch.out)"
}
watched() {
	wait "$watcher" || fail "the watching run: $(cat watch.out)"
	cp "$1.json" out.json
	fits_schema
	[ ! -e "$instances/ioltp-$watcher" ] || fail "the tracing instance stays after the run"
}

# ---- N reads and M writes of known sizes ----
watch fio 4
fio --name=x --filename="$loop" --direct=1 --rw=randread --bs=4k --number_ios=300 --size=64M --randseed=1 >/dev/null || fail "fio"
fio --name=x --filename="$loop" --direct=1 --rw=randwrite --bs=8k --number_ios=200 --size=64M --randseed=2 --fsync=20 >/dev/null || fail "fio"
watched fio
assert_equal block "$(value 'doc["capture"]["source"]')"
assert_equal "${loop#/dev/}" "$(value 'doc["capture"]["device"]')"
assert_equal 0 "$(value 'doc["capture"]["dropped"]')"
assert_equal 300 "$(in_trace fio.json.trace 'sum(e["size"] == 4096 for e in t.of("read"))')" "reads"
assert_equal 200 "$(in_trace fio.json.trace 'sum(e["size"] == 8192 for e in t.of("write"))')" "writes"
flushes=$(in_trace fio.json.trace 'len(t.of("flush"))')
[ "$flushes" -ge 9 ] && [ "$flushes" -le 12 ] || fail "$flushes flushes instead of 10 or so"
assert_equal 0 "$(in_trace fio.json.trace 'sum(e["offset"] % 4096 != 0 or e["offset"] >= 128 << 20 for e in t.of("read") + t.of("write"))')"
assert_equal 134217728 "$(in_trace fio.json.trace 't.files[0][1]')" "size of the device"
assert_equal 1 "$(in_trace fio.json.trace 'max(e["depth"] for e in t.of("write") if e["size"] == 8192)')" "writes at a time"
# What the kernel counted over the same time.
# (A flush counts there as a write of nothing too.)
within "$(value 'doc["capture"]["device_stat"]["reads"]')" "$(value 'doc["capture"]["io"]["reads"]')" 2
within "$(value 'doc["capture"]["device_stat"]["flushes"]')" "$flushes" 1
assert_equal "$(value 'doc["capture"]["device_stat"]["written_bytes"]')" "$(value 'doc["capture"]["io"]["written_bytes"]')" "bytes written"

# ---- several at a time: nothing is lost and depths are true ----
watch deep 4
fio --name=x --filename="$loop" --direct=1 --rw=randrw --rwmixread=70 --bs=4k --ioengine=libaio --iodepth=16 --number_ios=2000 --size=64M \
	--output-format=json --output=fio.out >/dev/null || fail "fio"
watched deep
python3 -c 'import json; d = json.load(open("fio.out"))["jobs"][0]; print(d["read"]["total_ios"], d["write"]["total_ios"])' >did
read -r reads writes <did
assert_equal "$reads" "$(in_trace deep.json.trace 'sum(e["size"] == 4096 for e in t.of("read"))')" "reads"
assert_equal "$writes" "$(in_trace deep.json.trace 'sum(e["size"] == 4096 for e in t.of("write"))')" "writes"
[ "$(value 'doc["capture"]["io"]["outstanding_p99"]')" -le 17 ] || fail "more outstanding than asked for"
[ "$(in_trace deep.json.trace 'max(e["depth"] for e in t.events)')" -gt 4 ] || fail "never several at a time"

# ---- a raw run captures its own target ----
raw "$loop" --rw=randread --bs=16k --oio=4 --events=500 --time=0 --capture=auto --capture-file=raw.trace
assert_equal 500 "$(value 'doc["capture"]["io"]["reads"]')"
assert_equal "$(value 'doc["totals"]["ok"]')" "$(in_trace raw.trace 'sum(e["size"] == 16384 for e in t.of("read"))')"
assert_equal None "$(value 'doc["capture"]["commit"]["flush_share"]')"

# ---- a killed run: the next one, whatever it is, cleans up ----
"$IOLTP" raw --engine=null --rate=10 --time=60 --capture=block --device="$loop" --capture-file=killed.trace >/dev/null 2>&1 &
victim=$!
for _ in $(seq 100); do
	grep -qs 1 "$instances/ioltp-$victim/events/block/block_rq_issue/enable" && break
	sleep 0.05
done
kill -KILL $victim
wait $victim 2>/dev/null
grep -q 1 "$instances/ioltp-$victim/events/block/block_rq_issue/enable" || fail "the killed run had no tracepoint enabled: this tests nothing"
# One that lives is left alone.
"$IOLTP" raw --engine=null --rate=10 --time=3 --capture=block --device="$loop" --capture-file=lives.trace >/dev/null 2>&1 &
other=$!
for _ in $(seq 100); do
	[ -d "$instances/ioltp-$other" ] && break
	sleep 0.05
done
expect_status 0 "$IOLTP" raw --engine=null --time=0.1
[ ! -d "$instances/ioltp-$victim" ] || fail "the instance of a killed run stays"
[ -d "$instances/ioltp-$other" ] || ! kill -0 $other 2>/dev/null || fail "the instance of a living run is gone"
wait $other || fail "the other run"

# ---- the VFS and the drive, on the same run ----
# Where both see an I/O: pages that are written in place and flushed at each commit (no journal, of SQLite's or the file system's),
# between the database's own blocks.
mkfs.ext4 -q -b 4096 -O ^has_journal "$loop" || fail "mkfs"
mkdir mnt
mount -o noatime,lazytime "$loop" mnt || skip "may not mount"
at_exit umount "$TMP/mnt"
load=(oltp_update_non_index --tables=1 --table-size=5000 --sqlite-path=mnt/x.db --sqlite-journal-mode=off --rand-seed=3)
expect_status 0 "$IOLTP" "${load[@]}" prepare
sync
watch both 6
captured "${load[@]}" --events=150 --time=0 --capture=vfs run
cp out.json app.json
cp out.json.trace app.trace
watched both
filefrag -v -b1 mnt/x.db | awk '/^ *[0-9]+:/ { gsub(/[.:]/, " "); print $4, $5 + 1 }' >extents
cat >agree.py <<'EOT'
from trace import Trace
app, drive = Trace("app.trace"), Trace("both.json.trace")
extents = [tuple(int(v) for v in line.split()) for line in open("extents")]
inside = lambda e: any(a <= e["offset"] < b for a, b in extents)
own = lambda e: app.begin_ns <= e["begin"] < app.end_ns + 50000000
asked = sum(e["size"] for e in app.of("write", "data"))
done = sum(e["size"] for e in drive.of("write") if inside(e) and own(e))
flushes, drive_flushes = len(app.of("flush", "data")), len([e for e in drive.of("flush") if own(e)])
print("bytes %d %d, flushes %d %d" % (asked, done, flushes, drive_flushes))
assert flushes == 150 and asked >= 150 * 4096
assert abs(done - asked) <= 0.01 * asked
assert abs(drive_flushes - flushes) <= 0.01 * flushes
EOT
python3 agree.py >agreement 2>&1 || fail "VFS and drive disagree: $(cat agreement)"

# ---- what cannot be ----
expect_status 2 "$IOLTP" "${load[@]}" --time=1 --sqlite-path=/dev/shm/none.db --capture=block run
one_line 'lies on no block device'
