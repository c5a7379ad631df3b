#!/bin/bash
# SPDX-License-Identifier: MIT
# Writes whose answer is lost are neither counted nor done again.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"
. "$srcdir/tests/db/unknown_lib.sh"

mariadb_start --innodb-flush-log-at-trx-commit=0
cut_proxy "$mariadb_port"
mariadb_sql 'CREATE TABLE sbtest.counts (client INT PRIMARY KEY, n BIGINT NOT NULL);
	INSERT INTO sbtest.counts VALUES (0, 0), (1, 0), (2, 0), (3, 0)'
# shellcheck disable=SC2317 # by name
applied() {
	mariadb_sql 'SELECT SUM(n) FROM sbtest.counts; UPDATE sbtest.counts SET n = 0'
}
# shellcheck disable=SC2034 # by name
proxied=(--db-driver=mysql --mysql-host=127.0.0.1 "--mysql-port=$cut_port" --mysql-password=secret)
for way in prepared text pipeline transaction; do
	unknown_books $way proxied applied
done
unknown_books prepared proxied applied --db-ps-mode=disable
unknown_books text proxied applied --mysql-ignore-errors=all
