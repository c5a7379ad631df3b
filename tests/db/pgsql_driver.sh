#!/bin/bash
# SPDX-License-Identifier: MIT
# The unit tests of the PostgreSQL driver, each against a server of its own.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"

pg_start
build=$(dirname "$IOLTP")
for test in drv_pgsql_test drv_pgsql_outcome_test drv_pgsql_bulk_test; do
	program=$build/tests/unit/$test
	[ -x "$program" ] || skip "$program is not built (make check builds it)"
	for server in "--pgsql-host=127.0.0.1 --pgsql-port=$PG_PORT" "--pgsql-host=$PG_SOCKETS --pgsql-port=$PG_PORT"; do
		IOLTP_TEST_PGSQL=$server expect_status 0 "$program"
	done
done
exit 0
