#!/bin/bash
# SPDX-License-Identifier: MIT
# Captures of runs against MariaDB and PostgreSQL, whose data lies on a loop device's file system: the server and its drive are found
# from its data directory, and flushes of commits are seen by the tracepoints.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"
. "$srcdir/tests/cli/capture_lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"
need_tracing
need_command mkfs.ext4 e2fsprogs

loop_device 1024
mkfs.ext4 -q "$loop" || fail "mkfs"
chmod 755 "$TMP"
mkdir mnt
mount "$loop" mnt || skip "may not mount"
at_exit umount "$TMP/mnt"

# One run; the flushes of its commits and the server's own figures must be there.
check_capture() {
	local data_dir=$1
	assert_equal block "$(value 'doc["capture"]["source"]')" "source ($(value 'doc["capture"]["unavailable"]'))"
	assert_equal "$data_dir" "$(value 'doc["capture"]["target"]')"
	assert_equal 0 "$(value 'doc["capture"]["dropped"]')"
	assert_equal "$(value 'doc["totals"]["ok"]')" "$(value 'doc["capture"]["io"]["transactions"]')"
	[ "$(value 'doc["capture"]["target_bytes"]')" -gt 1000000 ] || fail "size of the data directory"
	[ "$(value 'doc["capture"]["server"]["processes"]')" -ge 1 ] || fail "no process of the server"
	value 'doc["capture"]["server"]["cpu_s"] > 0 and doc["capture"]["server"]["written_bytes"] > 0' | grep -q True ||
		fail "the server did nothing: $(value 'doc["capture"]["server"]')"
	# One client: no commit can share another's flush.
	value 'doc["capture"]["io"]["per_transaction"]["flushes"] >= 1' | grep -q True ||
		fail "flushes per transaction: $(value 'doc["capture"]["io"]["per_transaction"]')"
	value 'doc["capture"]["io"]["per_transaction"]["written_bytes"] > 512' | grep -q True || fail "nothing written"
}

load=(oltp_update_non_index --tables=1 --table-size=2000)

# The drive below a loop device is the one that its file lies on, where that is known.
run_on() {
	expect_status 0 "$IOLTP" "${load[@]}" "$@" prepare
	captured "${load[@]}" "$@" --time=2 --capture=block --device="$loop" run
	assert_equal "${loop#/dev/}" "$(value 'doc["capture"]["device"]')"
	cp out.json device.json
	captured "${load[@]}" "$@" --time=1 --capture=auto run
	device=$(value 'doc["capture"]["device"]')
	captured "${load[@]}" "$@" --time=1 --capture=counters run
	assert_equal counters "$(value 'doc["capture"]["source"]')"
	value 'doc["capture"]["server"]["cpu_s"] > 0' | grep -q True || fail "counters without the server's CPU"
	[ "$device" = None ] || [ -e "/sys/class/block/$device" ] || fail "drive $device"
	cp device.json out.json
}

tried=0
if command -v mariadb-install-db >/dev/null && [ -n "$mariadb_server" ]; then
	mariadb_start --dir="$TMP/mnt/mariadb"
	run_on "${mysql_options[@]}"
	check_capture "$TMP/mnt/mariadb/data"
	# Somewhere else is not here.
	expect_status 2 "$IOLTP" "${load[@]}" "${mysql_options[@]}" --capture=vfs run
	one_line 'only SQLite'
	mariadb_stop main
	tried=1
fi
if ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb >/dev/null 2>&1; then
	pg_find
	mkdir mnt/pg
	[ -z "$pg_user" ] || chown "$pg_user" mnt/pg
	PG_DATA=$TMP/mnt/pg/data
	pg_init
	PG_PORT=$(pg_free_port)
	printf '%s\n' "unix_socket_directories = '$PG_SOCKETS'" "listen_addresses = '127.0.0.1'" >>"$PG_DATA/postgresql.conf"
	pg_launch || fail "the server does not start: $(tail -n 5 "$PG_LOG")"
	at_exit pg_stop_quietly "$PG_DATA"
	pg_targets
	pg_sql postgres 'CREATE ROLE sbtest LOGIN' >/dev/null || fail "cannot make the role sbtest"
	pg_sql postgres 'CREATE DATABASE sbtest OWNER sbtest' >/dev/null || fail "cannot make the database sbtest"
	pg_sql postgres 'GRANT pg_read_all_settings TO sbtest' >/dev/null || fail "cannot grant"
	run_on "${pg_target[@]}" --pgsql-user=sbtest --pgsql-db=sbtest
	check_capture "$PG_DATA"
	[ "$(value 'doc["capture"]["server"]["processes"]')" -ge 5 ] || fail "not all processes of the server"
	# A user whom the server does not tell where its data is.
	pg_sql postgres 'REVOKE pg_read_all_settings FROM sbtest' >/dev/null
	expect_status 2 "$IOLTP" "${load[@]}" "${pg_target[@]}" --time=1 --capture=block --capture-file=refused.trace run
	one_line 'data directory'
	[ ! -e refused.trace ] || fail "a trace of a refused run"
	# Counters do without.
	captured "${load[@]}" "${pg_target[@]}" --pgsql-user=sbtest --pgsql-db=sbtest --time=1 --capture=counters run
	value 'doc["capture"]["unavailable"]' | grep -q 'data directory' || fail "not said what is missing: $(value 'doc["capture"]')"
	pg_stop
	tried=1
fi
[ "$tried" = 1 ] || skip "neither mariadb-server nor postgresql is installed"
