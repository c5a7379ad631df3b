#!/bin/bash
# SPDX-License-Identifier: MIT
# Raw runs on the null engine and on a file: shares, sizes, addresses, data, reports in all forms, and the document's schema.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"

raw --engine=null --events=20000 --time=0 --rw=randrw --rwmixread=90 --workers=1
assert_equal 20000 "$(value totals.ok)" "I/Os"
assert_equal 20000 "$(value totals.offered)" "offered"
within 18000 "$(value totals.reads)" 90
within 2000 "$(value totals.writes)" 10
assert_equal raw "$(value tool.kind)"
assert_equal None "$(value database.driver)"
within 4096 "$(value 'totals.bytes_per_s / totals.iops_per_s')" 1

raw --engine=null --events=20000 --time=0 --bs=4k/40,8k/60 --workers=1
within $((4096 * 40 / 100 + 8192 * 60 / 100)) "$(value 'totals.bytes_per_s / totals.iops_per_s')" 40

# A file is made, filled in sequence and read back; what the device or the page cache did is not asked.
raw t.img --file-size=4M --rw=write --bs=64k --events=64 --time=0 --oio=4 --workers=1 "--destroy-data=$TMP/t.img"
assert_equal 64 "$(value totals.writes)" writes
assert_equal 4194304 "$(stat -c %s t.img)" size
assert_equal 1024 "$(split -b 4096 --filter='sha1sum' t.img | sort -u | wc -l)" "distinct blocks"
[ "$(gzip -c t.img | wc -c)" -gt 4190000 ] || fail "the data is compressible"
for engine in uring sync; do
	raw t.img --rw=randread --oio=8 --events=3000 --time=0 --engine=$engine
	assert_equal 3000 "$(value totals.ok)" "reads by $engine"
	assert_equal "[]" "$(value errors)" "errors of $engine"
	[ -n "$(value raw.engine_in_force)" ] || fail "nothing is said of the engine"
done

raw t.img --file-size=4M --rw=write --bs=64k --events=64 --time=0 --oio=1 "--destroy-data=$TMP/t.img" --compress-ratio=2 --dedupe-ratio=2
within 512 "$(split -b 4096 --filter='sha1sum' t.img | sort -u | wc -l)" 20
within 2 "$(split -b 4096 --filter='gzip -c' t.img | wc -c | awk '{ print 4194304 / $1 }')" 0.1

# Only the span is written, and flushes are counted beside the I/Os.
truncate -s 0 t.img && truncate -s 4M t.img
raw t.img --file-size=4M --rw=randwrite --offset=1M --span=25% --events=2000 --time=0 --flush-every=100 "--destroy-data=$TMP/t.img"
assert_equal 0 "$(head -c 1M t.img | tr -d '\0' | wc -c)" "bytes before the offset"
assert_equal 0 "$(tail -c 2M t.img | tr -d '\0' | wc -c)" "bytes behind the span"
[ "$(tail -c 3M t.img | head -c 1M | tr -d '\0' | wc -c)" -gt 500000 ] || fail "the span was not written"
within 20 "$(value totals.other)" 1

# Several workers count together, and their intervals add up to the total.
raw --engine=null --null-latency=fixed:1ms --oio=8 --workers=2 --time=0.5 --report-interval=0.1
assert_equal "$(value totals.ok)" "$(value 'sum(i["ok"] for i in doc["intervals"])')" "sum of the intervals"
assert_equal "$(value 'totals.ok')" "$(value 'sum(s["count"] for s in doc["statements"])')" "sum of the statements"
[ "$(value 'totals.ok')" -le $((8 * 600)) ] || fail "more than 8 were outstanding"

# SQPOLL: the kernel's thread submits. What cannot be had is left out, and the report says what is in force.
raw t.img --rw=randread --oio=4 --events=500 --time=0 --sqpoll
assert_equal 500 "$(value totals.ok)" "reads with SQPOLL"
in_force=$(value raw.engine_in_force)
case $in_force in
*'not in force: '*SQPOLL*) ;;
*SQPOLL*) case $in_force in *DEFER_TASKRUN* | *COOP_TASKRUN*) fail "task work with SQPOLL: $in_force" ;; esac ;;
*) fail "nothing is said of SQPOLL: $in_force" ;;
esac
raw t.img --file-size=4M --rw=randrw --oio=4 --events=500 --time=0 --sqpoll --rate=2000 --flush-every=50 "--destroy-data=$TMP/t.img"
assert_equal 500 "$(value totals.ok)" "I/Os with SQPOLL at a rate"

# IOPOLL: a file or drive that does not poll answers EOPNOTSUPP, and the run goes on without.
raw t.img --rw=randread --oio=4 --events=500 --time=0 --iopoll
assert_equal 500 "$(value totals.ok)" "reads with IOPOLL"
assert_equal "[]" "$(value errors)" "errors with IOPOLL"
[[ "$(value raw.engine_in_force)" == *IOPOLL* ]] || fail "nothing is said of IOPOLL: $(value raw.engine_in_force)"

# The same seed makes the same I/Os; a signal gives a partial report.
expect_status 0 "$IOLTP" raw --engine=null --events=10 --time=0 --report-interval=0
assert_grep '^Response time'
assert_grep '^Balance: +offered 10 = ok 10'
expect_status 0 "$IOLTP" raw --engine=null --events=10 --time=0 --format=csv
assert_grep '^row,.*,iops,read_bytes_per_s,write_bytes_per_s,service_mean_ms,saturated$'
assert_grep '^total,'
"$IOLTP" raw --engine=null --null-latency=fixed:1ms --time=60 --format=json >out.json 2>err &
pid=$!
sleep 1
kill -INT $pid
wait $pid
assert_equal 130 $? "status after SIGINT"
assert_equal True "$(value phases.partial)"
expect_status 0 "$IOLTP" raw --help
assert_grep '^ +--oio='
