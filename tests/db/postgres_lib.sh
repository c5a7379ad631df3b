# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Throw-away PostgreSQL servers for tests, by an unprivileged user, on a free port and in $TMP; gone when the test ends. After
# tests/lib.sh: . "$srcdir/tests/db/postgres_lib.sh"
#
#   pg_start [NAME=VALUE...]   makes and starts a server with these settings: PG_DATA, PG_SOCKETS, PG_PORT; the user and
#                              database sbtest are there, everybody is trusted
#   pg_stop [MODE], pg_restart [MODE]   fast, immediate or smart
#   pg_sql [DATABASE] SQL      runs it as the superuser; rows unaligned, columns split by |
#   pg_target                  the array of ioltp options for it, by TCP; pg_socket the same by socket

pg_user=
pg_bin=
PG_DATA='' PG_SOCKETS='' PG_PORT='' PG_LOG=''

pg_find() {
	local dir
	for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin; do
		[ -x "$dir/initdb" ] && pg_bin=$dir
	done
	[ -n "$pg_bin" ] || pg_bin=$(dirname "$(command -v initdb || echo /nonexistent/initdb)")
	[ -x "$pg_bin/postgres" ] || skip "package postgresql is missing (command initdb)"
	"$IOLTP" --db-driver=help | grep -q '^  pgsql' || skip "built without the PostgreSQL driver"
	[ "$(id -u)" = 0 ] || return 0
	# The server refuses to run as root.
	for pg_user in postgres nobody; do
		id "$pg_user" >/dev/null 2>&1 && break
	done
	need_command setpriv util-linux
}

# pg_as COMMAND...: as the user that the server runs as.
pg_as() {
	if [ -n "$pg_user" ]; then
		setpriv --reuid="$pg_user" --regid="$(id -g "$pg_user")" --clear-groups -- "$@"
	else
		"$@"
	fi
}

pg_free_port() {
	local port
	while :; do
		port=$((20000 + RANDOM % 12000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo "$port"
}

pg_launch() {
	pg_as "$pg_bin/pg_ctl" -D "$PG_DATA" -l "$PG_LOG" -w -t 60 -s -o "-p $PG_PORT" start >"$TMP/pg_ctl.log" 2>&1
}

# pg_init: a new cluster in PG_DATA, which may be set before (a folder of its own filesystem, say).
pg_init() {
	local base=$TMP/pg$((++pg_servers))
	chmod 711 "$TMP"
	mkdir -p "$base" || fail "cannot make $base"
	PG_DATA=${PG_DATA:-$base/data} PG_SOCKETS=$base PG_LOG=$base/log
	[ -z "$pg_user" ] || chown "$pg_user" "$base"
	pg_as "$pg_bin/initdb" -D "$PG_DATA" -A trust -U postgres -N --no-locale -E UTF8 >"$TMP/initdb.log" 2>&1 ||
		fail "initdb: $(tail -n 3 "$TMP/initdb.log")"
}

pg_start() {
	local setting try
	PG_DATA=''
	pg_init
	{
		echo "unix_socket_directories = '$PG_SOCKETS'"
		echo "listen_addresses = '127.0.0.1'"
		echo "fsync = off"
		for setting; do
			echo "${setting%%=*} = '${setting#*=}'"
		done
	} >>"$PG_DATA/postgresql.conf"
	for try in 1 2 3; do
		PG_PORT=$(pg_free_port)
		pg_launch && break
		[ "$try" -lt 3 ] || fail "the server does not start: $(tail -n 5 "$PG_LOG")"
	done
	at_exit pg_stop_quietly "$PG_DATA"
	pg_targets
	pg_sql postgres 'CREATE ROLE sbtest LOGIN' >/dev/null || fail "cannot make the role sbtest"
	pg_sql postgres 'CREATE DATABASE sbtest OWNER sbtest' >/dev/null || fail "cannot make the database sbtest"
}
pg_servers=0

pg_targets() {
	# shellcheck disable=SC2034 # both are for the tests
	pg_target=(--db-driver=pgsql --pgsql-host=127.0.0.1 "--pgsql-port=$PG_PORT")
	# shellcheck disable=SC2034
	pg_socket=(--db-driver=pgsql "--pgsql-host=$PG_SOCKETS" "--pgsql-port=$PG_PORT")
}

pg_stop_quietly() {
	local pid
	[ -s "$1/postmaster.pid" ] || return 0
	pid=$(head -n 1 "$1/postmaster.pid")
	# A test may have stopped all of its processes.
	pkill -CONT -P "$pid" 2>/dev/null
	kill -CONT "$pid" 2>/dev/null
	pg_as "$pg_bin/pg_ctl" -D "$1" -m immediate -w -t 30 -s stop >/dev/null 2>&1
	return 0
}

pg_stop() {
	pg_as "$pg_bin/pg_ctl" -D "$PG_DATA" -m "${1:-fast}" -w -t 60 -s stop >/dev/null || fail "the server does not stop"
}

pg_restart() {
	pg_stop "${1:-fast}"
	pg_launch || fail "the server does not start again: $(tail -n 5 "$PG_LOG")"
}

pg_sql() {
	local database=sbtest
	[ $# -lt 2 ] || { database=$1; shift; }
	"$pg_bin/psql" -X -q -A -t -v ON_ERROR_STOP=1 -h "$PG_SOCKETS" -p "$PG_PORT" -U postgres -d "$database" -c "$1"
}

# pg_wait_for SQL: until it says t, for 30 s.
pg_wait_for() {
	local i
	for ((i = 0; i < 300; i++)); do
		[ "$(pg_sql "$1" 2>/dev/null)" = t ] && return
		sleep 0.1
	done
	fail "never came true: $1"
}

pg_find
