#!/bin/bash
# SPDX-License-Identifier: MIT
# Lists of hosts, ports and sockets: clients are spread over all of them.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

mariadb_start --name=one
one=("$mariadb_socket" "$mariadb_port")
mariadb_start --name=two
two=("$mariadb_socket" "$mariadb_port")

cat >where.lua <<'LUA'
function prepare()
   sysbench.sql.driver():connect():query("CREATE TABLE seen (client INT PRIMARY KEY)")
end
function thread_init()
   con = sysbench.sql.driver():connect()
   con:query("INSERT INTO seen VALUES (" .. sysbench.tid .. ")")
end
function event()
   con:query("SELECT 1")
end
LUA
for server in one two; do
	mariadb_sql --name=$server 'CREATE TABLE sbtest.seen (client INT PRIMARY KEY)'
done

seen() {
	mariadb_sql "--name=$1" 'SELECT GROUP_CONCAT(client ORDER BY client) FROM sbtest.seen; TRUNCATE sbtest.seen'
}

run=(where.lua --mysql-password=secret --threads=4 --events=8 --time=0 run)
expect_status 0 "$IOLTP" --mysql-socket="${one[0]},${two[0]}" "${run[@]}"
assert_equal 0,2 "$(seen one)" "clients of the first socket"
assert_equal 1,3 "$(seen two)" "clients of the second socket"
expect_status 0 "$IOLTP" --mysql-host=127.0.0.1 --mysql-port="${one[1]},${two[1]}" "${run[@]}"
assert_equal 0,2 "$(seen one)" "clients of the first port"
assert_equal 1,3 "$(seen two)" "clients of the second port"
expect_status 1 "$IOLTP" --mysql-host=127.0.0.1 --mysql-port="${one[1]},1" "${run[@]}"
assert_grep '127.0.0.1:1' "$TMP/err"
