#!/bin/bash
# SPDX-License-Identifier: MIT
# From a captured SQLite run to its twin: profile, replays in I/Os and transactions, the document, and every I/O once more.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"

# twin STATUS ARGS...
twin() {
	local status=$1
	shift
	expect_status "$status" "$IOLTP" twin "$@"
}

# fits_twin FILE: its schema, and that of the results in it.
fits_twin() {
	python3 -c 'import jsonschema' 2>/dev/null || return 0
	python3 - "$srcdir/docs" "$1" <<'PY' 2>schema.err || fail "the document does not fit the schema: $(tail -n 3 schema.err)"
import json, sys, jsonschema
def validate(schema, doc):
    jsonschema.Draft7Validator(json.load(open(sys.argv[1] + "/" + schema))).validate(doc)
doc = json.load(open(sys.argv[2]))
validate("twin.schema.json", doc)
for r in doc["replays"]:
    validate("result.schema.json", r["result"])
PY
}

# Pages of 4 KiB in a small cache, so that there is something to read from files.
db=(oltp_read_write --tables=2 --table-size=5000 --threads=2 --rand-seed=7)
expect_status 0 "$IOLTP" "${db[@]}" prepare
expect_status 0 "$IOLTP" "${db[@]}" --time=0 --events=600 --capture=vfs --output=app.json run
sum=$(sha256sum ioltp.db)

twin 0 app.json --replay=none
assert_grep '^Shape: +[0-9]+ streams of '
assert_grep '^Profile: .*/app.twin.lua$'
[ -s app.twin.lua ] || fail "no profile"

# The profile runs by itself, with transactions and without.
for transactions in on off; do
	expect_status 0 "$IOLTP" raw --engine=null --file-size=64m --profile=./app.twin.lua --transactions=$transactions \
		--time=0 --events=1000 --format=json --verbosity=0
	cp "$TMP/out" out.json
	fits_schema
	assert_equal 1000 "$(value totals.ok)"
done

# Shapes agree: flushes, appends and bytes of a transaction, as the capture counted and as the twin does.
expect_status 0 "$IOLTP" raw --engine=null --file-size=64m --profile=./app.twin.lua --time=0 --events=6000 --format=json --verbosity=0
cp "$TMP/out" out.json
python3 - app.json out.json app.twin.lua <<'EOT' || fail "the twin's transactions ask for something else"
import json, re, sys
app, raw = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
count = {s["statement"]: s["count"] for s in raw["statements"]}
lua = open(sys.argv[3]).read()
each = dict(re.findall(r"(\w+) = ([0-9.e-]+)", re.search(r"per_transaction = \{([^}]*)\}", lua).group(1)))
flushes, writes = count.get("each flush", 0) / 6000, raw["totals"]["writes"] / 6000
assert abs(flushes - app["capture"]["io"]["per_transaction"]["flushes"]) < 0.02 * flushes, (flushes, app["capture"]["io"])
assert abs(flushes - float(each["flushes"])) < 0.02 * flushes, (flushes, each)
assert abs(writes - float(each["writes"])) < 0.03 * writes, (writes, each)
EOT

# All replays, on a file that is gone afterwards.
twin 0 app.json --time=0.2 --warmup-time=0 --output=twin.json --profile-out=other.lua
assert_grep '^Transactions +application +pace +capability +saturation$'
assert_grep '^I/Os of the drive +application +pace +capability +saturation$'
assert_grep '^Next: ioltp compare .*app.json twin.json$'
fits_twin twin.json
compgen -G "ioltp-twin-*" >/dev/null && fail "the file for the replays is left"
assert_equal "$sum" "$(sha256sum ioltp.db)" "the database"
python3 - twin.json <<'EOT' || fail "the twin document is wrong"
import json, sys
d = json.load(open(sys.argv[1]))
assert [(r["name"], r["unit"]) for r in d["replays"]] == [(n, u) for u in ("io", "transaction") for n in ("pace", "capability", "saturation")]
assert not d["partial"] and d["profile"].endswith("other.lua")
for r in d["replays"]:
    assert r["result"]["totals"]["loop"] == ("open" if r["name"] == "pace" else "closed")
    assert (r["rate_per_s"] is not None) == (r["name"] == "pace")
    assert ("transactions" in r["result"]["raw"]) == (r["unit"] == "transaction")
    assert r["result"]["totals"]["ok"] > 0, r["name"]
