#!/bin/bash
# SPDX-License-Identifier: MIT
# Loads that are interrupted, killed or out of space: they fail aloud, and can be made again.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"

pg_start log_min_messages=fatal
load=(oltp_read_write "${pg_target[@]}" --threads=2 --tables=2)

# behind OPTIONS...: prepare in the background, until rows are on their way.
behind() {
	("$IOLTP" "${load[@]}" "$@" prepare >"$TMP/out" 2>"$TMP/err"; echo $? >"$TMP/status") &
	load_pid=$!
	pg_wait_for "SELECT count(*) > 0 FROM pg_stat_progress_copy"
	sleep 0.5
	program_pid=$(pgrep -P "$load_pid" | head -n 1)
}

# ---- a load that is complete, the same whatever the threads ----
sums() {
	pg_sql "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM sbtest$1 t"
}
expect_status 0 "$IOLTP" "${load[@]}" --table-size=30000 --rand-seed=5 prepare
one=$(sums 1) two=$(sums 2)
expect_status 0 "$IOLTP" "${load[@]}" --table-size=30000 check
assert_equal 30000 "$(pg_sql "SELECT currval FROM (SELECT nextval('sbtest1_id_seq') - 1 AS currval) s")" "the sequence"
expect_status 1 "$IOLTP" "${load[@]}" --table-size=30000 prepare
assert_grep 'table sbtest1: it exists with 30000 rows \(and 1 more\); run the command `cleanup` first, or give --prepare=replace' "$TMP/err"
expect_status 0 "$IOLTP" "${load[@]}" --table-size=30000 --rand-seed=5 --threads=3 --prepare=replace prepare
assert_equal "$one $two" "$(sums 1) $(sums 2)" "the rows, by other threads"

# ---- SIGINT ----
behind --table-size=5000000 --prepare=replace
kill -INT "$program_pid"
wait "$load_pid"
assert_equal 130 "$(cat "$TMP/status")" "status after SIGINT"
assert_grep 'prepare: dropped the 2 tables that it had made' "$TMP/err"
assert_equal 0 "$(pg_sql "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'sbtest%'")" "tables after SIGINT"

# ---- kill -9: what is left can be replaced, and is named otherwise ----
behind --table-size=5000000
kill -KILL "$program_pid"
wait "$load_pid"
pg_wait_for "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'ioltp'"
expect_status 1 "$IOLTP" "${load[@]}" --table-size=1000 prepare
assert_grep 'table sbtest1: it exists with ' "$TMP/err"
expect_status 1 "$IOLTP" "${load[@]}" --table-size=1000 --prepare=reuse prepare
expect_status 0 "$IOLTP" "${load[@]}" --table-size=1000 --prepare=replace prepare
expect_status 0 "$IOLTP" "${load[@]}" --table-size=1000 check

# ---- sessions that end during a load ----
behind --table-size=5000000 --prepare=replace
# Between two chunks a thread copies nothing.
pg_wait_for "SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_progress_copy"
wait "$load_pid"
assert_equal 1 "$(cat "$TMP/status")" "status after the end of its sessions"
assert_grep 'sbtest[12]: rows [0-9]+\.\.[0-9]+ were not loaded.*terminating connection' "$TMP/err"
assert_equal 0 "$(pg_sql "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'sbtest%'")" "tables after that"

# ---- a column that does not fit ----
expect_status 1 "$IOLTP" "${load[@]}" --table-size=1000 "--create-table-options=; ALTER TABLE sbtest1 ALTER c TYPE char(10)" prepare
assert_grep 'sbtest1: rows .* value too long for type character\(10\)' "$TMP/err"

# ---- a full disk ----
[ "$(id -u)" = 0 ] || skip "needs root for a small filesystem; the rest is fine"
tiny_filesystem 65536 "$TMP/small"
[ -z "$pg_user" ] || chown "$pg_user" "$TMP/small"
chmod 711 "$TMP/small"
mkdir "$TMP/small/space" && { [ -z "$pg_user" ] || chown "$pg_user" "$TMP/small/space"; }
pg_sql postgres "CREATE TABLESPACE small LOCATION '$TMP/small/space'" || fail "cannot make a tablespace"
pg_sql postgres "GRANT ALL ON TABLESPACE small TO sbtest"
small=(oltp_read_write "${pg_target[@]}" --threads=2 "--pgsql-options=-c default_tablespace=small")
expect_status 1 "$IOLTP" "${small[@]}" --table-size=1000000 prepare
assert_grep 'sbtest1: rows [0-9]+\.\.[0-9]+ were not loaded: .*No space left on device.* \(0, 53100\); mend that' "$TMP/err"
assert_equal 0 "$(pg_sql "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'sbtest%'")" "tables after a full disk"
# A run that fills it fails with the reason, and the report of what was done before.
expect_status 0 "$IOLTP" "${small[@]}" --table-size=100000 prepare
expect_status 1 "$IOLTP" oltp_insert "${small[@]:1}" --table-size=100000 --time=60 run
assert_grep 'No space left on device|could not extend file' "$TMP/err"
assert_grep '^ *transactions: +[1-9]'
expect_status 0 "$IOLTP" "${small[@]}" cleanup
pg_sql postgres "DROP TABLESPACE small"
exit 0
