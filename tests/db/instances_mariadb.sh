#!/bin/bash
# SPDX-License-Identifier: MIT
# ioltp db with MariaDB: two servers from start to purge, runs over both of them, and what happens to them on the way.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"
mariadb_need
"$IOLTP" --db-driver=help | grep -q '^  mysql' || skip "built without the MySQL driver"
. "$srcdir/tests/db/instances_lib.sh"

engine=mariadb
dir=$base/db
workload=("$IOLTP" oltp_read_write "--targets=$dir" --tables=2 --table-size=500)

start_two
# Somebody else's server in the same directory.
mkdir "$dir/theirs"
chmod 755 "$dir/theirs"
mariadb_start --name=theirs --dir="$dir/theirs"
theirs=$mariadb_pid
run_them
kill_one
stop_and_start
not_ours
# A server of somebody else on the data of an instance.
"${mariadb_as_user[@]}" "$mariadb_server" --defaults-file="$dir/1/settings" >other.log 2>&1 &
other=$!
at_exit mariadb_kill "$other"
for ((i = 0; i < 300; i++)); do
	! grep -q 'ready for connections' other.log || break
	sleep 0.1
done
expect_status 1 "$IOLTP" db stop --purge --dir="$dir"
assert_grep "db/1/data: process $other, which ioltp did not start, uses it" "$TMP/err"
expect_status 1 "$IOLTP" db start --dir="$dir"
kill -TERM "$other"
wait "$other"
purge_all
mariadb_alive "$theirs" || fail "somebody else's server was ended"
assert_equal 1 "$(mariadb_sql --name=theirs 'SELECT 1')" "somebody else's server"
assert_equal theirs "$(ls "$dir")" "what is left"
mariadb_stop theirs
