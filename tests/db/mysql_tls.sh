#!/bin/bash
# SPDX-License-Identifier: MIT
# TLS with an authority of our own: accepted, and refused when it is another, or when the name is wrong.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

need_command openssl openssl
mariadb_need

# authority NAME: NAME.key, NAME.pem
authority() {
	openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=$1" -keyout "$1.key" -out "$1.pem" 2>/dev/null || fail "openssl: $1"
}

# certificate NAME SUBJECT: NAME.key, NAME.pem, signed by our authority
certificate() {
	openssl req -newkey rsa:2048 -nodes -subj "/CN=$2" -keyout "$1.key" -out "$1.csr" 2>/dev/null &&
		openssl x509 -req -in "$1.csr" -CA ours.pem -CAkey ours.key -CAcreateserial -days 30 \
			-extfile <(echo "subjectAltName=${3:-DNS:$2}") -out "$1.pem" 2>/dev/null || fail "openssl: $1"
}

authority ours
authority others
certificate server localhost 'DNS:localhost,IP:127.0.0.1'
certificate client sbtest
chmod 755 "$TMP"
chmod 644 ./*.pem ./*.key
mariadb_start --ssl-ca="$TMP/ours.pem" --ssl-cert="$TMP/server.pem" --ssl-key="$TMP/server.key"
tcp=(oltp_read_only --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$mariadb_port" --mysql-password=secret --table-size=1000
	--threads=2)
run=(--events=20 --time=0 --format=json run)

expect_status 0 "$IOLTP" "${tcp[@]}" --mysql-ssl prepare

# encrypted ARGUMENT...: the run goes well, and the report names the cipher.
encrypted() {
	expect_status 0 "$IOLTP" "${tcp[@]}" "$@" "${run[@]}"
	assert_grep '"tls_cipher": ?"[A-Z0-9_-]{8,}"'
}

# rejected REGEX ARGUMENT...
rejected() {
	expect_status 1 "$IOLTP" "${tcp[@]}" "${@:2}" "${run[@]}"
	assert_grep "$1" "$TMP/err"
	assert_grep 'check --mysql-ssl' "$TMP/err"
}

expect_status 0 "$IOLTP" "${tcp[@]}" "${run[@]}"
assert_grep '"tls_cipher": ?"none"'
encrypted --mysql-ssl=on
encrypted --mysql-ssl=REQUIRED
encrypted --mysql-ssl=preferred
encrypted --mysql-ssl-ca="$TMP/ours.pem"
encrypted --mysql-ssl=verify-ca --mysql-ssl-ca="$TMP/ours.pem"
encrypted --mysql-ssl=verify-identity --mysql-ssl-ca="$TMP/ours.pem"
encrypted --mysql-ssl --mysql-compression
encrypted --mysql-ssl --mysql-ssl-cipher=ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384
encrypted --mysql-ssl --mysql-ssl-cert="$TMP/client.pem" --mysql-ssl-key="$TMP/client.key" --mysql-ssl-ca="$TMP/ours.pem"
rejected 'ertificate|self.signed' --mysql-ssl=verify-ca --mysql-ssl-ca="$TMP/others.pem"
rejected 'ertificate|self.signed' --mysql-ssl=on --mysql-ssl-ca="$TMP/others.pem"

# A user who must come with a certificate of ours.
mariadb_sql "ALTER USER sbtest@'%' REQUIRE X509"
expect_status 1 "$IOLTP" "${tcp[@]}" --mysql-ssl "${run[@]}"
assert_grep '\(1045\); check --mysql-user' "$TMP/err"
encrypted --mysql-ssl-cert="$TMP/client.pem" --mysql-ssl-key="$TMP/client.key" --mysql-ssl-ca="$TMP/ours.pem"
mariadb_sql "ALTER USER sbtest@'%' REQUIRE NONE"

# Another host's certificate: the authority is ours, the name is not.
mariadb_stop main
certificate server elsewhere.example
chmod 644 ./*.pem ./*.key
mariadb_start --ssl-ca="$TMP/ours.pem" --ssl-cert="$TMP/server.pem" --ssl-key="$TMP/server.key"
encrypted --mysql-ssl=verify-ca --mysql-ssl-ca="$TMP/ours.pem"
rejected 'ertificate|host|name' --mysql-ssl=verify-identity --mysql-ssl-ca="$TMP/ours.pem"

# A server without TLS.
mariadb_stop main
mariadb_start --skip-ssl
rejected 'SSL|TLS' --mysql-ssl=required
expect_status 0 "$IOLTP" "${tcp[@]}" --mysql-ssl=preferred "${run[@]}"
assert_grep '"tls_cipher": ?"none"'
