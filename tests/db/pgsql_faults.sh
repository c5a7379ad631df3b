#!/bin/bash
# SPDX-License-Identifier: MIT
# A server that loses sessions, restarts, stalls or hangs during a run costs errors and time, never the run nor the books.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"

pg_start max_connections=20 log_min_messages=fatal
accounts=(bank "${pg_target[@]}" --accounts=100 --initial-balance=1000000)

# A run in the background: status in $TMP/status when it ends.
run_behind() {
	("$IOLTP" "$@" run >"$TMP/out" 2>"$TMP/err"; echo $? >"$TMP/status") &
	run_pid=$!
}

run_ended() {
	wait "$run_pid"
	assert_equal "$1" "$(cat "$TMP/status")" "status of the run"
}

number() {
	sed -nE "s/$1/\\1/p" "$TMP/out" | head -n 1
}

until_it_runs() {
	pg_wait_for "SELECT count(*) >= 2 FROM pg_stat_activity WHERE application_name = 'ioltp' AND query ~ 'sbtest|bank_|BEGIN|COMMIT'"
}

# ---- sessions that are ended in a loop ----
expect_status 0 "$IOLTP" "${accounts[@]}" --threads=4 prepare
run_behind "${accounts[@]}" --threads=4 --lua-states=2 --time=6 # each client loses its own connection
until_it_runs
for ((i = 0; i < 20; i++)); do
	pg_sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'ioltp'" >"$TMP/ended"
	sleep 0.15
done
run_ended 0
[ "$(number '^ *reconnects: *([0-9]+) .*')" -ge 20 ] || fail "too few reconnects"
assert_grep '^ +[0-9]+ +0 +57P01 '
assert_grep '= ok [1-9][0-9]* '
expect_status 0 "$IOLTP" "${accounts[@]}" check

# The same without statements prepared on the server, and in pipelines.
expect_status 0 "$IOLTP" oltp_read_write "${pg_target[@]}" --threads=4 --table-size=1000 prepare
for mode in --db-ps-mode=disable --pipeline; do
	run_behind oltp_read_write "${pg_target[@]}" --threads=4 --table-size=1000 "$mode" --time=4
	until_it_runs
	for ((i = 0; i < 10; i++)); do
		pg_sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'ioltp'" >"$TMP/ended"
		sleep 0.15
	done
	run_ended 0
	[ "$(number '^ *reconnects: *([0-9]+) .*')" -ge 10 ] || fail "$mode: too few reconnects"
	expect_status 0 "$IOLTP" oltp_read_write "${pg_target[@]}" --table-size=1000 check
done

# Any error is to be ignored: no reason to go on with a connection that is gone.
run_behind oltp_read_write "${pg_target[@]}" --threads=2 --table-size=1000 --pgsql-ignore-errors=all --time=3
until_it_runs
pg_sql "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'ioltp'" >"$TMP/ended"
run_ended 0

# ---- a restart, with and without a good-bye ----
for mode in fast immediate; do
	run_behind "${accounts[@]}" --threads=3 --time=8
	until_it_runs
	sleep 1
	pg_restart "$mode"
	run_ended 0
	assert_grep '^ +[0-9]+ +0 +(57P0[123]|08[0-9]+) '
	[ "$(number '^ *reconnects: *([0-9]+) .*')" -ge 3 ] || fail "restart, $mode: too few reconnects"
	expect_status 0 "$IOLTP" "${accounts[@]}" check
done

# ---- a stall of three seconds ----
# server_signal SIGNAL: to all processes of the server.
server_signal() {
	local pid
	pid=$(head -n 1 "$PG_DATA/postmaster.pid")
	kill "-$1" "$pid"
	pkill "-$1" -P "$pid"
}
run_behind "${accounts[@]}" --threads=2 --time=7 --report-interval=1 --percentile=99
until_it_runs
sleep 1
server_signal STOP
sleep 3
server_signal CONT
run_ended 0
[ "$(number '^ +max: +([0-9]+)\..*')" -ge 2900 ] || fail "the longest latency does not show the stall"
# Intervals in which nothing ended show the age of what waits, and no zero.
assert_no_grep '^\[ .* tps: 0\.00 .* lat \(ms,99%\): 0\.00 '
assert_grep '^\[ .* tps: 0\.00 .* lat \(ms,99%\): [12][0-9]{3}\.'
expect_status 0 "$IOLTP" "${accounts[@]}" check

# ---- a server that hangs for good ----
# By its own limit for a statement the run ends in time ...
run_behind "${accounts[@]}" --threads=2 --time=6 --pgsql-statement-timeout=3 --pgsql-connect-timeout=1 --drain-time=20
until_it_runs
server_signal STOP
run_ended 0
assert_grep '^ +[0-9]+ +0 +08006 +no answer from the server for 3 s \(--pgsql-statement-timeout\)'
server_signal CONT
# ... and by the run's limit without.
run_behind "${accounts[@]}" --threads=2 --time=6 --drain-time=2
until_it_runs
server_signal STOP
wait "$run_pid"
[ "$(cat "$TMP/status")" -le 1 ] || fail "a hung server: status $(cat "$TMP/status")"
assert_grep 'unfinished [12]($|;)'
server_signal CONT
expect_status 0 "$IOLTP" "${accounts[@]}" check
exit 0
