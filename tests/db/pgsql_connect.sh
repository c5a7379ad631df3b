#!/bin/bash
# SPDX-License-Identifier: MIT
# Ways to connect to PostgreSQL, and what is said when it cannot be done: one line with object, cause and next step.
. "${srcdir:-.}/tests/lib.sh"
need_command openssl openssl

unset "${!PG@}" 2>/dev/null
. "$srcdir/tests/db/postgres_lib.sh"
export HOME=$TMP
export PGSYSCONFDIR=$TMP

pg_start max_connections=10
pg_sql "ALTER ROLE sbtest PASSWORD 'very secret'" || fail "cannot set a password"
echo 'function thread_init() con = sysbench.sql.driver():connect() end function event() con:query("SELECT 1") end' >one.lua
run=("$IOLTP" one.lua --events=2 --time=0)

# refused STATUS REGEX OPTIONS...: exit status, and one line on stderr that matches.
refused() {
	local status=$1 regex=$2
	shift 2
	expect_status "$status" "${run[@]}" "$@" run
	assert_grep "$regex" "$TMP/err"
	assert_equal 1 "$(grep -c '' "$TMP/err")" "lines on stderr: $(cat "$TMP/err")"
}

accepted() {
	expect_status 0 "${run[@]}" "$@" run
}

# pg_hba LINE...: who may come in, and how.
pg_hba() {
	{
		echo "local all postgres trust"
		printf '%s\n' "$@"
	} >"$PG_DATA/pg_hba.conf"
	pg_sql "SELECT pg_reload_conf()" >/dev/null || fail "cannot reload"
	sleep 0.3
}

# ---- targets ----
accepted "${pg_target[@]}"
accepted "${pg_socket[@]}"
accepted "--pgsql-host=$PG_SOCKETS" "--pgsql-port=$PG_PORT"
accepted "--pgsql-host=127.0.0.1,$PG_SOCKETS" "--pgsql-port=$PG_PORT" --threads=2
accepted "--pgsql-host=127.0.0.1,$PG_SOCKETS" "--pgsql-port=$PG_PORT,$PG_PORT" --threads=2
refused 1 'error: PostgreSQL at /no/where:[0-9]+: No such file or directory; start the server, or say' \
	--pgsql-host=/no/where --threads=1
refused 1 'error: PostgreSQL at 127\.0\.0\.1:1: Connection refused; start the server, or say by --pgsql-host and --pgsql-port' \
	--pgsql-host=127.0.0.1 --pgsql-port=1
refused 2 'pgsql-port=70000' --pgsql-port=70000
refused 2 '--pgsql-port: 2 ports for 3 hosts; give one port for all hosts, or one for each' --pgsql-host=a,b,c --pgsql-port=1,2
refused 2 'pgsql-sslmode=maybe' --pgsql-sslmode=maybe
refused 2 'pgsql-sslrootcert=/no/ca' --pgsql-sslrootcert=/no/ca
refused 1 'database "nowhere" does not exist; create it, or name another with --pgsql-db' "${pg_target[@]}" --pgsql-db=nowhere
refused 1 'role "stranger" does not exist; check --pgsql-user' "${pg_target[@]}" --pgsql-user=stranger

# ---- what was not given comes from the environment and from services ----
PGHOST=$PG_SOCKETS PGPORT=$PG_PORT accepted --db-driver=pgsql
PGHOST=/no/where PGPORT=1 accepted "${pg_target[@]}"
PGDATABASE=nowhere refused 1 'database "nowhere" does not exist' "${pg_target[@]}"
PGUSER=stranger refused 1 'role "stranger" does not exist' "${pg_target[@]}"
PGUSER=stranger accepted "${pg_target[@]}" --pgsql-user=sbtest
printf '[bench]\nhost=%s\nport=%s\nuser=sbtest\ndbname=sbtest\noptions=-c work_mem=7MB\n' "$PG_SOCKETS" "$PG_PORT" >.pg_service.conf
echo 'function prepare() local con = sysbench.sql.driver():connect() print(con:query_row("SHOW work_mem")) end' >show.lua
expect_status 0 "$IOLTP" show.lua --pgsql-service=bench prepare
assert_grep '^7MB$'
PGSERVICE=bench expect_status 0 "$IOLTP" show.lua --db-driver=pgsql prepare
assert_grep '^7MB$'
refused 1 'definition of service "no_such" not found; check --pgsql-service' --pgsql-service=no_such

# ---- passwords ----
pg_hba "host all all 127.0.0.1/32 scram-sha-256"
refused 1 'no password supplied; give the password by --pgsql-password-file' "${pg_target[@]}"
refused 1 'password authentication failed for user "sbtest"; check --pgsql-user and the password' "${pg_target[@]}" \
	--pgsql-password=wrong
