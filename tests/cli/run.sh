#!/bin/bash
# SPDX-License-Identifier: MIT
# A run as a user sees it: fates that add up, signals, hangs, rates, checkpoints, formats, wrong use, full disks.
. "${srcdir:-.}/tests/lib.sh"
need_command python3 python3

echo 'function event() end' >empty.lua
cat >sleep.lua <<'EOT'
ffi.cdef "int usleep(unsigned int);"
function event() ffi.C.usleep(2000) end
EOT

# check_json FILE EXPRESSION: d is the document, t its totals.
check_json() {
	python3 - "$1" "$2" <<'EOT' || fail "$1: not so: $2"
import json, sys
d = json.load(open(sys.argv[1]))
t = d["totals"]
ident = t["offered"] == t["ok"] + t["failed"] + t["skipped"] + t["unfinished"]
sums = all(sum(i[k] for i in d["intervals"]) == t[k] for k in ("offered", "ok", "failed", "skipped", "unfinished")) if d["intervals"] else True
ok = ident and sums and bool(eval(sys.argv[2]))
if not ok:
    print("totals", t, "identity", ident, "sums", sums)
sys.exit(0 if ok else 1)
EOT
}

# ---- counts ----
expect_status 0 "$IOLTP" empty.lua --events=1000 --threads=3 --output=a.json run
check_json a.json 't["ok"] == 1000 and d["schema"] == "ioltp-result-1"'
expect_status 0 "$IOLTP" sleep.lua --time=1 --threads=2 --warmup-time=0.3 --report-interval=200ms --report-checkpoints=0.5 --output=b.json run
check_json b.json 't["ok"] > 50 and len(d["intervals"]) >= 4 and abs(d["phases"]["warmup_ns"] - 3e8) < 1'
assert_equal 1 "$(grep -c 'Checkpoint report' out)" checkpoints
[ ! -e b.json.part ] || fail "b.json.part was left"

# ---- open loop: overload shows, nothing vanishes ----
expect_status 0 "$IOLTP" sleep.lua --time=1 --rate=2000 --report-interval=500ms --output=c.json run
check_json c.json 't["skipped"] > 100 and t["queue_length"] == 0 if "queue_length" in t else t["skipped"] > 100'
check_json c.json 'd["latency_ns"]["mean"] > 5 * t["service_ns"]["mean"]'
assert_grep 'queue length: [1-9]'
expect_status 0 "$IOLTP" empty.lua --time=1 --rate=0.5 --rate-process=fixed --output=d.json run
check_json d.json 't["offered"] == 1'
expect_status 0 "$IOLTP" empty.lua --events=500 --rate=2000 --output=e.json run
check_json e.json 't["offered"] == 500'

# ---- signals ----
for pair in INT:130 TERM:143; do
	"$IOLTP" sleep.lua --time=30 --output=s.json run >out 2>err &
	pid=$!
	for _ in $(seq 100); do grep -q started out && break; sleep 0.1; done
	sleep 0.3
	kill -"${pair%:*}" $pid
	wait $pid
	assert_equal "${pair#*:}" $? "status after SIG${pair%:*}"
	assert_grep "^partial: stopped by SIG${pair%:*}"
	check_json s.json 't["ok"] > 1'
	assert_grep 'partial' s.json
done
cat >hang.lua <<'EOT'
function event() while true do end end
EOT
"$IOLTP" hang.lua --time=30 run >out 2>err &
pid=$!
for _ in $(seq 100); do grep -q started out && break; sleep 0.1; done
sleep 0.2
kill -INT $pid
sleep 0.3
kill -INT $pid
wait $pid
assert_equal 130 $? "status after a second SIGINT"

# ---- a script that never comes back ----
expect_status 1 "$IOLTP" hang.lua --time=0.2 --drain-time=0.3 --threads=2 --output=h.json run
assert_grep '^ioltp: error: run: 2 threads did not come back' err
check_json h.json 't["unfinished"] == 2'
expect_status 0 "$IOLTP" hang.lua --time=0.2 --forced-shutdown=0.2 --output=h2.json run
check_json h2.json 't["unfinished"] == 1'

# ---- a stall shows ----
"$IOLTP" sleep.lua --time=3 --report-interval=500ms run >out 2>err &
pid=$!
for _ in $(seq 100); do grep -q started out && break; sleep 0.1; done
sleep 0.6
kill -STOP $pid
sleep 1
kill -CONT $pid
wait $pid || fail "status $? after SIGSTOP"
python3 - <<'EOT' || fail "the stall of 1 s does not show in max"
import re
m = re.search(r"max: +([0-9.]+)", open("out").read())
raise SystemExit(0 if float(m.group(1)) > 800 else 1)
EOT

