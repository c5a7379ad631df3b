#!/bin/bash
# SPDX-License-Identifier: MIT
# Throughput and write saturation, a scenario of the user's, and a test that is stopped.
. "${srcdir:-.}/tests/lib.sh"

need_command python3 python3
target="$TMP/target"
file=("$IOLTP" raw "$target" --file-size=4m "--destroy-data=$target" --engine=sync)

# Two tests in a row, each with a preconditioning of its own; CSV has every cell.
expect_status 0 "${file[@]}" --pts=throughput --round-time=2ms --max-rounds=2 --format=csv
assert_equal 9 "$(wc -l <"$TMP/out")" "lines of the CSV"
assert_grep '^test,round,in_window,tracked,read_percent,size_bytes,iops,bytes_per_s,'
assert_grep '^throughput-128k,2,yes,no,100,131072,'
assert_grep '^throughput-1m,1,yes,yes,0,1048576,'
assert_equal 1 "$(awk -F, '{ print NF }' "$TMP/out" | sort -u | wc -l)" "kinds of line"
expect_status 0 "${file[@]}" --pts=throughput --round-time=2ms --max-rounds=2
assert_equal 2 "$(grep -c '^State of the target: .* fill: by the preconditioning' "$TMP/out")" "conditioned tests"
assert_grep 'in writes of 1 MiB in sequence'

# The same by its other name.
expect_status 0 "$IOLTP" scenario list
assert_grep '^pts_iops +PTS IOPS$'
assert_equal 4 "$(wc -l <"$TMP/out")" scenarios
expect_status 0 "$IOLTP" scenario --help
assert_grep 'ioltp scenario NAME'
expect_status 0 "$IOLTP" scenario --verbosity=1 pts_latency "$target" "${file[@]:3}" --round-time=2ms --max-rounds=2 --format=csv
assert_grep '^latency,2,'
expect_status 2 "$IOLTP" scenario pts_latency "$target" --file-size=4m
assert_grep 'destroy-data' "$TMP/err"
expect_status 2 "$IOLTP" scenario nosuch "$target"
assert_grep 'no such test' "$TMP/err"
expect_status 2 "$IOLTP" scenario pts_latency
assert_grep 'no target' "$TMP/err"

# Four times the capacity, or --time.
expect_status 0 "${file[@]}" --pts=wsat --round-time=20ms --format=json
python3 - "$TMP/out" <<'EOF' || fail "write saturation is wrong"
import json, sys
(test,) = json.load(open(sys.argv[1]))["tests"]
assert test["kind"] == "series" and test["steady_state"] is None
rounds = test["rounds"]
written = [r["written_bytes"] for r in rounds]
assert written == sorted(written) and written[-1] >= 4 * (4 << 20)
assert all(w < 4 * (4 << 20) for w in written[:-1])
assert sum(r["cells"][0]["written_bytes"] for r in rounds) == written[-1]
assert abs(sum(r["cells"][0]["elapsed_s"] for r in rounds) - rounds[-1]["end_s"]) < 1e-6
assert test["conditioning"]["conditioning"] == "unconditioned: purge", test["conditioning"]
EOF
expect_status 0 "$IOLTP" raw --engine=null --null-latency=fixed:5ms --pts=wsat --round-time=50ms --time=100ms --format=csv
rows=$(($(wc -l <"$TMP/out") - 1))
[ "$rows" -ge 1 ] && [ "$rows" -le 2 ] || fail "$rows rounds in 100 ms of 50 ms each"

# One of the user's, and what is wrong in it is named.
cat >mine.lua <<'EOF'
return {
	title = "Mine",
	stages = {
		{ stage = "precondition", amount = "64k,4k,rand" },
		{
			stage = "rounds", name = "mine", title = "8K", metric = "iops", oio = 2,
			mixes = { 50 }, sizes = { "8k" }, cell_time = "2ms", max_rounds = 3, window = 3,
			range = 100, excursion = 100,
		},
	},
}
EOF
expect_status 0 "${file[@]}" --pts=./mine.lua
assert_grep '^mine: 8K, 2 outstanding, 0.002 s per cell$'
assert_grep 'precondition: 64 KiB \(0.01562 x the capacity\) in writes of 4 KiB at random'
sed -i 's/oio = 2/oi = 2/' mine.lua
expect_status 2 "${file[@]}" --pts=./mine.lua
assert_grep "mine.lua: stages\[2\]: unknown key 'oi'; did you mean 'oio'\?" "$TMP/err"

# A test that is stopped reports the rounds that were complete.
"$IOLTP" raw --engine=null --null-latency=fixed:1ms --pts=latency --round-time=10ms >out 2>err &
test_pid=$!
for ((i = 0; i < 600; i++)); do
	grep -q 'round 1 of' err && break
	sleep 0.1
done
kill -INT "$test_pid"
wait "$test_pid"
status=$?
if grep -q '^Steady state: reached' out; then
	echo "note: the test was over before it was stopped"
else
	assert_equal 130 "$status" "status of the stopped test"
	assert_grep '^latency: .*; PARTIAL$' out
	assert_grep '^ +4 KiB( +[0-9.]+){3}$' out
fi
