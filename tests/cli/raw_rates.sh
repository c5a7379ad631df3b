#!/bin/bash
# SPDX-License-Identifier: MIT
# Open loop and curves on a target of known service time; and a stop of the whole process, which must show in the latencies. Counts are
# judged, which a slow machine does not change; rates only where the schedule alone makes them.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"

# Arrivals that came due are all accounted for.
raw --engine=null --rate=5000 --rate-process=fixed --time=1 --workers=1
within 5000 "$(value totals.offered)" 1
assert_equal "$(value totals.offered)" "$(value 'totals.ok + totals.skipped + totals.unfinished + totals.failed')"
raw --engine=null --rate=5000 --time=1 --rand-seed=3 --workers=1
poisson=$(value totals.offered)
within 5000 "$poisson" 300
raw --engine=null --rate=5000 --time=1 --rand-seed=3 --workers=2 --oio=8
within "$poisson" "$(value totals.offered)" 0

# SIGSTOP for a second of six: what came due meanwhile waited, and p99 says so.
"$IOLTP" raw --engine=null --rate=1000 --time=6 --workers=1 --format=json >out.json 2>err &
pid=$!
sleep 2
kill -STOP $pid
sleep 1
kill -CONT $pid
wait $pid || fail "the stopped run failed: $(cat err)"
fits_schema
p99_ns=$(value 'doc["latency_ns"]["percentiles"]["99"]')
[ "$p99_ns" -ge 500000000 ] || fail "p99 of $p99_ns ns hides a stop of a second"
p50_ns=$(value 'doc["latency_ns"]["percentiles"]["50"]')
[ "$p50_ns" -lt 500000000 ] || fail "p50 of $p50_ns ns: not only the stop was slow"
within 6000 "$(value totals.offered)" 400

# Eight places of 20 ms do 400 per s: half of that they take, and twice that saturates them.
raw --engine=null --null-latency=fixed:20ms --oio=8 --workers=1 --time=2 --curve=50,200 --curve-max=400
assert_equal 2 "$(value 'len(doc["curve"])')" points
assert_equal False "$(value 'doc["curve"][0]["saturated"]')" "50 % saturated"
assert_equal True "$(value 'doc["curve"][1]["saturated"]')" "200 % saturated"
[ "$(value 'doc["curve"][1]["ok"]')" -le $((400 * 2 + 8)) ] || fail "more was done than eight places can"
[ "$(value 'doc["curve"][1]["skipped"]')" -gt 400 ] || fail "too little was skipped at twice the maximum"
awk -v response="$(value 'doc["curve"][1]["latency_ns"]["mean"]')" -v service="$(value 'doc["curve"][1]["service_ns"]["mean"]')" \
	'BEGIN { exit !(response > 5 * service) }' || fail "the response time at twice the maximum hides the wait"

# The stop rule ends the curve with the point that breaks it.
raw --engine=null --null-latency=fixed:20ms --oio=8 --workers=1 --time=1 --curve=50-300,50 --curve-max=400 --curve-stop-latency=100ms
points=$(value 'len(doc["curve"])')
[ "$points" -ge 2 ] && [ "$points" -le 4 ] || fail "$points points with a stop rule"

# The maximum is found by itself; the text has the table.
expect_status 0 "$IOLTP" raw --engine=null --null-latency=fixed:20ms --oio=4 --workers=1 --time=0.5 --curve=50,150
assert_grep '^Maximum: [0-9.]+ per s$'
assert_grep '^50% '
assert_grep '^150% \* '
assert_grep '^\* saturated'
expect_status 0 "$IOLTP" raw --engine=null --null-latency=fixed:20ms --oio=4 --workers=1 --time=0.3 --curve=50,150 --format=csv
assert_grep '^point 50,'
assert_grep '^point 150,.*,yes$'
