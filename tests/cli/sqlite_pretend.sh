#!/bin/bash
# SPDX-License-Identifier: MIT
# The scripts that Debian's sysbench installs, as they are, on SQLite that pretends to be the server they were written for.
. "${srcdir:-.}/tests/lib.sh"

scripts=/usr/share/sysbench
[ -r $scripts/oltp_read_write.lua ] || skip "package sysbench is missing ($scripts)"

transactions() {
	sed -n 's/^ *transactions: *\([0-9]*\) .*/\1/p' "$TMP/out"
}

for pretend in mysql pgsql; do
	for script in "$scripts"/*.lua; do
		name=${script##*/}
		target=(--sqlite-path="$TMP/$pretend.db" "--sqlite-pretend=$pretend")
		case $name in
		oltp_common.lua) continue ;;
		select_random_*) options=(--tables=1 --table_size=1000 --threads=2) ;;
		bulk_insert.lua) options=(--threads=2) ;;
		*) options=(--tables=2 --table_size=1000 --threads=2) ;;
		esac
		for mode in auto disable; do
			expect_status 0 "$IOLTP" "$script" "${target[@]}" "${options[@]}" prepare
			expect_status 0 "$IOLTP" "$script" "${target[@]}" "${options[@]}" --db-ps-mode=$mode --events=60 --time=0 run
			assert_equal 60 "$(transactions)" "$name as $pretend: transactions"
			assert_grep '^ *ignored errors: '
			assert_no_grep '^WARNING' "$TMP/err"
			expect_status 0 "$IOLTP" "$script" "${target[@]}" "${options[@]}" cleanup
		done
	done
	# Nothing is left of what they made.
	expect_status 0 "$IOLTP" oltp_read_write --sqlite-path="$TMP/$pretend.db" --tables=2 --table-size=100 prepare
	# Without the pretence the answer is the program's own: a driver that the script does not know.
	expect_status 1 "$IOLTP" "$scripts/oltp_read_write.lua" --sqlite-path="$TMP/none.$pretend.db" prepare
	[ -s "$TMP/err" ] || fail "no word about the unknown driver"
done
