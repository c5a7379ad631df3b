#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles by name and from files: every bundled one runs; what is wrong is named; conditioning before a run is stamped.
. "${srcdir:-.}/tests/lib.sh"

need_command python3 python3
expect_status 0 "$IOLTP" raw --profile=list
assert_grep '^jesd219 +JESD219'
assert_grep '^sql-90-10 .*\(modelled\)$'
cp "$TMP/out" list
[ "$(wc -l <list)" -ge 30 ] || fail "fewer profiles than there are files"

while read -r name _; do
	expect_status 0 "$IOLTP" raw --engine=null --file-size=1g --profile="$name" --time=0 --events=50 --null-latency=fixed:10us
	assert_grep "^Profile: +$name: "
done <list
# '_' and '-' are the same; what it was modelled from is printed with the result.
expect_status 0 "$IOLTP" raw --engine=null --file-size=1g --profile=oracle_90_10 --time=0 --events=50 --format=json
python3 - "$TMP/out" <<'EOF' || fail "the profile is not in the JSON document"
import json, sys
raw = json.load(open(sys.argv[1]))["raw"]
assert raw["profile"] == "oracle-90-10" and raw["oio"] == 22 and "1.32 KiB" in raw["modelled"], raw
EOF
expect_status 0 "$IOLTP" raw --engine=null --file-size=1g --profile=mix-8k --oio=3 --time=0 --events=10
assert_grep '^Load: +3 outstanding'

expect_status 2 "$IOLTP" raw --engine=null --profile=mix-8
assert_grep "error: mix-8: no such profile or file; did you mean mix-8k\?" "$TMP/err"
expect_status 2 "$IOLTP" raw --engine=null --profile=mix-8k --bs=4k
assert_grep 'error: --bs: cannot be given with --profile' "$TMP/err"
expect_status 2 "$IOLTP" raw --engine=null --profile=./none.lua
assert_grep 'error: ./none.lua: cannot be read: No such file' "$TMP/err"
echo 'return { title = "x", streams = { { rw = "read", bs = "4k/50,8k/40" } } }' >wrong.lua
expect_status 2 "$IOLTP" raw --engine=null --profile=wrong.lua
assert_grep 'wrong.lua: streams\[1\].bs=4k/50,8k/40: the shares add up to 90 and not to 100' "$TMP/err"
echo 'return { title = "x", streams = io.open("/etc/passwd") }' >wrong.lua
expect_status 2 "$IOLTP" raw --engine=null --profile=wrong.lua
assert_grep "wrong.lua:1: attempt to index global 'io'" "$TMP/err"
echo 'while true do end' >wrong.lua
expect_status 2 "$IOLTP" raw --engine=null --profile=wrong.lua
assert_grep 'wrong.lua:1: runs too long' "$TMP/err"

# Conditioning before a run of reads: needs the leave to write, fills the file, and is in the result.
target="$TMP/target"
echo data >"$target"
expect_status 2 "$IOLTP" raw "$target" --file-size=1m --fill --time=0 --events=5
assert_grep 'destroy-data' "$TMP/err"
run=("$IOLTP" raw "$target" --file-size=1000k "--destroy-data=$target" --engine=sync --oio=2 --time=0 --events=20)
expect_status 0 "${run[@]}" --fill
assert_grep '^State: +unconditioned: purge, precondition; fill: 1000 KiB \(0.896 x the capacity\)'
# 1000 KiB are no multiple of 128 KiB: the end is filled too.
python3 - "$target" <<'EOF' || fail "the filled file has zeros"
import sys
data = open(sys.argv[1], "rb").read()
assert len(data) == 1000 << 10 and all(any(data[i:i + 4096]) for i in range(0, len(data), 4096))
EOF
expect_status 0 "${run[@]}" --precondition=2x,64k
assert_grep 'State: +unconditioned: purge; fill: by the preconditioning; precondition: '
expect_status 0 "${run[@]}"
assert_grep '^State: +unconditioned: purge, fill, precondition$'