by = {(r["name"], r["unit"]): r for r in d["replays"]}
assert by["capability", "transaction"]["oio"] == 2
assert by["saturation", "io"]["oio"] > by["capability", "io"]["oio"]
EOT

# Every I/O once more: none is lost, none is early; a smaller target scales addresses and says so.
twin 0 app.json --replay --engine=null --output=trace.json
fits_twin trace.json
python3 - trace.json app.twin.lua <<'EOT' || fail "the replay of the trace is wrong"
import json, re, sys
d = json.load(open(sys.argv[1]))
(r,) = d["replays"]
raw, lua = r["result"]["raw"], open(sys.argv[2]).read()
fact = lambda k: int(re.search(r"\b%s = (\d+)" % k, lua.split("measured = ")[1]).group(1))
assert r["name"] == "trace" and raw["replay_begun"] == raw["replay_ios"], raw
assert raw["replay_ios"] == fact("reads") + fact("writes") + fact("flushes"), raw
assert r["result"]["totals"]["writes"] == fact("writes") and raw["replay_address_scale"] == 1
assert raw["replay_end_error"] >= 0
EOT
trace=$(value 'json.load(open("app.json"))["capture"]["file"] or doc')
expect_status 0 "$IOLTP" raw small.img --file-size=1m --replay-trace="$trace" --format=json
assert_grep 'the trace used .* and the target has 1 MiB: all addresses are scaled' "$TMP/err"
cp "$TMP/out" out.json
fits_schema
assert_equal True "$(value 'doc["raw"]["replay_begun"] == doc["raw"]["replay_ios"] and 0 < doc["raw"]["replay_address_scale"] < 1')"

# Interrupted: partial, and nothing is left.
"$IOLTP" twin app.json --time=60 --output=cut.json >"$TMP/out" 2>"$TMP/err" &
pid=$!
for _ in $(seq 200); do
	grep -q 'twin: pace' "$TMP/err" && break
	sleep 0.1
done
sleep 1
kill -INT "$pid"
wait "$pid"
assert_equal 130 $? status
fits_twin cut.json
assert_equal True "$(python3 -c 'import json; print(json.load(open("cut.json"))["partial"])')"
compgen -G "ioltp-twin-*" >/dev/null && fail "an interrupted twin leaves its file"

# What there is no twin of.
expect_status 0 "$IOLTP" "${db[@]}" --time=0 --events=20 --output=plain.json run
twin 2 plain.json
assert_grep 'plain.json: holds no trace of I/Os; run it again with --capture=auto' "$TMP/err"
twin 2 twin.json
assert_grep 'twin.json: is no result of a run' "$TMP/err"
twin 2 absent.json
assert_grep 'absent.json: cannot be read: No such file' "$TMP/err"
twin 2
assert_grep 'no result was named' "$TMP/err"
twin 2 app.json --replay=fast
assert_grep 'replay=fast: is no replay; give pace' "$TMP/err"
twin 2 app.json --trace=app.json
mv "$trace" moved.trace
twin 2 app.json --replay=none
assert_grep 'No such file' "$TMP/err"
twin 0 app.json --replay=none --trace=moved.trace
head -c 3000 moved.trace >cut.trace
twin 2 app.json --replay=none --trace=cut.trace

# All in one: the run, its twin after it.
mkdir one
cd one || exit 99
expect_status 0 "$IOLTP" "${db[@]}" --sqlite-path=../ioltp.db --time=0 --events=200 --capture=vfs --twin --twin-time=0.1 run
assert_grep 'transactions: +200'
assert_grep '^Transactions +application +pace'
fits_twin ioltp.twin.json
[ -s ioltp.twin.lua ] && [ -s ioltp.json ] || fail "a file is missing"
expect_status 2 "$IOLTP" "${db[@]}" --sqlite-path=../ioltp.db --twin --format=json run
assert_grep 'twin: its table would follow the document' "$TMP/err"
