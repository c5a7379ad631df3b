#!/bin/bash
# SPDX-License-Identifier: MIT
# The driver's own tests, which need a server: values, statements, faults and bulk loads. Under the sanitizers too.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

tests=$(dirname "$IOLTP")/tests/unit
[ -x "$tests/drv_mysql_test" ] || skip "drv_mysql_test was not built: no cmocka or no client library"
mariadb_start
export IOLTP_TEST_MYSQL_SOCKET=$mariadb_socket
for name in drv_mysql_test drv_mysql_fault_test drv_mysql_bulk_test; do
	"$tests/$name" >"$TMP/out" 2>"$TMP/err" || fail "$name: status $?"
	assert_grep 'PASSED' "$TMP/err"
done
