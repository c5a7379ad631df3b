#!/bin/bash
# SPDX-License-Identifier: MIT
# ioltp db with PostgreSQL: two servers from start to purge, runs over both of them, and what happens to them on the way.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"
. "$srcdir/tests/db/instances_lib.sh"
unset "${!PG@}" 2>/dev/null

engine=postgres
dir=$base/db
workload=("$IOLTP" oltp_read_write "--targets=$dir" --tables=2 --table-size=500)

start_two
run_them
kill_one
stop_and_start
not_ours
# A server of somebody else on the data of an instance.
pg_as "$pg_bin/postgres" -D "$dir/1/data" -c "config_file=$dir/1/settings" >other.log 2>&1 &
other=$!
for ((i = 0; i < 300; i++)); do
	! grep -q 'ready to accept' other.log || break
	sleep 0.1
done
other=$(head -n 1 "$dir/1/data/postmaster.pid")
expect_status 1 "$IOLTP" db stop --purge --dir="$dir"
assert_grep "db/1/data: process $other, which ioltp did not start, uses it" "$TMP/err"
expect_status 1 "$IOLTP" db start --dir="$dir"
kill -INT "$other"
for ((i = 0; i < 300; i++)); do
	[ -d "/proc/$other" ] || break
	sleep 0.1
done
purge_all
assert_nothing "$dir"
