#!/bin/bash
# SPDX-License-Identifier: MIT
# A server that stands still for three seconds shows as such in the report, and one that hangs does not keep the program.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

mariadb_start
workload=(oltp_read_write --table-size=2000 --threads=2 "${mysql_options[@]}" --report-interval=1)
expect_status 0 "$IOLTP" "${workload[@]}" prepare

# Waits until the run in the background has shown its first interval.
at_work() {
	local i
	for ((i = 0; i < 300; i++)); do
		grep -q '^\[ 1s' "$TMP/out" && return
		sleep 0.1
	done
	fail "the run does not begin"
}

"$IOLTP" "${workload[@]}" --time=8 run >"$TMP/out" 2>"$TMP/err" &
pid=$!
at_work
kill -STOP "$mariadb_pid"
sleep 3
kill -CONT "$mariadb_pid"
wait "$pid"
assert_equal 0 $? "status of a run with a stall"
max_ms=$(sed -n 's/^ *max: *\([0-9]*\)\..*/\1/p' "$TMP/out" | head -n 1)
[ "$max_ms" -ge 2900 ] || fail "max of $max_ms ms after a stall of 3 s"
# While nothing ended, the oldest event in flight was told, and not a latency of zero.
assert_no_grep '^\[ [0-9]+s \].*lat \(ms,95%\): 0\.00 '
assert_grep '^\[ [0-9]+s \].* tps: 0\.00 .*lat \(ms,95%\): [1-9][0-9]{2,}'

# Hangs to the end.
"$IOLTP" "${workload[@]}" --time=3 --drain-time=2 run >"$TMP/out" 2>"$TMP/err" &
pid=$!
at_work
kill -STOP "$mariadb_pid"
for ((i = 0; i < 300; i++)); do
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.1
done
kill -0 "$pid" 2>/dev/null && {
	kill -KILL "$pid"
	fail "the program hangs with the server"
}
wait "$pid"
assert_equal 1 $? "status of a run whose server hangs"
assert_grep 'did not come back within 2 s' "$TMP/err"
assert_grep '^SQL statistics:'
kill -CONT "$mariadb_pid"

# With a read timeout the connection counts as lost, and the run goes on once the server does.
"$IOLTP" "${workload[@]}" --time=8 --mysql-read-timeout=1 run >"$TMP/out" 2>"$TMP/err" &
pid=$!
at_work
kill -STOP "$mariadb_pid"
sleep 3
kill -CONT "$mariadb_pid"
wait "$pid"
assert_equal 0 $? "status of a run with a read timeout"
assert_grep 'reconnects: +[1-9]'

# A hung server does not take new connections for ever either.
kill -STOP "$mariadb_pid"
expect_status 1 timeout 60 "$IOLTP" "${workload[@]}" --mysql-connect-timeout=2 --time=2 run
assert_grep 'is the server running\?' "$TMP/err"
kill -CONT "$mariadb_pid"
