#!/bin/bash
# SPDX-License-Identifier: MIT
# The verdict of `ioltp compare` where the answer is known beforehand: a drive that flushes 50 times a second, memory instead of a
# drive, many writers of one database, a generator without CPUs, and a load below what the drive can do. Each situation is far from
# the limits of the rule, so that a busy machine does not change the answer.
. "${srcdir:-.}/tests/lib.sh"
need_command python3 python3
slow=${IOLTP%/*}/tests/cli/slow_drive.so
[ -e "$slow" ] || fail "$slow is not built; make $slow"

# on_slow_drive COMMAND...: a flush takes 20 ms. The sanitizers' libraries need not come first.
on_slow_drive() {
	IOLTP_SLOW_FLUSH_US=20000 LD_PRELOAD=$slow ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 "$@"
}

# sqlite NAME ARGS...: a captured run, its result in NAME.json
sqlite() {
	local name=$1
	shift
	expect_status 0 "${drive[@]}" "$IOLTP" "$@" --table-size=2000 --capture=vfs --output="$name.json" run
}

# twin NAME: what the same drive gives to the same I/Os, in NAME.twin.json. Not O_DIRECT, which would ask the real drive.
twin() {
	expect_status 0 "${drive[@]}" "$IOLTP" twin "$1.json" --engine=sync --units=transaction --replay=capability,saturation \
		--time=1.5 --warmup-time=0 --direct=off --output="$1.twin.json"
}

# verdict CAUSE APP SYNTHETIC [CONDITION]: the condition is Python on value(FIGURE), which is NaN for what is not known
verdict() {
	expect_status 0 "$IOLTP" compare "$2" "$3" --format=json
	python3 - "$TMP/out" "$1" "${4:-True}" <<-'EOP' || fail "$2: another verdict than $1, or not: ${4:-}"
	import json, sys
	v = json.load(open(sys.argv[1]))["verdict"]
	def value(name):
	    return next((f["value"] for f in v["figures"] if f["figure"] == name), float("nan"))
	sys.exit(0 if v["cause"] == sys.argv[2] and eval(sys.argv[3]) else v["words"])
	EOP
	echo "$2: $1"
}

expect_status 0 "$IOLTP" oltp_write_only --table-size=2000 prepare

# One writer that waits for one flush per commit, on a drive that can do no more of them.
drive=(on_slow_drive)
sqlite device oltp_write_only --threads=1 --time=3
twin device
verdict device device.json device.twin.json '0.8 <= value("reach_own") <= 1.25 and value("reach_most") >= 0.8 and value("device_time") > 0.8'

# Eight writers of which one may write, while the drive could flush for all of them side by side.
export IOLTP_SLOW_PARALLEL=1
sqlite lock oltp_write_only --threads=8 --time=3
twin lock
verdict lock lock.json lock.twin.json 'value("lock_time") > 0.7 and value("reach_most") < 0.5'
unset IOLTP_SLOW_PARALLEL

# Few arrivals, on the drive that does 50 flushes a second.
sqlite offered oltp_write_only --threads=4 --rate=10 --time=0 --events=30
twin offered
verdict "offered load" offered.json offered.twin.json 'value("achieved") >= 0.99 and value("reach_most") < 0.8'

# Reads of what lies in memory: nothing but the CPU is left.
if [ -d /dev/shm ] && [ -w /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	memory=$(mktemp -d /dev/shm/ioltp-test.XXXXXX) || fail "cannot use /dev/shm"
	at_exit rm -rf "$memory"
	cpus=$(nproc)
	drive=()
	expect_status 0 "$IOLTP" oltp_point_select --table-size=2000 --sqlite-path="$memory/m.db" prepare
	sqlite cpu oltp_point_select --sqlite-path="$memory/m.db" --threads=$((cpus < 4 ? cpus : 4)) --time=2
	twin cpu
	verdict cpu cpu.json cpu.twin.json 'value("device_time") < 0.3'
else
	echo "note: /dev/shm is no tmpfs; nothing CPU-bound was tried"
fi

# A script that computes for several times as long as the database of the model takes, on all CPUs.
cat >busy.lua <<'EOS'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
	local x = 0
	for i = 1, 1000000 do x = x + i % 7 end
	con:query("SELECT " .. x)
end
EOS
expect_status 0 "$IOLTP" busy.lua --db-driver=null --null-latency=fixed:100us --threads=$((4 * $(nproc))) --time=2 --capture=counters \
	--output=generator.json run
expect_status 0 "$IOLTP" raw none.img --file-size=16M --engine=null --oio=1 --time=0 --events=1000 --output=raw.json
verdict generator generator.json raw.json
# One client of it, which leaves CPUs idle: against a database, too, the script is what takes time.
expect_status 0 "$IOLTP" busy.lua --threads=1 --time=2 --capture=counters --output=script.json run
verdict generator script.json raw.json 'value("generator_time") > 0.5'
# The same without the computing is none: the model is what takes time.
expect_status 0 "$IOLTP" oltp_point_select --db-driver=null --null-latency=fixed:50ms --threads=2 --time=1 --output=model.json run
verdict "cannot tell" model.json raw.json
