#!/bin/bash
# SPDX-License-Identifier: MIT
# Two servers of `ioltp db` on a loop device's file system, of either engine: one capture over both, its twin, and what the two say.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"
. "$srcdir/tests/cli/capture_lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"
. "$srcdir/tests/db/instances_lib.sh"
unset "${!PG@}" 2>/dev/null
need_tracing
need_command mkfs.ext4 e2fsprogs

loop_device 2048
mkfs.ext4 -q "$loop" || fail "mkfs"
mkdir "$base/mnt"
mount "$loop" "$base/mnt" || skip "may not mount"
unmount() {
	"$IOLTP" db stop --purge --dir="$base/mnt/db" --timeout=20 >/dev/null 2>&1
	umount "$base/mnt"
}
at_exit unmount
dir=$base/mnt/db
workload=(oltp_update_non_index "--targets=$dir" --tables=1 --table-size=1000 --threads=4)

# over_two ENGINE PROCESSES: everything about one engine, whose two servers have so many processes at least.
over_two() {
	engine=$1
	start_two
	expect_status 0 "$IOLTP" "${workload[@]}" prepare
	captured "${workload[@]}" --time=2 --capture=block --device="$loop" run
	check_result out.json 'min(x["ok"] for x in t) > 0'
	assert_equal block "$(value 'doc["capture"]["source"]')"
	assert_equal 0 "$(value 'doc["capture"]["dropped"]')"
	assert_equal "$(value 'doc["totals"]["ok"]')" "$(value 'doc["capture"]["io"]["transactions"]')"
	value 'doc["capture"]["io"]["flushes"] > 0 and doc["capture"]["server"]["written_bytes"] > 0' | grep -q True ||
		fail "no flushes: $(value 'doc["capture"]')"
	# Both servers' processes.
	[ "$(value 'doc["capture"]["server"]["processes"]')" -ge "$2" ] || fail "processes: $(value 'doc["capture"]["server"]')"
	expect_status 0 "$IOLTP" twin out.json --replay=capability --time=0.5 --warmup-time=0 --target="$base/mnt/twin.img" --output=twin.json
	expect_status 0 "$IOLTP" compare out.json twin.json --format=json
	python3 - <<-'EOP' || fail "the comparison"
	import json
	d = json.load(open("out"))
	assert d["verdict"]["cause"] and len(d["rows"]) > 10, d["verdict"]
	EOP
	expect_status 0 "$IOLTP" db stop --purge --dir="$dir"
	assert_nothing "$dir"
}

tried=0
if command -v mariadb-install-db >/dev/null && [ -n "$mariadb_server" ]; then
	over_two mariadb 2
	tried=1
fi
if ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb >/dev/null 2>&1; then
	# Each has its postmaster, checkpointer, writer, log writer and launcher.
	over_two postgres 10
	tried=1
fi
[ "$tried" = 1 ] || skip "neither mariadb-server nor postgresql is installed"
