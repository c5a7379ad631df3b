#!/bin/bash
# SPDX-License-Identifier: MIT
# A scripted mix on a loop device, seen by the kernel's tracepoints, comes back: shares and sizes within 1 %, hot bands within 5 %.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"
. "$srcdir/tests/cli/guard_lib.sh"

need_loop
head -c 256M /dev/zero >disk.img
attach "$TMP/disk.img"
# What the block layer merges has other sizes by the time the drive sees it.
echo 2 >"/sys/block/${dev##*/}/queue/nomerges" 2>/dev/null || skip "cannot keep the block layer from merging"
cat >mix.lua <<'LUA'
return {
	title = "A mix", oio = 4,
	streams = {
		{ name = "rows", weight = 60, rw = "randread", bs = "4k/75,16k/25", span = "60%", align = "4k",
		  bands = { { io = 5, span = 40 }, { io = 90, span = 10 }, { io = 5, span = 50 } } },
		{ name = "pages", weight = 25, rw = "randwrite", bs = "8k", offset = "60%", span = "20%", flush_every = 5 },
		{ name = "log", weight = 15, rw = "write", bs = "16k", offset = "85%", span = "10%" },
	},
}
LUA
"$IOLTP" raw "$dev" --profile=./mix.lua --destroy-data="$TMP/disk.img" --time=0 --events=20000 --capture=block --device="$dev" --output=app.json \
	>"$TMP/out" 2>"$TMP/err" || {
	grep -Eq 'tracepoint|tracefs|root' "$TMP/err" && skip "no block tracepoints here: $(head -n 1 "$TMP/err")"
	fail "the captured run fails"
}
expect_status 0 "$IOLTP" twin app.json --replay=none
cat app.twin.lua
expect_status 0 "$IOLTP" raw --engine=null --file-size=256m --profile=./app.twin.lua --time=0 --events=20000 --format=json --verbosity=0
python3 - "$TMP/out" app.twin.lua <<'EOT' || fail "the mix did not come back"
import json, re, sys
lua = open(sys.argv[2]).read()
def near(got, want, by, what):
    assert abs(got - want) <= by * want, (what, got, want)
streams = []
for part in re.split(r"\n\t\t\{\n", lua.split("streams = {")[1].split("\n\tmeasured")[0])[1:]:
    s = dict(re.findall(r'\t\t\t(\w+) = "?([^"\n{]+?)"?,\n', part))
    s["bands"] = [(float(a), float(b)) for a, b in re.findall(r"io = ([0-9.e+-]+),\s+span = ([0-9.e+-]+)", part)]
    streams.append(s)
total = sum(float(s["weight"]) for s in streams)
by = {s["rw"]: s for s in streams}
assert set(by) == {"randread", "randwrite", "write"} and len(streams) == 3, streams
near(float(by["randread"]["weight"]) / total, 0.60, 0.01, "reads")
near(float(by["randwrite"]["weight"]) / total, 0.25, 0.01, "writes")
near(float(by["write"]["weight"]) / total, 0.15, 0.01, "appends")
sizes = dict(p.split("/") for p in by["randread"]["bs"].split(","))
near(float(sizes["4k"]), 75, 0.01, "4k")
near(float(sizes["16k"]), 25, 0.01, "16k")
assert by["randwrite"]["bs"] == "8k" and by["write"]["bs"] == "16k"
flushes = sum(float(s["weight"]) / float(s["flush_every"]) for s in streams if "flush_every" in s)
# The kernel joins flushes that wait for each other: fewer may have reached the drive.
asked = float(by["randwrite"]["weight"]) / 5
assert 0.9 * asked <= flushes <= 1.01 * asked, (flushes, asked)
mass, room = 0, 10.0
for io, span in sorted(by["randread"]["bands"], key=lambda b: b[0] / b[1], reverse=True):
    part = min(room, span)
    mass += io * part / span
    room -= part
near(mass, 90, 0.05, "hot band")
EOT
