# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034 # variables are for the scripts that source this file
#
# What quickstart, check and bench share: the package lists, and how packages get in.

set -u -o pipefail
export LC_ALL=C

# The one place for names of packages (Debian 12; Ubuntu has the same).
build_packages=(
	autoconf automake gcc libc6-dev make pkg-config
	libluajit-5.1-dev libsqlite3-dev
	libblkid-dev libjansson-dev libmariadb-dev libnvme-dev libpq-dev libtracefs-dev liburing-dev zlib1g-dev
)
test_packages=(
	clang clang-format git libcmocka-dev luajit shellcheck universal-ctags xz-utils
	e2fsprogs fio mariadb-client-core mariadb-server-core postgresql python3 python3-jsonschema sqlite3 sysbench
	default-jdk-headless libhdrhistogram-java
	busybox-static cpio dmsetup fdisk qemu-system-x86
)
bench_packages=(fio sqlite3 sysbench)

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) || exit 1
program=${0##*/}
install=yes # --no-install: no
jobs=$(nproc 2>/dev/null || echo 1)

say() {
	echo "$program: $*" >&2
}

die() {
	say "$*"
	exit 1
}

# usage_error TEXT: wrong use of a script.
usage_error() {
	say "$*; try --help"
	exit 2
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -- "$@"
	fi
}

# Prints those of the packages given that are not installed.
missing_packages() {
	local package
	for package; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
	done
}

# need_space DIR MIB PURPOSE
need_space() {
	local free_mib
	free_mib=$(df -Pm "$1" | awk 'NR == 2 { print $4 }') || die "$1: cannot tell the free space; is it mounted?"
	[ "$free_mib" -ge "$2" ] ||
		die "$1: $free_mib MiB free, $3 needs about $2 MiB; free some space or choose another folder"
}

apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=2 -o Dpkg::Use-Pty=0 \
		install --no-install-recommends "$@"
}

# Says why apt-get failed, from what it wrote to the file.
die_of_apt() {
	local cause
	if grep -qiE 'Temporary failure resolving|Could not resolve|Could not connect|Network is unreachable|Connection (timed out|refused)|Failed to fetch' "$1"; then
		die "packages: no network to the package archive; connect, or install by hand: $2; then use --no-install"
	elif grep -qiE 'No space left|enough free space' "$1"; then
		die "packages: the disk is full; free some space and run again"
	elif grep -qiE 'Could not get lock|Unable to acquire' "$1"; then
		die "packages: another apt is running; wait for it and run again"
	fi
	cause=$(grep -m1 '^E: ' "$1" || tail -n 1 "$1")
	die "packages: apt-get failed (${cause#E: }); install by hand: $2; then use --no-install"
}

# Installs those of the packages given that are missing, or ends the script with the reason why it cannot.
install_packages() {
	local missing log
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		[ "$install" = no ] && return
		die "packages: no apt-get here, this script knows Debian and Ubuntu; install the like of: $*; then use --no-install"
	fi
	mapfile -t missing < <(missing_packages "$@")
	[ "${#missing[@]}" = 0 ] && return
	if [ "$install" = no ]; then
		say "--no-install: going on without: ${missing[*]}"
		return
	fi
	[ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
		die "packages: needs root or sudo to install: ${missing[*]}; install them as root, then use --no-install"
	need_space /usr $((100 + 40 * ${#missing[@]})) "installing ${#missing[@]} packages"
	say "installing: ${missing[*]}"
	log=$(mktemp) || die "/tmp: cannot make a file; is the disk full?"
	# The lists may be absent (containers) or old, which shows only when the install fails.
	if ! apt_install "${missing[@]}" >"$log" 2>&1; then
		as_root apt-get -q update >"$log" 2>&1 || die_of_apt "$log" "${missing[*]}"
		apt_install "${missing[@]}" >"$log" 2>&1 || die_of_apt "$log" "${missing[*]}"
	fi
	rm -f "$log"
}

# Makes ./configure where a clone has none yet, or an older one than its sources.
make_configure() {
	local newer
	if [ -x "$source_dir/configure" ]; then
		newer=$(cd "$source_dir" && find configure.ac Makefile.am m4 -name '*.a[cm]' -newer configure -o -name '*.m4' -newer configure)
		[ -z "$newer" ] && return
	fi
	[ -w "$source_dir" ] || die "$source_dir: not writable, and ./configure must be made there; copy the sources to a folder of yours"
	"$source_dir/autogen.sh" || die "$source_dir: autogen.sh failed; see above"
}
