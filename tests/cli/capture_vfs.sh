#!/bin/bash
# SPDX-License-Identifier: MIT
# Capture by the VFS of SQLite: what it counts is what the system calls, SQLite's page arithmetic and the run itself say; on disk and
# in memory, with one client and several; and what cannot be captured is refused before the run.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"
. "$srcdir/tests/cli/capture_lib.sh"

load=(oltp_read_write --tables=2 --table-size=2000 --rand-seed=7)
expect_status 0 "$IOLTP" "${load[@]}" prepare

# ---- the write-ahead log: SQLite's own arithmetic ----
captured "${load[@]}" --events=60 --time=0 --capture=vfs --sqlite-pragma=wal_autocheckpoint=0 run
assert_equal vfs "$(value 'doc["capture"]["source"]')"
assert_equal "$PWD/out.json.trace" "$(value 'doc["capture"]["file"]')"
assert_equal "$PWD/ioltp.db" "$(value 'doc["capture"]["target"]')"
assert_equal 0 "$(value 'doc["capture"]["dropped"]')"
assert_equal 60 "$(value 'doc["capture"]["io"]["transactions"]')"
assert_equal 60 "$(in_trace out.json.trace 'len(t.of("txn"))')"
assert_equal 60 "$(in_trace out.json.trace 'sum(e["owner"] == 0 and not e["failed"] and t.types[e["type"]] != "" for e in t.of("txn"))')"
# A commit is a flush of the log; the head of a new log is flushed once more.
assert_equal 61 "$(in_trace out.json.trace 'len(t.of("flush", "log"))')" "flushes of the log"
assert_equal 0 "$(in_trace out.json.trace 'len(t.of("write", "data"))')" "writes into the database without a checkpoint"
assert_equal 1 "$(in_trace out.json.trace 'sum(e["size"] == 32 and e["offset"] == 0 for e in t.of("write", "log"))')" "heads of the log"
# A frame is a head of 24 bytes and a page, one behind the other.
in_trace out.json.trace 'sorted(e["offset"] for e in t.of("write", "log") if e["size"] == 4096)' >pages
in_trace out.json.trace '[32 + 24 + 4120 * i for i in range(sum(e["size"] == 4096 for e in t.of("write", "log")))]' >want
cmp -s want pages || fail "the pages in the log are not where SQLite puts them"
assert_equal "$(in_trace out.json.trace 'sum(e["size"] for e in t.of("write"))')" "$(value 'doc["capture"]["io"]["written_bytes"]')"
assert_equal "$(value 'doc["capture"]["io"]["reads"] + doc["capture"]["io"]["writes"] + doc["capture"]["io"]["flushes"]')" \
	"$(value 'sum(m["count"] for m in doc["capture"]["io"]["matrix"])')" "sum of the matrix"
value '0 < doc["capture"]["commit"]["flush_share"] <= doc["capture"]["commit"]["device_share"] <= 1' | grep -q True ||
	fail "shares of the transactions' time: $(value 'doc["capture"]["commit"]')"

# ---- the system calls ----
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
	python3 -c 'import time; print(time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC))' >offset
	# A small cache of pages makes it read; checkpoints make it write the database.
	rm -f out.json*
	# The leak sanitizer cannot work under another tracer.
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -ttt -y -o calls -e trace=pread64,pwrite64,fdatasync,fsync "$IOLTP" "${load[@]}" --events=30 --time=0 --capture=vfs \
		--sqlite-cache-size=16K --sqlite-pragma=wal_autocheckpoint=20 --output=out.json run >out 2>err || fail "the run under strace"
	cat >count.py <<'EOT'
import re
from trace import Trace
t = Trace("out.json.trace")
offset = int(open("offset").read())
calls = {}
for line in open("calls"):
    m = re.match(r"\d+ +(\d+)\.(\d+) (pread64|pwrite64|fdatasync|fsync)\(\d+<[^>]*?ioltp\.db(-wal)?>", line)
    if not m:
        continue
    at = int(m.group(1)) * 10**9 + int(m.group(2)) * 1000 - offset
    op = {"pread64": "read", "pwrite64": "write"}.get(m.group(3), "flush")
    if t.begin_ns <= at < t.end_ns:
        key = (op, "log" if m.group(4) else "data")
        calls[key] = calls.get(key, 0) + 1
