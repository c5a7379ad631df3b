#!/bin/bash
# SPDX-License-Identifier: MIT
# The helpers of tests/lib.sh: one that cannot fail would let every test pass.
. "${srcdir:-.}/tests/lib.sh"

# script STATUS LINES: runs them as a test of their own and wants that exit status.
script() {
	local want=$1 got
	printf '. "%s/tests/lib.sh"\n%s\n' "$srcdir" "$2" >script.sh
	bash script.sh >script.out 2>&1
	got=$?
	[ "$got" = "$want" ] || fail "status $got instead of $want: $2: $(cat script.out)"
}

# said REGEX: the last script printed such a line.
said() {
	grep -Eq -e "$1" script.out || fail "not said: $1: $(cat script.out)"
}

script 0 'expect_status 0 true'
script 1 'expect_status 0 false'
said '^FAIL: script\.sh:2: status 1 instead of 0: false$'
script 0 'expect_status 3 sh -c "exit 3"'
script 1 'fail because'
script 0 'expect_status 0 echo hello; assert_grep "^hel+o$"; assert_no_grep bye'
script 1 'expect_status 0 echo hello; assert_grep bye'
said '  out: hello'
script 1 'expect_status 0 echo hello; assert_no_grep hello'
script 0 'expect_status 0 sh -c "echo hello >&2"; assert_grep hello "$TMP/err"'
script 1 'assert_grep x "$TMP/no_such_file"'
script 0 'assert_equal 1 1'
script 1 'assert_equal 1 2 count'
said 'count: .2. instead of .1.'
script 77 'skip "no reason"; exit 0'
said '^SKIP: no reason$'
script 77 'need_command no-such-command no-such-package'
said '^SKIP: package no-such-package is missing'
script 0 'need_command sh dash'
script 1 'echo "$unset_variable"; exit 0'

# The folder goes away, and registered commands run, last first, whatever the end.
script 1 'at_exit echo first; at_exit echo "two words"; pwd; fail on purpose'
said '^two words$'
[ "$(tail -n 1 script.out)" = first ] || fail "at_exit: wrong order: $(cat script.out)"
folder=$(grep '^/' script.out)
[ -n "$folder" ] && [ ! -e "$folder" ] || fail "temporary folder '$folder' is still there"

# A tiny filesystem is full when it should be.
if [ "$(id -u)" = 0 ]; then
	cat >tiny.sh <<-'EOT'
	tiny_filesystem 1024 "$TMP/tiny"
	mountpoint -q "$TMP/tiny" || fail "not mounted"
	head -c 2M /dev/zero 2>/dev/null >"$TMP/tiny/file" 2>/dev/null && fail "2 MiB fit into 1 MiB"
	exit 0
	EOT
	printf '. "%s/tests/lib.sh"\n' "$srcdir" | cat - tiny.sh >script.sh
	bash script.sh >script.out 2>&1
	status=$?
	[ "$status" = 0 ] || [ "$status" = 77 ] || fail "tiny_filesystem: status $status: $(cat script.out)"
	! grep -q 'ioltp-test[^ ]*/tiny' /proc/mounts || fail "a tiny filesystem is still mounted"
fi
exit 0
