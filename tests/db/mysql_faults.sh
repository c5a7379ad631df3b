#!/bin/bash
# SPDX-License-Identifier: MIT
# Backends that are killed in a loop, and a server that is restarted, cost errors and not the run, with any list of errors to ignore;
# what is in the database afterwards is right.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

mariadb_start
expect_status 0 "$IOLTP" bank "${mysql_options[@]}" --accounts=100 --threads=4 prepare
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --table-size=2000 --threads=4 prepare

field() {
	sed -n "s/^ *$1: *\([0-9]*\) .*/\1/p" "$TMP/out"
}

# kill_some COUNT: kills backends of sbtest, one after the other.
kill_some() {
	local i id
	for ((i = 0; i < $1; i++)); do
		id=$(mariadb_sql "SELECT id FROM information_schema.processlist WHERE user = 'sbtest' ORDER BY RAND() LIMIT 1")
		[ -z "$id" ] || mariadb_sql "KILL $id" 2>/dev/null
		sleep 0.05
	done
}

# run_and COMMAND... -- ARGUMENT...: runs the program with the arguments, and the command once it is at work.
run_and() {
	local -a command=()
	local pid i
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	timeout 120 "$IOLTP" "${mysql_options[@]}" "$@" >"$TMP/out" 2>"$TMP/err" &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		grep -q '^\[ 1s' "$TMP/out" && break
		sleep 0.1
	done
	"${command[@]}"
	wait "$pid"
	status=$?
	[ "$status" = 0 ] || fail "status $status of a run in which: ${command[*]}"
}

for errors in 1213,1020,1205 all; do
	for mode in auto disable; do
		run_and kill_some 40 -- oltp_read_write --table-size=2000 --threads=4 --time=8 --report-interval=1 \
			--mysql-ignore-errors=$errors --db-ps-mode=$mode run
		[ "$(field reconnects)" -ge 10 ] || fail "$(field reconnects) reconnects after 40 kills"
		[ "$(field transactions)" -gt 0 ] || fail "no transaction"
		assert_grep '^Balance: +offered'
	done
done
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --table-size=2000 check

# The books of the bank show a transaction that was done by half, or counted and not done. Clients that share Lua states lose their
# connections apart, too.
run_and kill_some 40 -- bank --accounts=100 --threads=4 --lua-states=2 --time=8 --report-interval=1 run
expect_status 0 "$IOLTP" bank "${mysql_options[@]}" check

restart() {
	mariadb_stop main
	sleep 1
	mariadb_start
}
run_and restart -- bank --accounts=100 --threads=4 --time=15 --report-interval=1 run
[ "$(field reconnects)" -ge 4 ] || fail "$(field reconnects) reconnects after a restart"
assert_no_grep '^\[ [0-9]+s \].*tps: 0\.00.*lat \(ms,95%\): 0\.00 err/s: 0\.00 reconn/s: 0\.00$'
# Work went on after the server was back.
sed -n 's/^\[ 1[3-5]s \].* tps: \([0-9.]*\) .*/\1/p' "$TMP/out" >late
grep -qv '^0\.00$' late || fail "no transaction at the end: $(cat late)"
expect_status 0 "$IOLTP" bank "${mysql_options[@]}" check

# A load that loses its server fails, says how far it came, and can be done again.
"$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=4 --table-size=1000000 --threads=2 --prepare=replace prepare >out 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do
	rows=$(mariadb_sql 'SELECT COUNT(*) FROM (SELECT 1 FROM sbtest.sbtest1 LIMIT 20001) t' 2>/dev/null)
	[ "${rows:-0}" -gt 20000 ] && break
	sleep 0.1
done
mariadb_kill "$mariadb_pid"
wait "$pid"
assert_equal 1 $? "status of a load without server"
assert_grep 'sbtest[1-4]: rows [0-9]+\.\.[0-9]+ were not loaded' err
mariadb_start
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=4 --table-size=1000 --threads=2 --prepare=replace prepare
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=4 --table-size=1000 check
