#!/bin/bash
# SPDX-License-Identifier: MIT
# The bundled workloads on a server, with four threads: prepare, run, check, cleanup; prepared statements and plain text.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

mariadb_start
oltp=(--tables=3 --table-size=2000 --threads=4)

ours() {
	expect_status 0 "$IOLTP" "$1" "${mysql_options[@]}" "${@:2}"
}

transactions() {
	sed -n 's/^ *transactions: *\([0-9]*\) .*/\1/p' "$TMP/out"
}

for workload in oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_update_index oltp_update_non_index \
	oltp_delete oltp_insert select_random_points select_random_ranges; do
	case $workload in
	select_random_*) options=(--tables=1 --table-size=2000 --threads=4) ;;
	*) options=("${oltp[@]}") ;;
	esac
	ours "$workload" "${options[@]}" prepare
	ours "$workload" "${options[@]}" --events=200 --time=0 run
	assert_equal 200 "$(transactions)" "$workload: transactions"
	ours "$workload" "${options[@]}" --events=100 --time=0 --db-ps-mode=disable run
	ours "$workload" "${options[@]}" check
	assert_no_grep WRONG
	ours "$workload" "${options[@]}" cleanup
	assert_equal '' "$(mariadb_sql 'SHOW TABLES FROM sbtest')" "$workload: tables left"
done

ours bulk_insert --threads=4 prepare
ours bulk_insert --threads=4 --events=20000 --time=0 run
ours bulk_insert --threads=4 cleanup
assert_equal '' "$(mariadb_sql 'SHOW TABLES FROM sbtest')" "bulk_insert: tables left"

ours bank --accounts=200 --threads=4 prepare
ours bank --accounts=200 --threads=4 --events=400 --time=0 run
ours bank check
assert_no_grep WRONG
ours bank cleanup

# The load stays the same row by row whatever the way and the number of threads.
digest() {
	mariadb_sql "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', id, k, c, pad))) FROM sbtest.sbtest1"
}
ours oltp_read_only --table-size=25000 --threads=1 --rand-seed=7 prepare
want=$(digest)
for options in --threads=4 --mysql-local-infile=off --mysql-compression; do
	ours oltp_read_only --table-size=25000 --threads=3 --rand-seed=7 $options --prepare=replace prepare
	assert_equal "$want" "$(digest)" "rows with $options"
done
assert_equal 'id 25000' "$(mariadb_sql "SELECT 'id', COUNT(DISTINCT id) FROM sbtest.sbtest1" | tr '\t' ' ')"

# The facts of the report.
ours oltp_read_only --table-size=25000 --events=10 --time=0 --format=json run
assert_grep '"innodb_flush_log_at_trx_commit": ?1'
mariadb_sql 'SET GLOBAL innodb_flush_log_at_trx_commit = 2'
ours oltp_read_only --table-size=25000 --events=10 --time=0 run
assert_grep 'innodb_flush_log_at_trx_commit=2: up to a second of commits may be lost'

# Statements beyond the server's limit are refused before the run.
mariadb_sql 'SET GLOBAL max_prepared_stmt_count = 10'
expect_status 1 "$IOLTP" oltp_read_write "${mysql_options[@]}" --table-size=25000 --threads=4 --events=10 run
assert_grep 'max_prepared_stmt_count, 10; raise that, or give --db-ps-mode=disable' "$TMP/err"
ours oltp_read_write --table-size=25000 --threads=4 --events=10 --time=0 --db-ps-mode=disable run

# No server is asked.
expect_status 0 "$IOLTP" oltp_read_write --mysql-dry-run --mysql-host=nowhere.invalid --events=100 --time=0 run
assert_equal 100 "$(transactions)" "transactions of a dry run"
