#!/bin/bash
# SPDX-License-Identifier: MIT
# The scripts that Debian's sysbench installs, as they are: prepare, run and cleanup; what sysbench prepared runs here and the other
# way round.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

scripts=/usr/share/sysbench
[ -r $scripts/oltp_read_write.lua ] || skip "package sysbench is missing ($scripts)"
need_command sysbench sysbench
mariadb_start

transactions() {
	sed -n 's/^ *transactions: *\([0-9]*\) .*/\1/p' "$TMP/out"
}

for script in "$scripts"/*.lua; do
	name=${script##*/}
	case $name in
	oltp_common.lua) continue ;;
	select_random_*) options=(--tables=1 --table_size=1000 --threads=2) ;;
	bulk_insert.lua) options=(--threads=2) ;;
	*) options=(--tables=2 --table_size=1000 --threads=2) ;;
	esac
	expect_status 0 "$IOLTP" "$script" "${mysql_options[@]}" "${options[@]}" prepare
	for mode in auto disable; do
		# Its rows are numbered from 1 in each run.
		[ "$name" != bulk_insert.lua ] || mariadb_sql 'TRUNCATE sbtest.sbtest1; TRUNCATE sbtest.sbtest2'
		expect_status 0 "$IOLTP" "$script" "${mysql_options[@]}" "${options[@]}" --db-ps-mode=$mode --events=60 --time=0 run
		assert_equal 60 "$(transactions)" "$name: transactions"
		assert_grep '^ *ignored errors: '
	done
	expect_status 0 "$IOLTP" "$script" "${mysql_options[@]}" "${options[@]}" cleanup
	assert_equal '' "$(mariadb_sql 'SHOW TABLES FROM sbtest')" "$name: tables left"
done

# What EXECUTE and CALL are is what comes of them.
cat >executes.lua <<'EOT'
function thread_init()
	con = sysbench.sql.driver():connect()
	con:query("CREATE TABLE IF NOT EXISTS executes (id INT PRIMARY KEY)")
	con:query("PREPARE r FROM 'SELECT 1'")
	con:query("PREPARE w FROM 'REPLACE INTO executes VALUES (1)'")
	con:query("PREPARE o FROM 'SET @a = 1'")
end
function event() con:query("EXECUTE r") con:query("EXECUTE w") con:query("EXECUTE o") end
EOT
expect_status 0 "$IOLTP" executes.lua "${mysql_options[@]}" --events=10 --time=0 run
assert_grep '^ +read: +10$'
assert_grep '^ +write: +10$'
assert_grep '^ +other: +10$'
mariadb_sql 'DROP TABLE sbtest.executes'

expect_status 0 sysbench oltp_read_write "${mysql_options[@]}" --tables=2 --table_size=1000 prepare
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=2 --table_size=1000 --events=50 --time=0 run
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=2 --table_size=1000 check
assert_no_grep WRONG
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=2 cleanup
expect_status 0 "$IOLTP" oltp_read_write "${mysql_options[@]}" --tables=2 --table_size=1000 prepare
expect_status 0 sysbench oltp_read_write "${mysql_options[@]}" --tables=2 --table_size=1000 --events=50 --time=0 run
expect_status 0 sysbench oltp_read_write "${mysql_options[@]}" --tables=2 cleanup
assert_equal '' "$(mariadb_sql 'SHOW TABLES FROM sbtest')" "tables left"