assert_no_grep 'wrong' "$TMP/err"
accepted "${pg_target[@]}" "--pgsql-password=very secret"
PGPASSWORD='very secret' accepted "${pg_target[@]}"
echo 'very secret' >secret
chmod 600 secret
accepted "${pg_target[@]}" --pgsql-password-file=secret
refused 2 'pgsql-password-file=none' "${pg_target[@]}" --pgsql-password-file=none
refused 2 'give one of them' "${pg_target[@]}" --pgsql-password-file=secret --pgsql-password=x
echo "127.0.0.1:$PG_PORT:*:sbtest:very secret" >.pgpass
chmod 600 .pgpass
accepted "${pg_target[@]}"
# None of it reaches the result.
expect_status 0 "${run[@]}" "${pg_target[@]}" "--pgsql-password=very secret" --format=json run
assert_no_grep 'very secret'
rm .pgpass
pg_hba
refused 1 'no pg_hba\.conf entry .*; check --pgsql-user and --pgsql-sslmode, or allow this in pg_hba\.conf' "${pg_target[@]}" \
	--pgsql-password=x
pg_hba "host all all 127.0.0.1/32 trust" "local all all trust"

# ---- TLS ----
# certificate NAME SUBJECT [CA]: a key and a certificate, signed by the CA or by itself.
certificate() {
	openssl req -new -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$2" -out "$1.csr" 2>/dev/null &&
		if [ $# -gt 2 ]; then
			printf 'subjectAltName=IP:127.0.0.1\n' >"$1.ext"
			openssl x509 -req -in "$1.csr" -CA "$3.crt" -CAkey "$3.key" -CAcreateserial -days 2 -extfile "$1.ext" -out "$1.crt"
		else
			openssl x509 -req -in "$1.csr" -signkey "$1.key" -days 2 -out "$1.crt"
		fi >"$TMP/openssl" 2>&1 || fail "openssl: $(tail -n 1 "$TMP/openssl")"
	chmod 600 "$1.key"
}
refused 1 'server does not support SSL, but SSL was required; check --pgsql-sslmode' "${pg_target[@]}" --pgsql-sslmode=require
certificate ca "test CA"
certificate other "another CA"
certificate server 127.0.0.1 ca
certificate client sbtest ca
cp server.crt server.key ca.crt "$PG_DATA" || fail "cannot copy certificates"
[ -z "$pg_user" ] || chown "$pg_user" "$PG_DATA"/{server.crt,server.key,ca.crt}
printf "ssl = on\nssl_ca_file = 'ca.crt'\n" >>"$PG_DATA/postgresql.conf"
pg_restart fast
accepted "${pg_target[@]}" --pgsql-sslmode=require
assert_grep 'ssl on'
accepted "${pg_target[@]}" --pgsql-sslmode=disable
assert_grep 'ssl off'
accepted "${pg_target[@]}" --pgsql-sslmode=verify-full --pgsql-sslrootcert=ca.crt
assert_grep 'ssl on'
refused 1 'certificate verify failed; check --pgsql-sslmode, --pgsql-sslrootcert' "${pg_target[@]}" --pgsql-sslmode=verify-ca \
	--pgsql-sslrootcert=other.crt
refused 1 'root certificate file .* does not exist.*; check --pgsql-sslmode' "${pg_target[@]}" --pgsql-sslmode=verify-ca
pg_hba "hostssl all all 127.0.0.1/32 cert"
refused 1 'requires a valid client certificate; check --pgsql-user and --pgsql-sslmode' "${pg_target[@]}" --pgsql-sslmode=require
accepted "${pg_target[@]}" --pgsql-sslmode=require --pgsql-sslcert=client.crt --pgsql-sslkey=client.key
# Large results in many records.
echo 'function event() local rs = con:query("SELECT repeat(i::text, 20000) FROM generate_series(1, 50) i") assert(rs.nrows == 50) end
	function thread_init() con = sysbench.sql.driver():connect() end' >large.lua
pg_hba "host all all 127.0.0.1/32 trust" "local all all trust"
expect_status 0 "$IOLTP" large.lua "${pg_target[@]}" --pgsql-sslmode=require --events=20 --time=0 run

# ---- too many ----
refused 1 '(too many clients already|remaining connection slots are reserved .*); use fewer --threads, or raise max_connections' \
	"${pg_target[@]}" --threads=16

# ---- a server that does not answer ----
pid=$(head -n 1 "$PG_DATA/postmaster.pid")
kill -STOP "$pid"
refused 1 'no answer for 1 s; start the server' "${pg_target[@]}" --pgsql-connect-timeout=1
kill -CONT "$pid"
accepted "${pg_target[@]}"

# ---- a read-only server ----
pg_sql postgres "ALTER DATABASE sbtest SET default_transaction_read_only = on" || fail "cannot make it read-only"
expect_status 1 "$IOLTP" oltp_read_write "${pg_target[@]}" prepare
assert_grep 'cannot execute CREATE TABLE in a read-only transaction' "$TMP/err"
exit 0
