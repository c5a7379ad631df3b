#!/bin/bash
# SPDX-License-Identifier: MIT
# ioltp db with MariaDB: starts that are refused, fail, or are interrupted leave nothing behind.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"
mariadb_need
"$IOLTP" --db-driver=help | grep -q '^  mysql' || skip "built without the MySQL driver"
. "$srcdir/tests/db/instances_lib.sh"

engine=mariadb
refusals
interrupted
# A path that is too long for sockets; relaxed durability is told.
long=$base/$(printf 'a%.0s' {1..100})
expect_status 0 "$IOLTP" db start --engine=mariadb --dir="$long" --memory=96M --set innodb_flush_log_at_trx_commit=0
assert_grep 'durability is relaxed' "$TMP/err"
socket=$(field "$long" 1 socket)
[ "${#socket}" -lt 108 ] || fail "a socket's path is too long: $socket"
expect_status 0 "$IOLTP" oltp_point_select --targets="$long" --table-size=100 prepare
expect_status 0 "$IOLTP" oltp_point_select --targets="$long" --table-size=100 --time=0 --events=10 --output=relaxed.json run
python3 -c 'import json; d = json.load(open("relaxed.json")); assert d["database"]["durable"] is False and "targets" not in d' ||
	fail "relaxed.json"
expect_status 0 "$IOLTP" db stop --purge --dir="$long"
assert_nothing "$long"
[ ! -e "$(dirname "$(dirname "$socket")")" ] || fail "the folder of the socket is left"
no_room 60000
