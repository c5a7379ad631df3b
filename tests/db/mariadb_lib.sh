# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034 # variables are for the tests
#
# Throw-away MariaDB servers for tests. After tests/lib.sh: . "$srcdir/tests/db/mariadb_lib.sh"
#
#   mariadb_start [--name=NAME] [--dir=DIR] [ARGUMENT...]   a server of its own on a free port; sets the variables below
#   mariadb_stop NAME                                       ends it (its data stays); mariadb_start with the same NAME starts it again
#   mariadb_sql [--name=NAME] [STATEMENT]                   runs statements as the server's root, rows tab-separated without a header
#
#   $mariadb_socket $mariadb_port $mariadb_pid $mariadb_dir $mariadb_log    of the server started last
#   $mysql_options   an array: options of ioltp and sysbench for that server (user and database sbtest, password "secret")
#
# The server runs as an unprivileged user, flushes each commit, and is gone when the test ends, however it ends.

mariadb_server=$(command -v mariadbd || command -v mysqld || true)

declare -A mariadb_pids=() mariadb_dirs=() mariadb_ports=()

mariadb_need() {
	[ -n "$mariadb_server" ] || skip "package mariadb-server is missing (command mariadbd)"
	need_command mariadb-install-db mariadb-server
	need_command mariadb mariadb-client
}

# What runs a command as the user of the server: root is refused by it. It goes with the test that started it.
mariadb_as_user=()
if [ "$(id -u)" = 0 ]; then
	mariadb_as_user=(setpriv "--reuid=$(id -u mysql 2>/dev/null || echo 65534)" "--regid=$(id -g mysql 2>/dev/null || echo 65534)"
		--clear-groups --pdeathsig=KILL)
fi

# A port that nobody listens on now.
mariadb_free_port() {
	local port tries
	for ((tries = 0; tries < 200; tries++)); do
		port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || {
			echo "$port"
			return
		}
	done
	return 1
}

mariadb_install() {
	local dir=$1
	mkdir -p "$dir/data" "$dir/tmp" || fail "cannot make $dir"
	if [ "$(id -u)" = 0 ]; then
		chmod 755 "$TMP"
		chown -R "$(id -u mysql 2>/dev/null || echo 65534)" "$dir"
	fi
	"${mariadb_as_user[@]}" mariadb-install-db --no-defaults --datadir="$dir/data" --tmpdir="$dir/tmp" --innodb-log-file-size=8M \
		--auth-root-authentication-method=normal --skip-test-db --skip-name-resolve >"$dir/install.log" 2>&1 ||
		fail "mariadb-install-db: $(tail -n 3 "$dir/install.log")"
}

mariadb_start() {
	local name=main dir='' arg
	local -a extra=()
	for arg; do
		case $arg in
		--name=*) name=${arg#*=} ;;
		--dir=*) dir=${arg#*=} ;;
		*) extra+=("$arg") ;;
		esac
	done
	dir=${dir:-${mariadb_dirs[$name]:-$TMP/mariadb.$name}}
	mariadb_need
	[ -d "$dir/data/mysql" ] || mariadb_install "$dir"
	mariadb_dirs[$name]=$dir
	mariadb_ports[$name]=${mariadb_ports[$name]:-$(mariadb_free_port)} || fail "no free port"
	# Durable like a server's defaults; small where size only costs time to start.
	"${mariadb_as_user[@]}" "$mariadb_server" --no-defaults --datadir="$dir/data" --tmpdir="$dir/tmp" --socket="$dir/sock" \
		--pid-file="$dir/pid" --port="${mariadb_ports[$name]}" --bind-address=127.0.0.1 --skip-name-resolve \
		--innodb-buffer-pool-size=64M --innodb-log-file-size=48M --innodb-flush-log-at-trx-commit=1 \
		--max-connections=200 --log-error="$dir/error.log" --log-warnings=1 "${extra[@]}" >"$dir/out.log" 2>&1 &
	mariadb_pids[$name]=$!
	at_exit mariadb_kill "$!"
	mariadb_select "$name"
	mariadb_wait_ready "$name"
	[ -e "$dir/users" ] || mariadb_users "$name"
}

# Makes a server the one that the variables speak of.
# shellcheck disable=SC2034 # the variables are for tests
mariadb_select() {
	mariadb_dir=${mariadb_dirs[$1]}
	mariadb_socket=$mariadb_dir/sock
	mariadb_log=$mariadb_dir/error.log
	mariadb_port=${mariadb_ports[$1]}
	mariadb_pid=${mariadb_pids[$1]}
	mysql_options=(--db-driver=mysql "--mysql-socket=$mariadb_socket" --mysql-user=sbtest --mysql-password=secret --mysql-db=sbtest)
}

mariadb_wait_ready() {
	local tries
	for ((tries = 0; tries < 600; tries++)); do
		mariadb_sql "--name=$1" 'SELECT 1' >/dev/null 2>&1 && return
		mariadb_alive "${mariadb_pids[$1]}" || fail "the server ended: $(tail -n 5 "$mariadb_log")"
		sleep 0.1
	done
	fail "the server is not ready after 60 s: $(tail -n 5 "$mariadb_log")"
}

# Of a server that was just installed. With read_only or a full disk this fails; such tests change the server afterwards.
mariadb_users() {
	mariadb_sql "--name=$1" "CREATE DATABASE sbtest; CREATE USER sbtest@'%' IDENTIFIED BY 'secret';
		CREATE USER sbtest@localhost IDENTIFIED BY 'secret';
		GRANT ALL ON sbtest.* TO sbtest@'%'; GRANT ALL ON sbtest.* TO sbtest@localhost" || fail "cannot make users"
	: >"${mariadb_dirs[$1]}/users"
}

mariadb_sql() {
	local name=main
	case ${1:-} in --name=*)
		name=${1#*=}
		shift
		;;
	esac
	mariadb --no-defaults --batch --skip-column-names --user=root --socket="${mariadb_dirs[$name]}/sock" \
		${1:+--execute="$1"}
}

# Is that process, started by this shell, still there? Its number alone may be another's by now.
mariadb_alive() {
	jobs -rp | grep -qx "$1"
}

mariadb_kill() {
	mariadb_alive "$1" || return 0
	kill -CONT "$1" 2>/dev/null
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

mariadb_stop() {
	local pid=${mariadb_pids[$1]} tries
	mariadb_alive "$pid" || return 0
	kill -TERM "$pid" 2>/dev/null
	for ((tries = 0; tries < 300; tries++)); do
		mariadb_alive "$pid" || break
		sleep 0.1
	done
	mariadb_kill "$pid"
}
