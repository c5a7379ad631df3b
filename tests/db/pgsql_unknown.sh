#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes whose answer is lost are neither counted nor done again.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"
. "$srcdir/tests/db/unknown_lib.sh"

pg_start log_min_messages=fatal
cut_proxy "$PG_PORT"
pg_sql "CREATE TABLE counts (client int PRIMARY KEY, n bigint NOT NULL); INSERT INTO counts SELECT i, 0 FROM generate_series(0, 3) i;
	GRANT ALL ON counts TO sbtest" || fail "cannot make the table"
# shellcheck disable=SC2317 # by name
applied() {
	pg_sql 'SELECT sum(n) FROM counts'
	pg_sql 'UPDATE counts SET n = 0'
}
# shellcheck disable=SC2034 # by name
proxied=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$cut_port")
for way in prepared text pipeline transaction; do
	unknown_books $way proxied applied
done
unknown_books prepared proxied applied --db-ps-mode=disable
unknown_books text proxied applied --pgsql-ignore-errors=all
exit 0
