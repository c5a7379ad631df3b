# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the shell tests share. First line of a test: . "${srcdir:-.}/tests/lib.sh"
# A test passes with exit 0, is skipped with 77 (see skip), and fails with anything else. It runs in $TMP, a fresh folder that is
# removed at the end. $IOLTP is the program, $srcdir the source tree (absolute).

set -u -o pipefail
export LC_ALL=C

srcdir=$(cd "${srcdir:-.}" && pwd) || exit 99
IOLTP=${IOLTP:-$PWD/ioltp}
case $IOLTP in /*) ;; *) IOLTP=$PWD/$IOLTP ;; esac
export srcdir IOLTP

TMP=$(mktemp -d "${TMPDIR:-/tmp}/ioltp-test.XXXXXX") || exit 99
at_exit_commands=()

# Runs COMMAND... when the test ends, however it ends; last registered first.
at_exit() {
	at_exit_commands+=("$(printf '%q ' "$@")")
}

leave() {
	local status=$? i
	trap '' INT TERM
	cd / || exit 99
	for ((i = ${#at_exit_commands[@]} - 1; i >= 0; i--)); do
		eval "${at_exit_commands[i]}" || echo "note: at exit: ${at_exit_commands[i]}: status $?" >&2
	done
	rm -rf "$TMP"
	exit "$status"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$TMP" || exit 99

# Ends the test as failed, shows what the last expect_status printed.
fail() {
	local i=1
	while [ "${BASH_SOURCE[i]}" = "${BASH_SOURCE[0]}" ] && [ "$i" -lt $((${#BASH_SOURCE[@]} - 1)) ]; do
		i=$((i + 1))
	done
	echo "FAIL: ${BASH_SOURCE[i]##*/}:${BASH_LINENO[i - 1]}: $*" >&2
	if [ -s "$TMP/out" ] || [ -s "$TMP/err" ]; then
		sed 's/^/  out: /' "$TMP/out" | tail -n 40 >&2
		sed 's/^/  err: /' "$TMP/err" | tail -n 40 >&2
	fi
	exit 1
}

# Ends the test as skipped. A missing package is named by need_command instead: where it must be there, that counts as failure.
skip() {
	echo "SKIP: $*"
	exit 77
}

# need_command COMMAND PACKAGE
need_command() {
	command -v "$1" >/dev/null || skip "package $2 is missing (command $1)"
}

# expect_status STATUS COMMAND...: its output goes to $TMP/out and $TMP/err, for assert_grep.
expect_status() {
	local want=$1 got
	shift
	"$@" >"$TMP/out" 2>"$TMP/err"
	got=$?
	[ "$got" = "$want" ] || fail "status $got instead of $want: $*"
}

# assert_grep REGEX [FILE]: an extended expression; FILE is out by default.
assert_grep() {
	local file=${2:-$TMP/out}
	grep -Eq -e "$1" "$file" || fail "no line of ${file##*/} matches: $1"
}

assert_no_grep() {
	local file=${2:-$TMP/out}
	! grep -Eq -e "$1" "$file" || fail "a line of ${file##*/} matches: $1: $(grep -Em1 -e "$1" "$file")"
}

# assert_equal WANT GOT [WHAT]
assert_equal() {
	[ "$1" = "$2" ] || fail "${3:-value}: '$2' instead of '$1'"
}

# tiny_filesystem SIZE_KIB DIR: an empty filesystem of that size, gone at the end of the test. A real one in a file where
# loop devices work, else tmpfs; without the right to mount the test is skipped.
tiny_filesystem() {
	local size_kib=$1 dir=$2 image="$TMP/tiny.$RANDOM.img"
	mkdir -p "$dir" || fail "cannot make $dir"
	[ "$(id -u)" = 0 ] || skip "needs root to mount a tiny filesystem"
	if [ "$size_kib" -ge 1024 ] && command -v mkfs.ext4 >/dev/null && truncate -s "${size_kib}K" "$image" &&
		mkfs.ext4 -q -b 4096 -m 0 -O ^has_journal "$image" 2>/dev/null && mount -o loop "$image" "$dir" 2>/dev/null; then
		at_exit umount "$dir"
		return
	fi
	rm -f "$image"
	mount -t tmpfs -o "size=${size_kib}k" tmpfs "$dir" 2>/dev/null || skip "may not mount a tiny filesystem here"
	at_exit umount "$dir"
}
