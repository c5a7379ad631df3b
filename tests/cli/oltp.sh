#!/bin/bash
# SPDX-License-Identifier: MIT
# The oltp workloads on SQLite: every one prepares, runs, checks and cleans up; prepare refuses, replaces, reuses and undoes; what is
# missing or wrong is named in one line.
. "${srcdir:-.}/tests/lib.sh"

small="--tables=2 --table-size=500 --threads=2"

one_line_error() {
	assert_equal 1 "$(wc -l <"$TMP/err")" "lines of the error"
	assert_grep "$1" "$TMP/err"
	assert_no_grep 'traceback|\.lua:' "$TMP/err"
}

for workload in oltp_point_select oltp_read_only oltp_read_write oltp_write_only oltp_insert oltp_delete \
	oltp_update_index oltp_update_non_index select_random_points select_random_ranges bulk_insert; do
	options=$small
	case $workload in
	select_random_*) options="--table-size=500 --threads=2" ;;
	bulk_insert) options="--threads=2" ;;
	esac
	# shellcheck disable=SC2086
	{
		expect_status 0 "$IOLTP" $workload $options prepare
		expect_status 0 "$IOLTP" $workload $options --events=40 --time=0 run
		assert_grep 'total number of events: +40$'
		expect_status 0 "$IOLTP" $workload $options check
		assert_no_grep WRONG
		assert_grep '^sbtest1: .*: ok$'
		expect_status 0 "$IOLTP" $workload $options cleanup
	}
	assert_equal "" "$(sqlite3 ioltp.db .tables)" "tables left by $workload"
done

# What statements do, by what they leave.
# shellcheck disable=SC2086
{
	expect_status 0 "$IOLTP" oltp_insert $small prepare
	expect_status 0 "$IOLTP" oltp_insert $small --events=30 --time=0 run
	assert_equal 1030 "$(sqlite3 ioltp.db 'SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)')" "rows"
	expect_status 1 "$IOLTP" oltp_read_write $small check
	assert_grep 'WRONG: 5[0-9]{2} rows instead of 500'
	expect_status 0 "$IOLTP" oltp_insert $small check
}

# prepare and tables that exist
# shellcheck disable=SC2086
{
	expect_status 1 "$IOLTP" oltp_read_only $small prepare
	one_line_error '^ioltp: error: table sbtest1: it exists with 5[0-9]+ rows \(and 1 more\); .*cleanup.*--prepare=replace'
	expect_status 1 "$IOLTP" oltp_read_only $small --prepare=reuse prepare
	one_line_error 'table sbtest[12]: it has 5[0-9]+ rows instead of 500'
	expect_status 0 "$IOLTP" oltp_read_only $small --prepare=replace --rand-seed=3 prepare
	expect_status 0 "$IOLTP" oltp_read_only $small check
}
sqlite3 ioltp.db .dump | sort >two_threads
sqlite3 ioltp.db 'DROP TABLE sbtest2'
# shellcheck disable=SC2086
expect_status 0 "$IOLTP" oltp_read_only $small --threads=5 --prepare=reuse --rand-seed=3 prepare
sqlite3 ioltp.db .dump | sort | cmp - two_threads || fail "other threads made other rows"

# what check sees
sqlite3 ioltp.db "UPDATE sbtest1 SET c = 'short', k = -7 WHERE id = 9; DROP INDEX k_1; DELETE FROM sbtest2 WHERE id = 500"
# shellcheck disable=SC2086
expect_status 1 "$IOLTP" oltp_read_only $small check
assert_grep '^sbtest1: .*: WRONG: column k goes down to -7; 1 rows whose c or pad .*; no index k_1$'
assert_grep '^sbtest2: .*: WRONG: 499 rows instead of 500; the highest id is 499 instead of 500$'
one_line_error 'check: '

# run without tables, and with those of another workload
expect_status 1 "$IOLTP" oltp_read_only --tables=3 --table-size=500 --threads=4 run
one_line_error 'table sbtest3: it does not exist; run the command `prepare` first'
assert_no_grep 'SQL statistics'
expect_status 1 "$IOLTP" bulk_insert --threads=2 run
one_line_error 'table sbtest[12]: it belongs to an oltp workload'
expect_status 0 "$IOLTP" oltp_read_only --table-size=600 --events=5 run
assert_grep 'warning: 1 of 1 tables have ids up to 500 only; with --table-size=600' "$TMP/err"
sqlite3 ioltp.db 'DELETE FROM sbtest1'
expect_status 1 "$IOLTP" oltp_read_only --table-size=500 run
one_line_error 'table sbtest1: it is empty'

# wrong use
for option in --table-size=0 --tables=0 --range_size=-1 --point-selects=-1 --delete_inserts=-2 \
	--prepare=maybe --reconnect=-1; do
	expect_status 2 "$IOLTP" oltp_read_write "$option" run
	name=${option%%=*}
	one_line_error "error: ${name//_/-}"
done
expect_status 2 "$IOLTP" select_random_points --tables=2 prepare
one_line_error '--tables: this workload reads table sbtest1 only'

# a load that is stopped leaves nothing
rm -f ioltp.db*
"$IOLTP" oltp_read_only --tables=2 --table-size=20000000 --threads=2 prepare >out 2>err &
loader=$!
for ((i = 0; i < 300; i++)); do
	[ "$(sqlite3 ioltp.db 'SELECT COUNT(*) FROM (SELECT 1 FROM sbtest1 LIMIT 1)' 2>/dev/null)" = 1 ] && break
	sleep 0.1
done
kill -INT "$loader"
wait "$loader"
assert_equal 130 $? "status of the interrupted prepare"
assert_grep 'dropped the 2 tables that it had made' err
assert_equal "" "$(sqlite3 ioltp.db .tables)" "tables left"
