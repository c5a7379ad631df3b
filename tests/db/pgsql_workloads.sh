#!/bin/bash
# SPDX-License-Identifier: MIT
# Bundled workloads and those of Debian's sysbench, unmodified, on PostgreSQL: prepare, run, check, cleanup.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"

pg_start max_connections=30 autovacuum=off

# events FILE: the number in the report; queries FILE likewise.
events() {
	sed -n 's/^ *total number of events: *//p' "$1"
}
queries() {
	sed -n 's/^ *queries: *\([0-9]*\) .*/\1/p' "$1"
}

tables() {
	pg_sql "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
}

for workload in oltp_read_only oltp_read_write oltp_write_only oltp_point_select oltp_update_index oltp_update_non_index \
	oltp_insert oltp_delete select_random_points select_random_ranges bulk_insert bank; do
	tables=2
	case $workload in select_random_*) tables=1 ;; esac
	options=("${pg_target[@]}" --threads=4 --rand-seed=7)
	case $workload in
	bank) options+=(--accounts=1000) ;;
	bulk_insert) ;;
	*) options+=("--tables=$tables" --table-size=2500) ;;
	esac
	expect_status 0 "$IOLTP" "$workload" "${options[@]}" prepare
	expect_status 0 "$IOLTP" "$workload" "${options[@]}" --events=40 --time=0 run
	[ "$workload" = bulk_insert ] || assert_equal 40 "$(events "$TMP/out")" "$workload: events"
	assert_grep '= ok [0-9]+ \+ failed 0 \+ skipped 0 \+ unfinished 0'
	[ "$workload" = bulk_insert ] || expect_status 0 "$IOLTP" "$workload" "${options[@]}" check
	expect_status 0 "$IOLTP" "$workload" "${options[@]}" cleanup
	assert_equal 0 "$(tables)" "$workload: tables after cleanup"
done

# Without prepared statements the same statements run, and with pipelines the same number of them (one thread: no retries).
options=("${pg_socket[@]}" --threads=1 --rand-seed=7 --tables=2 --table-size=2500)
expect_status 0 "$IOLTP" oltp_read_write "${options[@]}" prepare
for mode in --db-ps-mode=auto --db-ps-mode=disable --pipeline; do
	expect_status 0 "$IOLTP" oltp_read_write "${options[@]}" "$mode" --events=40 --time=0 run
	assert_equal 40 "$(events "$TMP/out")" "$mode: events"
	assert_equal 800 "$(queries "$TMP/out")" "$mode: queries"
	expect_status 0 "$IOLTP" oltp_read_write "${options[@]}" check
	[ "$mode" != --pipeline ] || continue
	assert_no_grep '\(pipeline\)'
done
expect_status 0 "$IOLTP" oltp_read_only "${options[@]}" --pipeline --events=40 --time=0 run
assert_equal 640 "$(queries "$TMP/out")" "oltp_read_only --pipeline: queries"
assert_grep '^ +other +40 .* 12440 +0  \(pipeline\)$' # rows: 40 times 10 * 1 + 3 * 100 + 1
assert_grep '^ +read +400 .* - .*SELECT c FROM sbtest# WHERE id=\?'
expect_status 0 "$IOLTP" oltp_read_write "${options[@]}" warmup
expect_status 0 "$IOLTP" oltp_read_write "${options[@]}" cleanup

# Debian's scripts.
scripts=/usr/share/sysbench
[ -f "$scripts/oltp_common.lua" ] || skip "package sysbench is missing (no $scripts/oltp_common.lua); the rest is fine"
for script in "$scripts"/oltp_*.lua "$scripts"/select_random_*.lua "$scripts"/bulk_insert.lua; do
	name=$(basename "$script" .lua)
	[ "$name" != oltp_common ] || continue
	for mode in auto disable; do
		options=("${pg_target[@]}" --threads=4 --rand-seed=7 "--db-ps-mode=$mode")
		case $name in
		bulk_insert) ;;
		select_random_*) options+=(--table-size=1000) ;;
		*) options+=(--tables=2 --table-size=1000) ;;
		esac
		expect_status 0 "$IOLTP" "$script" "${options[@]}" prepare
		expect_status 0 "$IOLTP" "$script" "${options[@]}" --events=40 --time=0 run
		[ "$name" = bulk_insert ] || assert_equal 40 "$(events "$TMP/out")" "$script: events"
		expect_status 0 "$IOLTP" "$script" "${options[@]}" cleanup
		assert_equal 0 "$(tables)" "$script: tables after cleanup"
	done
done
exit 0