# ---- memory that runs out ----
cat >memory.lua <<'EOT'
local t, n = {}, 0
function event() for i = 1, 1000 do n = n + 1; t[#t + 1] = string.rep("x", 100000) .. n end end
EOT
# A build with the address sanitizer does not even start in so little.
if (ulimit -v 1000000 && "$IOLTP" --version) >/dev/null 2>&1; then
	(ulimit -v 1000000; "$IOLTP" memory.lua --time=60 run >out 2>err)
	assert_equal 1 $? "status when memory runs out"
	assert_grep 'not enough memory|out of memory' err
fi

# ---- formats ----
expect_status 0 "$IOLTP" empty.lua --events=100 --format=json run
python3 -c 'import json; assert json.load(open("out"))["totals"]["ok"] == 100' || fail "--format=json is no JSON"
expect_status 0 "$IOLTP" sleep.lua --time=1 --format=csv --report-interval=300ms run
[ "$(wc -l <out)" -ge 4 ] || fail "--format=csv: too few rows"
assert_equal 1 "$(awk -F, '{print NF}' out | sort -u | wc -l)" "kinds of CSV rows"
expect_status 0 "$IOLTP" empty.lua --events=1000 --percentile=50,99,99.9 --histogram=on run
assert_grep '50th percentile:'
assert_grep 'Latency histogram'
expect_status 0 "$IOLTP" empty.lua --events=1000 --compat=1.1 run
assert_grep 'events/s \(eps\):'

# ---- standard output and documents that cannot be written ----
"$IOLTP" empty.lua --events=10 run >/dev/full 2>err
assert_equal 1 $? "status with a full standard output"
assert_grep 'standard output: .*No space left' err
expect_status 2 "$IOLTP" empty.lua --events=10 --output=/nowhere/x.json run
assert_grep '/nowhere/x.json' err
expect_status 1 "$IOLTP" empty.lua --events=10 --output=/dev/full run
assert_grep '/dev/full' err

# ---- wrong use: one line that names the option ----
for bad in --threads=0 --threads=x --threads=99999999 --time=-1 --time=abc --events=-1 --rate=-5 --rate=inf --report-interval=50ms --percentile=101 --percentile=x \
	--forced-shutdown=maybe --warmup-time=x --rand-seed=1.5 --rand-type=odd --format=xml --nosuch --db-driver=nosuch --rand-pareto-h=2 --verbosity=9; do
	expect_status 2 "$IOLTP" oltp_read_write "$bad" run
	assert_equal 1 "$(wc -l <err)" "lines about $bad"
	assert_grep "^ioltp: error: ${bad%%=*}[=:]" err
done
# Nothing to check an option against, and nothing to do.
for empty in '' $'\n \t\n'; do
	expect_status 2 "$IOLTP" - --nonsense run < <(printf '%s' "$empty")
	assert_equal 1 "$(wc -l <err)" "lines about an empty script"
	assert_grep '^ioltp: error: stdin: is empty; give a Lua script' err
done
expect_status 2 "$IOLTP" --nonsense </dev/null
: >nothing.lua
expect_status 2 "$IOLTP" nothing.lua run
assert_grep '^ioltp: error: nothing.lua: is empty' err
expect_status 2 "$IOLTP" oltp_read_write --thread=1 run
assert_grep 'did you mean --threads' err
expect_status 2 "$IOLTP" --mix=oltp_point_select@x run
expect_status 2 "$IOLTP" --mix=nosuch@1 run
expect_status 0 "$IOLTP" --version
expect_status 0 "$IOLTP" --help
assert_grep '^  oltp_read_write$'
assert_grep '--sqlite-path='
expect_status 0 "$IOLTP" --db-driver=help
assert_grep 'sqlite'

# ---- mixes ----
expect_status 0 "$IOLTP" --mix=oltp_point_select@70,oltp_update_index@30 --db-driver=null --events=2000 --threads=2 --output=m.json run
check_json m.json 'sorted(x["type"] if "type" in x else x["name"] for x in d["transactions"])[:2] == ["oltp_point_select", "oltp_update_index"]'
cat >deck.lua <<'EOT'
ioltp.mix {
   a = { cards = 7, run = function() end },
   b = { cards = 3, run = function() end, think = 0.0001, keying = ioltp.exponential(0.0001) },
}
EOT
expect_status 0 "$IOLTP" deck.lua --db-driver=null --events=1000 --output=k.json run
check_json k.json '{(x.get("name") or x.get("type")): x["ok"] for x in d["transactions"]} == {"a": 700, "b": 300}'