seen = {}
for e in t.events:
    if e["op"] != "txn":
        key = (e["op"], t.files[e["file"]][2])
        seen[key] = seen.get(key, 0) + 1
print(seen)
assert seen[("read", "data")] > 0 and seen[("write", "data")] > 0
assert calls == seen, "system calls: %r" % calls
EOT
	python3 count.py >counts 2>&1 || fail "not what the system calls say: $(cat counts)"
fi

# ---- several clients ----
captured "${load[@]}" --threads=4 --time=2 --capture=vfs run
assert_equal 0 "$(value 'doc["capture"]["dropped"]')"
assert_equal "$(value 'doc["totals"]["ok"]')" "$(value 'doc["capture"]["io"]["transactions"]')"
assert_equal "$(value 'doc["totals"]["offered"]')" \
	"$(value 'doc["totals"]["ok"] + doc["totals"]["failed"] + doc["totals"]["skipped"] + doc["totals"]["unfinished"]')"
assert_equal '[0, 1, 2, 3]' "$(in_trace out.json.trace 'sorted({e["owner"] for e in t.of("txn")})')" "clients with transactions"
assert_equal '[0, 1, 2, 3]' "$(in_trace out.json.trace 'sorted({e["owner"] for e in t.of("flush", "log")})')" "clients with flushes"
# A transaction of a client does not begin before its last has ended, and its I/Os lie in its transactions.
in_trace out.json.trace 'all(a["begin"] + a["latency"] <= b["begin"] for o in range(4)
	for x in [[e for e in t.of("txn") if e["owner"] == o]] for a, b in zip(x, x[1:]))' | grep -q True || fail "transactions overlap"
expect_status 0 "$IOLTP" "${load[@]}" check

# ---- a rollback journal: its directory is flushed too ----
captured "${load[@]}" --events=20 --time=0 --capture=vfs --sqlite-journal-mode=delete --sqlite-synchronous=extra run
assert_equal '["data", "log"]' "$(in_trace out.json.trace 'sorted({f[2] for f in t.files})' | tr "'" '"')"
[ "$(in_trace out.json.trace 'len(t.of("flush", "log"))')" -ge 40 ] || fail "flushes of the journal and its directory"
expect_status 0 "$IOLTP" "${load[@]}" --sqlite-journal-mode=delete check

# ---- memory ----
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
	db=/dev/shm/ioltp-test-$$.db
	at_exit rm -f "$db" "$db-wal" "$db-shm"
	expect_status 0 "$IOLTP" "${load[@]}" --sqlite-path=$db prepare
	captured "${load[@]}" --sqlite-path=$db --events=50 --time=0 --capture=auto run
	assert_equal vfs "$(value 'doc["capture"]["source"]')"
	assert_equal 0 "$(value 'doc["capture"]["io"]["cached_reads"]')"
	[ "$(value 'doc["capture"]["io"]["reads"]')" -gt 0 ] || fail "no reads in memory"
	value 'doc["capture"]["unavailable"]' | grep -q 'page cache served.*memory' || fail "it is not said that no read can be told from another"
	assert_equal None "$(value 'doc["capture"]["device"]')"
	assert_equal None "$(value 'doc["capture"]["device_stat"]')"
fi

# ---- the same statements as without ----
for capture in off vfs; do
	expect_status 0 "$IOLTP" "${load[@]}" --events=50 --time=0 --capture=$capture --capture-file=s.trace --db-hash --format=json run
	python3 -c 'import json; print(json.load(open("out"))["database"]["statement_hash"])' >hash.$capture 2>/dev/null
done
cmp -s hash.off hash.vfs || fail "the capture changes what is asked: $(cat hash.off hash.vfs)"

