# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # srcdir is of tests/lib.sh
#
# Throw-away servers of `ioltp db`, for both engines. After tests/lib.sh: . "$srcdir/tests/db/instances_lib.sh"; the test then
# calls instances_test ENGINE. Servers run below $base, which is gone at the end with all processes that were started there.

engine='' dir='' workload=()
need_command python3 python3
need_command pgrep procps
base=$(mktemp -d "${TMPDIR:-/tmp}/ioltp-inst.XXXXXX") || exit 99
chmod 755 "$base"
# Logs of failed starts are kept there.
export TMPDIR=$base

# servers_left DIR...: processes whose command line names something below one of them.
servers_left() {
	local dir
	for dir; do
		pgrep -f -- "$dir/"
	done
}

sweep() {
	local dir pid
	for dir in "$base"/*/; do
		[ ! -e "$dir/ioltp-db.json" ] || "$IOLTP" db stop --purge --dir="$dir" --timeout=20 >/dev/null 2>&1
	done
	for pid in $(servers_left "$base"); do
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$base"
}
at_exit sweep

# field DIR NUMBER KEY: of `ioltp db status`.
field() {
	"$IOLTP" db status "--dir=$1" --format=json >"$TMP/status.json" || fail "no status of $1"
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(d["instances"][int(sys.argv[2]) - 1][sys.argv[3]])' "$TMP/status.json" "$2" "$3"
}

assert_states() {
	local dir=$1 i=0 state
	shift
	for state; do
		i=$((i + 1))
		assert_equal "$state" "$(field "$dir" $i state)" "state of instance $i"
	done
}

# Nothing of a start is left: no process, no directory.
assert_nothing() {
	assert_equal '' "$(servers_left "$1")" "processes left"
	[ ! -e "$1" ] || fail "$1 is left: $(ls "$1")"
}

# check_result FILE EXPRESSION: against the schema, the identities of targets, and an expression over d (document), t (targets).
check_result() {
	python3 - "$1" "$srcdir/docs/result.schema.json" "$2" <<'PY' || fail "$1: see above"
import base64, json, struct, sys, zlib
d = json.load(open(sys.argv[1]))
try:
    import jsonschema
    jsonschema.validate(d, json.load(open(sys.argv[2])))
except ImportError:
    pass
t, total = d["targets"], d["totals"]

def counts(text):
    raw = base64.b64decode(text)
    cookie, length = struct.unpack(">ii", raw[:8])
    if cookie & ~0xf0 == 0x1c849304:
        raw = zlib.decompress(raw[8:8 + length])
    body, at, index, found = raw[40:40 + struct.unpack(">i", raw[4:8])[0]], 0, 0, {}
    while at < len(body):
        value, shift = 0, 0
        while True:
            byte = body[at]
            at += 1
            if shift == 56:
                value |= byte << 56
                break
            value |= (byte & 0x7f) << shift
            shift += 7
            if not byte & 0x80:
                break
        value = (value >> 1) ^ -(value & 1)
        if value < 0:
            index -= value
        else:
            if value:
                found[index] = value
            index += 1
    return found

def ensure(what, good):
    if not good:
        sys.exit("not so: " + what)

for key in ("ok", "failed", "unfinished", "retries", "reconnects", "errors", "commit_unknown", "reads", "writes", "other"):
    ensure("sum of " + key, sum(x[key] for x in t) == total[key])
ensure("clients", sum(x["clients"] for x in t) == total["threads"])
for x in t:
    ensure("balance of " + x["name"], x["begun"] == x["ok"] + x["failed"] + x["unfinished"])
    ensure("latencies of " + x["name"], x["latency_ns"]["count"] == x["ok"])
ensure("sum of tps", abs(sum(x["tps"] for x in t) - total["tps"]) < 1e-6 * max(1, total["tps"]))
ensure("sum of qps", abs(sum(x["qps"] for x in t) - total["qps"]) < 1e-6 * max(1, total["qps"]))
l = d["latency_ns"]
busy = [x["latency_ns"] for x in t if x["ok"]]
ensure("mean", abs(sum(x["mean"] * x["count"] for x in busy) / l["count"] - l["mean"]) < 1e-6 * l["mean"])
ensure("extremes", min(x["min"] for x in busy) == l["min"] and max(x["max"] for x in busy) == l["max"])
merged = {}
for x in d["histograms"]["targets"]:
    for index, n in counts(x["latency_ns"]).items():
        merged[index] = merged.get(index, 0) + n
ensure("merged histograms", merged == counts(d["histograms"]["latency_ns"]) and sum(merged.values()) == total["ok"])
ensure("%s, with %s" % (sys.argv[3], [{k: x[k] for k in ("ok", "failed", "unfinished", "errors", "commit_unknown")} for x in t]), eval(sys.argv[3]))
PY
}

# ---- the parts of the test; $engine, $dir and $workload are set ----

start_two() {
	expect_status 0 "$IOLTP" db start --engine="$engine" --dir="$dir" --instances=2 --memory=192M --set max_connections=50
	assert_equal '' "$(find "$dir" -perm -o+w ! -type l ! -type s)" "world-writable files"
	assert_equal 600 "$(stat -c %a "$dir/password")" "mode of the password file"
	assert_states "$dir" running running
	if [ "$(id -u)" = 0 ]; then
		[ "$(stat -c %u "/proc/$(field "$dir" 1 pid)")" != 0 ] || fail "a server runs as root"
	fi
	# Once more changes nothing.
	local pid
	pid=$(field "$dir" 1 pid)
	expect_status 0 "$IOLTP" db start --dir="$dir"
	assert_equal "$pid" "$(field "$dir" 1 pid)" "process after a second start"
}

run_them() {
	expect_status 0 "${workload[@]}" prepare
	assert_grep 'target 2 of 2, .* is through' "$TMP/err"
	expect_status 0 "${workload[@]}" --threads=4 --time=2 --output=two.json run
	assert_grep '^Targets '
	assert_grep "^ +2 .* $(field "$dir" 2 socket)\$"
	check_result two.json 'min(x["ok"] for x in t) > 0 and d["database"]["durable"] is True'
	! grep -q "$(cat "$dir/password")" two.json "$TMP/out" "$TMP/err" || fail "the password shows"
	expect_status 0 "${workload[@]}" --threads=3 --rate=40 --time=1 --output=open.json run
	check_result open.json 'all("service_ns" in x for x in t) and any("multiple of 2" in w for w in d["warnings"])'
	expect_status 0 "${workload[@]}" --threads=1 --time=0 --events=5 --output=one.json run
	check_result one.json 't[1]["clients"] == 0 and t[1]["ok"] == 0 and any("had no client" in w for w in d["warnings"])'
	expect_status 0 "${workload[@]}" check
	# What says where to connect to twice.
	expect_status 2 "${workload[@]}" --mysql-host=127.0.0.1 run
	assert_grep 'targets: --mysql-host was given too' "$TMP/err"
	expect_status 2 "${workload[@]}" --db-driver=sqlite run
	expect_status 2 "$IOLTP" oltp_read_write --targets=/nonexistent run
}

# One of the servers is killed under a run: errors, not the end.
kill_one() {
	local pid run
	pid=$(field "$dir" 2 pid)
	"${workload[@]}" --threads=4 --time=5 --output=killed.json run >killed.out 2>&1 &
	run=$!
	sleep 2
	kill -KILL "$pid"
	wait $run
	assert_equal 0 $? "status of a run whose server was killed"
	# At the end of the run an event that is between two tries, on either server, is unfinished. A client that was in its
	# COMMIT ends that event as unknown, which is failed and no error to try again.
	check_result killed.json '(t[0]["failed"] == 0 and t[0]["ok"] > 0 and t[1]["errors"] + t[1]["commit_unknown"] >= 2 and
		t[1]["unfinished"] + t[1]["failed"] >= 2)'
	assert_states "$dir" running dead
	expect_status 1 "${workload[@]}" run
	assert_grep 'instance 2 is dead; see' "$TMP/err"
	expect_status 0 "$IOLTP" db start --dir="$dir"
	assert_states "$dir" running running
	expect_status 0 "${workload[@]}" check
	pid=$(field "$dir" 2 pid)
	kill -STOP "$pid"
	assert_states "$dir" running silent
	kill -CONT "$pid"
	assert_states "$dir" running running
}

stop_and_start() {
	local settings
	settings=$(grep '"settings"' "$dir/ioltp-db.json")
	expect_status 0 "$IOLTP" db stop --dir="$dir"
	assert_equal '' "$(servers_left "$dir"/[12])" "processes left"
	assert_states "$dir" stopped stopped
	# A start that fails leaves stopped servers with their data and settings.
	expect_status 1 "$IOLTP" db start --dir="$dir" --set no_such_setting=1
	assert_grep "instance [12]: .*no_such_setting.*; see its log $dir/[12]/log" "$TMP/err"
	assert_equal '' "$(servers_left "$dir"/[12])" "processes left by a failed start"
	assert_equal "$settings" "$(grep '"settings"' "$dir/ioltp-db.json")" "settings after a failed start"
	expect_status 2 "$IOLTP" db start --dir="$dir" --instances=3
	expect_status 0 "$IOLTP" db start --dir="$dir"
	expect_status 0 "${workload[@]}" check
	expect_status 0 "${workload[@]}" cleanup
}

# A process that only has the number of the marker is not ours.
not_ours() {
	local sleeper
	expect_status 0 "$IOLTP" db stop --dir="$dir"
	sleep 1000 &
	sleeper=$!
	at_exit kill "$sleeper"
	sed -i "s/\"number\": 1,\(.*\)\"pid\": 0, \"start_ticks\": 0/\"number\": 1,\1\"pid\": $sleeper, \"start_ticks\": 12345/" \
		"$dir/ioltp-db.json"
	grep -q "\"pid\": $sleeper" "$dir/ioltp-db.json" || fail "the marker was not changed"
	assert_states "$dir" dead stopped
	expect_status 0 "$IOLTP" db stop --dir="$dir"
	kill -0 "$sleeper" || fail "a process of somebody else was ended"
	echo '{ "schema": 1' >"$base/marker" && cp "$dir/ioltp-db.json" "$base/kept" && cp "$base/marker" "$dir/ioltp-db.json"
	expect_status 2 "$IOLTP" db stop --purge --dir="$dir"
	assert_grep 'ioltp-db.json: is no JSON document' "$TMP/err"
	cp "$base/kept" "$dir/ioltp-db.json"
}

refusals() {
	local new=$base/new
	mkdir "$base/full" && echo precious >"$base/full/file"
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$base/full"
	assert_grep 'is not empty \(file\)' "$TMP/err"
	assert_equal precious "$(cat "$base/full/file")" "file in a refused directory"
	expect_status 2 "$IOLTP" db stop --purge --dir="$base/full"
	assert_equal precious "$(cat "$base/full/file")" "file in a refused directory"
	expect_status 2 "$IOLTP" db start --dir="$new"
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new" --bindir=/nonexistent
	assert_grep 'bindir=/nonexistent: there is no' "$TMP/err"
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new" --instances=8 --memory=100M
	assert_grep 'is 12.5 MiB each; give each 64 MiB or more' "$TMP/err"
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new" --memory=900T
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new" --set port=5
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new" --set novalue
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new" --user=nosuchuser
	expect_status 2 "$IOLTP" db start --engine="$engine" --dir="$new/a/b"
	expect_status 2 "$IOLTP" db frobnicate --dir="$new"
	expect_status 2 "$IOLTP" db start --engine="$engine"
	assert_nothing "$new"
	# A setting that the server refuses.
	expect_status 1 "$IOLTP" db start --engine="$engine" --dir="$new" --instances=2 --memory=192M --set no_such_setting=1
	assert_grep "instance [12]: .*no_such_setting.* kept as $base/ioltp-db-log" "$TMP/err"
	grep -q no_such_setting "$base"/ioltp-db-log.* || fail "the log was not kept"
	assert_nothing "$new"
}

# Interrupted, and killed, in the middle of a start.
interrupted() {
	local new=$base/new start i
	"$IOLTP" db start --engine="$engine" --dir="$new" --instances=2 --memory=192M >"$TMP/out" 2>"$TMP/err" &
	start=$!
	for ((i = 0; i < 200; i++)); do
		[ ! -d "$new/1/data" ] || break
		sleep 0.05
	done
	sleep 0.5
	kill -INT $start
	wait $start
	assert_equal 130 $? "status of an interrupted start"
	assert_nothing "$new"
	"$IOLTP" db start --engine="$engine" --dir="$new" --instances=2 --memory=192M >"$TMP/out" 2>"$TMP/err" &
	start=$!
	for ((i = 0; i < 600; i++)); do
		! grep -q '"pid": [1-9]' "$new/ioltp-db.json" 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL $start
	wait $start 2>/dev/null
	# What installs goes on to its end; then the marker is enough to end and delete all.
	sleep 1
	expect_status 0 "$IOLTP" db start --dir="$new"
	assert_states "$new" running running
	expect_status 0 "$IOLTP" db stop --purge --dir="$new"
	assert_nothing "$new"
}

# A start while one is at work there, and a filesystem without room.
no_room() {
	local small=$base/small
	tiny_filesystem "$1" "$small"
	chmod 755 "$small"
	expect_status 1 "$IOLTP" db start --engine="$engine" --dir="$small" --memory=96M
	assert_grep 'instance 1: .*(No space left|space left|errno: 28|disk full|error 28)' "$TMP/err"
	assert_equal '' "$(servers_left "$small")" "processes left on a full filesystem"
	assert_equal '' "$(find "$small" -mindepth 1 ! -name lost+found)" "files left on a full filesystem"
}

purge_all() {
	expect_status 0 "$IOLTP" db start --dir="$dir"
	expect_status 0 "$IOLTP" db stop --purge --dir="$dir"
	assert_equal '' "$(servers_left "$dir/1" "$dir/2")" "processes left"
	expect_status 2 "$IOLTP" db status --dir="$dir"
}
