#!/bin/bash
# SPDX-License-Identifier: MIT
# What a server refuses is told on one line, with what to do, and by the exit status; a password shows nowhere.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

# refused STATUS REGEX ARGUMENT...: one error, whose line matches; only where a statement of a script failed its place follows.
refused() {
	expect_status "$1" timeout 60 "$IOLTP" "${@:3}"
	assert_grep "$2" "$TMP/err"
	assert_equal 1 "$(grep -c error: "$TMP/err")" "lines of error"
	assert_no_grep secret "$TMP/err"
	grep -q 'SQL error' "$TMP/err" || assert_no_grep traceback "$TMP/err"
}

mariadb_start
workload=(oltp_read_write --table-size=1000 --threads=4)
expect_status 0 "$IOLTP" "${workload[@]}" "${mysql_options[@]}" prepare

# No way in.
for command in prepare 'run --time=1' cleanup; do
	read -ra words <<<"$command"
	refused 1 'Access denied.*\(1045\); check --mysql-user and the password' \
		"${workload[@]}" "${mysql_options[@]}" --mysql-password=wrong "${words[@]}"
done
refused 1 'Access denied.*\(1044\); grant the user that database' "${workload[@]}" "${mysql_options[@]}" --mysql-db=mysql prepare
refused 1 "Unknown database 'nowhere' \(1049\); create that database" \
	"${workload[@]}" --mysql-socket="$mariadb_socket" --mysql-user=root --mysql-db=nowhere prepare
refused 1 "/nonexistent/socket.*\(2002\); is the server running\?" "${workload[@]}" --mysql-socket=/nonexistent/socket prepare
refused 1 'mysql: 127.0.0.1:1: .*\(2002\); is the server running\?' \
	"${workload[@]}" --mysql-host=127.0.0.1 --mysql-port=1 run
refused 2 '^ioltp: error: --mysql-port=70000: ' "${workload[@]}" --mysql-port=70000 prepare
refused 2 'mysql-pasword' "${workload[@]}" --mysql-pasword=secret prepare
refused 2 '^ioltp: error: --mysql-ssl=verify-ca: .*give --mysql-ssl-ca=FILE' "${workload[@]}" --mysql-ssl=verify-ca prepare

# No more connections.
mariadb_sql 'SET GLOBAL max_connections = 10'
refused 1 'Too many connections \(1040\); use fewer --threads' \
	oltp_read_write --table-size=1000 --threads=30 "${mysql_options[@]}" --time=2 run
mariadb_sql 'SET GLOBAL max_connections = 200'

# A server that takes no writes.
mariadb_sql 'SET GLOBAL read_only = 1'
refused 1 'errno = 1290.*read-only' "${workload[@]}" "${mysql_options[@]}" --time=2 run
refused 1 'read-only' "${workload[@]}" "${mysql_options[@]}" --prepare=replace prepare
expect_status 0 "$IOLTP" oltp_read_only --table-size=1000 "${mysql_options[@]}" --skip-trx --events=10 --time=0 run
mariadb_sql 'SET GLOBAL read_only = 0'
expect_status 0 "$IOLTP" "${workload[@]}" "${mysql_options[@]}" check

# Tables that are there already.
refused 1 'sbtest1: it exists with 1000 rows' "${workload[@]}" "${mysql_options[@]}" prepare
expect_status 0 "$IOLTP" "${workload[@]}" "${mysql_options[@]}" check

# The password by file, environment and option file; by none of them it can be seen while the program runs.
printf 'secret\n' >pw
chmod 600 pw
printf '[client]\npassword=secret\nsocket=%s\n[ioltp]\nuser=sbtest\n' "$mariadb_socket" >my.cnf
chmod 600 my.cnf
mkdir home
cp my.cnf home/.my.cnf
base=(oltp_read_only --table-size=1000 --db-driver=mysql --events=5 --time=0)
expect_status 0 "$IOLTP" "${base[@]}" --mysql-socket="$mariadb_socket" --mysql-password-file=pw run
expect_status 0 env MYSQL_PWD=secret "$IOLTP" "${base[@]}" --mysql-socket="$mariadb_socket" run
expect_status 0 "$IOLTP" "${base[@]}" --mysql-defaults-file=my.cnf run
expect_status 0 env HOME="$TMP/home" "$IOLTP" "${base[@]}" run
"$IOLTP" oltp_read_only "${mysql_options[@]}" --table-size=1000 --time=30 --format=json --output=result.json run >out 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do
	[ "$(mariadb_sql 'SELECT COUNT(*) FROM information_schema.processlist WHERE user = "sbtest"')" -gt 0 ] && break
	sleep 0.1
done
tr '\0' '\n' <"/proc/$pid/cmdline" >args
kill -INT "$pid"
wait "$pid"
assert_grep '^--mysql-password=x+$' args
assert_no_grep secret args
assert_no_grep secret out
assert_no_grep secret result.json