# ---- a trace that must end early ----
captured "${load[@]}" --events=50 --time=0 --capture=vfs --capture-limit=4000 run
assert_equal True "$(value 'doc["capture"]["cut"]')"
[ "$(value 'doc["capture"]["events"]')" -le 100 ] || fail "more than the limit"
value 'doc["warnings"]' | grep -q 'reached --capture-limit' || fail "no warning of the limit"
assert_equal 50 "$(value 'doc["totals"]["ok"]')"
if [ "$(id -u)" = 0 ]; then
	tiny_filesystem 1024 "$TMP/small"
	dd if=/dev/zero of=small/fill bs=1k count=850 2>/dev/null
	captured "${load[@]}" --events=2000 --time=0 --capture=vfs --capture-file=small/t run
	assert_equal True "$(value 'doc["capture"]["cut"]')"
	value 'doc["warnings"]' | grep -q 'could not be written further' || fail "no warning of the full disk"
	assert_equal 2000 "$(value 'doc["totals"]["ok"]')"
	# What did fit is whole, and of use.
	value '0 < doc["capture"]["events"] < 20000 and doc["capture"]["dropped"] > 0' | grep -q True || fail "events: $(value 'doc["capture"]')"
	assert_equal "$(value 'doc["capture"]["events"]')" "$(in_trace small/t 'len(t.events)')"
	expect_status 0 "$IOLTP" twin out.json --replay=none
fi

# ---- what cannot be ----
refused() {
	expect_status 2 "$IOLTP" "${load[@]}" --time=1 "${@:2}" run
	one_line "$1"
}
refused 'only SQLite' --capture=vfs --db-driver=null
refused 'capture=block: ' --capture=block --db-driver=null
refused '/nowhere/x.*cannot be written' --capture=vfs --capture-file=/nowhere/x
ln ioltp.db hard.db
for name in ioltp.db hard.db ./ioltp.db-wal ioltp.db-shm "$PWD/ioltp.db-journal"; do
	refused 'a file of the database' --capture=vfs --capture-file="$name"
done
rm hard.db
for name in late.json late.json.part late.json.new; do
	refused 'the result is written there' --capture=vfs --output=late.json --capture-file=$name
	rm -f late.json*
done
echo mine >notes.txt
refused 'no trace' --capture=vfs --capture-file=notes.txt
refused 'no regular file' --capture=vfs --capture-file=/dev/null
refused 'no block device' --capture=counters --device=/etc/passwd
refused '/dev/nowhere' --capture=vfs --device=/dev/nowhere
refused 'sqlite-vfs' --capture=vfs --sqlite-vfs=unix
refused 'no VFS' --sqlite-vfs=nonsense
expect_status 2 "$IOLTP" raw --engine=null --time=1 --capture=vfs
one_line 'only SQLite'
expect_status 2 "$IOLTP" raw --engine=null --time=1 --curve=10,20 --capture=counters
one_line 'curve'
[ ! -e /nowhere/x ] && head -c 15 ioltp.db | grep -q 'SQLite format' || fail "a refused capture wrote"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 777 . && chmod 666 ioltp.db*
	expect_status 2 setpriv --reuid=65534 --regid=65534 --clear-groups "$IOLTP" "${load[@]}" --time=1 --capture=block run
	one_line 'need root'
fi

# ---- one run at a time ----
"$IOLTP" "${load[@]}" --time=60 --capture=vfs --capture-file=shared.trace run >first.out 2>&1 &
first=$!
for ((i = 0; i < 200; i++)); do
	[ -s shared.trace ] && break
	sleep 0.1
done
refused 'another run captures into it' --capture=vfs --capture-file=shared.trace
kill -INT $first
wait $first

# ---- a limit below one event is a limit ----
captured "${load[@]}" --events=20 --time=0 --capture=vfs --capture-limit=1 run
assert_equal 0 "$(in_trace out.json.trace 'len(t.events)')"
value 'doc["warnings"]' | grep -q 'reached --capture-limit' || fail "no word of the limit"
rm -f out.json*

# ---- counters alone ----
captured "${load[@]}" --events=50 --time=0 --capture=counters run
assert_equal None "$(value 'doc["capture"]["io"]')"
[ ! -e out.json.trace ] || fail "a trace without I/Os"
[ "$(value 'doc["capture"]["process"]["wchar"]')" -gt 0 ] || fail "this process wrote nothing"
