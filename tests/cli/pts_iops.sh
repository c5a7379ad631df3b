#!/bin/bash
# SPDX-License-Identifier: MIT
# The PTS tests on a small file: refusals, conditioning, the tables of seven mixes and eight sizes, and that the verdict follows from the
# rounds that are reported.
. "${srcdir:-.}/tests/lib.sh"

need_command python3 python3
target="$TMP/target"
pts=("$IOLTP" raw "$target" --file-size=4m "--destroy-data=$target" --engine=sync)

# wrong use changes nothing
echo data >"$target"
expect_status 2 "$IOLTP" raw "$target" --pts=iops --file-size=4m --engine=sync --round-time=2ms --max-rounds=2
assert_grep 'destroy-data' "$TMP/err"
assert_equal data "$(cat "$target")" "content of the refused target"
expect_status 2 "${pts[@]}" --pts=iopps
assert_grep "iopps: no such test \(iops, throughput, latency, wsat\) or file; there are pts_iops, " "$TMP/err"
expect_status 2 "${pts[@]}" --pts=iops --rw=read
assert_grep "error: --rw: cannot be given with --pts" "$TMP/err"
expect_status 2 "${pts[@]}" --round-time=1s
assert_grep "error: --round-time, --max-rounds: belong to --pts" "$TMP/err"
expect_status 2 "${pts[@]}" --pts=iops --precondition=much
assert_grep "error: --precondition=much: not an amount of writes" "$TMP/err"
expect_status 2 "${pts[@]}" --pts=iops --purge=sanitize
assert_grep "error: " "$TMP/err"
rm -f "$target"

# a file that is smaller than the largest I/O
expect_status 2 "$IOLTP" raw "$TMP/tiny" --file-size=512k "--destroy-data=$TMP/tiny" --pts=iops --engine=sync
assert_grep 'iops: the target has 524288 bytes, and an I/O of the test 1048576' "$TMP/err"
rm -f "$target"

expect_status 0 "${pts[@]}" --pts=iops --round-time=2ms --max-rounds=2 --output=iops.json
assert_grep '^ +100/0 +95/5 +65/35 +50/50 +35/65 +5/95 +0/100$'
assert_grep '^ +512 B( +[0-9]+\.[0-9]{2}){7}$'
assert_grep '^ +1 MiB( +[0-9]+\.[0-9]{2}){7}$'
assert_grep '^Steady state: NOT reached in 2 of at most 2 rounds$'
assert_grep '^State of the target: unconditioned: purge, steady_state; fill: by the preconditioning; precondition: 8 MiB \(2 x the capacity\) in writes of 128 KiB in sequence, '
assert_grep 'iops: no steady state'
assert_grep 'precondition: 100.0 %, 8 MiB of 8 MiB, [0-9]+ MB/s, 0 s left|precondition: ' "$TMP/err"
assert_grep 'iops: round 2 of at most 2: ' "$TMP/err"
# Preconditioning has written everything.
python3 - "$target" <<'EOF' || fail "the preconditioned file has holes of zeros"
import sys
data = open(sys.argv[1], "rb").read()
assert len(data) == 4 << 20
assert all(any(data[i:i + 4096]) for i in range(0, len(data), 4096))
EOF
if python3 -c 'import jsonschema' 2>/dev/null; then
	python3 -m jsonschema -i iops.json "$srcdir/docs/result.schema.json" 2>/dev/null || fail "the document breaks the schema"
fi
python3 - iops.json <<'EOF' || fail "the JSON document is wrong"
import json, sys
doc = json.load(open(sys.argv[1]))
(test,) = doc["tests"]
assert doc["tool"]["kind"] == "raw" and test["kind"] == "rounds" and test["metric"] == "iops_per_s"
assert len(test["rounds"]) == 2 and all(len(r["cells"]) == 56 for r in test["rounds"])
mixes = [1, .95, .65, .5, .35, .05, 0]
sizes = [1 << 20, 131072, 65536, 32768, 16384, 8192, 4096, 512]
want = [(m, s) for m in mixes for s in sizes]
assert sum(c["iops_per_s"] > 0 for c in test["table"]) > 40
for cells in [test["table"]] + [r["cells"] for r in test["rounds"]]:
    assert [(c["read_share"], c["size_bytes"]) for c in cells] == want
    for c in cells:
        assert c["errors"] == 0
        # 2 ms may be too short for one I/O of 1 MiB.
        assert abs(c["bytes_per_s"] - c["iops_per_s"] * c["size_bytes"]) <= 0.01 * c["bytes_per_s"], c
        assert c["read_share"] < 1 or c["written_bytes"] == 0, c
        assert c["read_share"] > 0 or (c["written_bytes"] > 0) == (c["iops_per_s"] > 0), c
        assert c["mean_ns"] <= c["max_ns"]
tracked = next(i for i, w in enumerate(want) if w == (0, 4096))
for r in test["rounds"]:
    assert r["tracked"] == r["cells"][tracked]["iops_per_s"]
assert test["tracked"] == {"read_share": 0, "size_bytes": 4096}
assert test["conditioning"]["unconditioned"] == "purge, steady_state"
assert test["conditioning"]["purge"] == "skipped: the target is a file"
assert abs(doc["totals"]["iops_per_s"] - test["rounds"][-1]["tracked"]) <= 0.01 * doc["totals"]["iops_per_s"]
EOF

# The verdict is what the rule says of the reported rounds, and no earlier window was steady.
expect_status 0 "$IOLTP" raw --engine=null --null-latency=fixed:5ms --pts=latency --round-time=20ms --max-rounds=8 --format=json
python3 - "$TMP/out" <<'EOF' || fail "the verdict does not follow from the rounds"
import json, sys
(test,) = json.load(open(sys.argv[1]))["tests"]
values = [r["tracked"] for r in test["rounds"]]
def judge(y):
    n, mean = len(y), sum(y) / len(y)
    slope = sum((i - (n - 1) / 2) * v for i, v in enumerate(y)) / sum((i - (n - 1) / 2) ** 2 for i in range(n))
    return (max(y) - min(y)) / mean, abs(slope) * (n - 1) / mean, mean
state = test["steady_state"]
steady = [i for i in range(5, len(values) + 1) if judge(values[i - 5:i])[0] <= .2 and judge(values[i - 5:i])[1] <= .1]
assert steady == ([len(values)] if state["reached"] else []), (steady, state)
assert state["reached"] or len(values) == 8
rng, exc, mean = judge(values[-5:])
for key, want in (("range", rng), ("excursion", exc), ("mean", mean)):
    assert abs(state[key] - want) <= 1e-9 * abs(want) + 1e-12, (key, state[key], want)
assert state["window_first_round"] == len(values) - 4
assert test["metric"] == "mean_ns" and test["oio"] == 1 and len(test["table"]) == 9
# 5 ms each, one at a time
assert all(c["mean_ns"] >= 5e6 and c["iops_per_s"] <= 201 for c in test["table"])
for i, cell in enumerate(test["table"]):
    window = [r["cells"][i] for r in test["rounds"][-5:]]
    assert abs(cell["mean_ns"] - sum(c["mean_ns"] for c in window) / 5) < 1e-3 * cell["mean_ns"]
    assert cell["max_ns"] == max(c["max_ns"] for c in window)
EOF
