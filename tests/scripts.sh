#!/bin/bash
# SPDX-License-Identifier: MIT
# What scripts/ shares: how packages fail to install, how tests are counted, how ratios are judged. Made-up commands stand for the
# system's, so that nothing is installed here.
. "${srcdir:-.}/tests/lib.sh"

mkdir bin work
real_path=$PATH

# command_is NAME LINES: a made-up command.
command_is() {
	printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# run_lib LINES: these after scripts/lib.sh and its companions, in a shell that finds the made-up commands first.
run_lib() {
	cat >lib_test.sh <<-EOT
	. "$srcdir/scripts/lib.sh"
	. "$srcdir/scripts/check_lib.sh"
	. "$srcdir/scripts/bench_lib.sh"
	work_dir=$TMP/work
	bench_dir=$TMP/work
	$1
	EOT
	PATH=$TMP/bin:$real_path bash lib_test.sh
}

# ---- packages ----
command_is dpkg-query 'case ${!#} in here*) printf installed ;; *) exit 1 ;; esac'
command_is apt-get 'echo "$*" >>'"$TMP"'/apt; exit 0'
command_is sudo 'shift; exec "$@"'
command_is df 'echo header; echo "x 1 1 9999 1% /"'

expect_status 0 run_lib 'install_packages here1 here2'
[ ! -e apt ] || fail "apt-get runs though nothing is missing: $(cat apt)"
expect_status 0 run_lib 'install_packages here1 gone1 here2 gone2'
assert_grep 'install --no-install-recommends gone1 gone2$' apt
rm -f apt
expect_status 0 run_lib 'install=no; install_packages here1 gone1'
assert_grep 'going on without: gone1' "$TMP/err"
[ ! -e apt ] || fail "apt-get runs in spite of --no-install"

command_is apt-get 'echo "E: Failed to fetch http://x Temporary failure resolving"; exit 100'
expect_status 1 run_lib 'install_packages gone1'
assert_grep 'no network.*gone1.*--no-install' "$TMP/err"
command_is apt-get 'echo "E: You do not have enough free space in /var"; exit 100'
expect_status 1 run_lib 'install_packages gone1'
assert_grep 'the disk is full' "$TMP/err"
command_is apt-get 'echo "E: Unable to locate package gone1"; exit 100'
expect_status 1 run_lib 'install_packages gone1'
assert_grep 'Unable to locate package gone1' "$TMP/err"
# Missing lists: the second try, after an update, works.
command_is apt-get 'case "$*" in *update*) touch '"$TMP"'/updated ;; *) [ -e '"$TMP"'/updated ] ;; esac'
expect_status 0 run_lib 'install_packages gone1'
command_is df 'echo header; echo "x 1 1 3 99% /"'
expect_status 1 run_lib 'install_packages gone1'
assert_grep '3 MiB free' "$TMP/err"
rm bin/df

# ---- counting ----
suite=work/gcc/tests
mkdir -p $suite
# result NAME RESULT LOG
result() {
	echo ":test-result: $2" >"$suite/$1.trs"
	echo "$3" >"$suite/$1.log"
}
# shellcheck disable=SC2016 # for the other shell
count='for t in work/gcc/tests/*.trs; do count_test gcc "$TMP/$t"; done; report'
export TMP
result good PASS fine
result other SKIP 'SKIP: no such drive'
expect_status 0 run_lib "$count"
assert_grep '^skipped: gcc: tests/other: no such drive$'
assert_equal '1 passed, 0 failed, 1 skipped' "$(tail -n 1 out)"
result third SKIP 'SKIP: package fio is missing'
expect_status 0 env -u CI "$BASH" -c "$(declare -f run_lib); srcdir='$srcdir' real_path='$real_path'; run_lib '$count'"
assert_equal '1 passed, 0 failed, 2 skipped' "$(tail -n 1 out)"
export CI=true
expect_status 1 run_lib "$count"
assert_equal '1 passed, 1 failed, 1 skipped' "$(tail -n 1 out)"
unset CI
result bad FAIL 'it broke'
result worse ERROR 'it never began'
expect_status 1 run_lib "$count"
assert_grep '^FAILED: gcc: tests/bad '
assert_grep '^    it broke$'
assert_equal '1 passed, 2 failed, 2 skipped' "$(tail -n 1 out)"

expect_status 0 run_lib 'failed_tests gcc'
assert_equal 'tests/bad tests/worse ' "$(cat out)"
result bad FAIL 'FAIL: it broke once'
expect_status 1 run_lib "note_again gcc tests/bad; echo ':test-result: PASS' >$suite/bad.trs; $count"
assert_grep '^failed at first, ran again alone: gcc: tests/bad '
assert_grep '^    FAIL: it broke once$'
assert_equal '2 passed, 1 failed, 2 skipped' "$(tail -n 1 out)"

# ---- ratios ----
expect_status 0 run_lib 'printf "3\n1\n2\n" | median; printf "1\n4\n2\n3\n" | median; printf "1e3\n900\n20\n" | median'
assert_equal '2 2.5 900' "$(tr '\n' ' ' <out | sed 's/ $//')"
expect_status 0 run_lib 'pairs=3; compare x 2 "echo 10" "echo 4"; compare y 3 "echo 10" "echo 4"; below z ns 10 "echo 9"; echo "$met $missed"'
assert_grep '^x: ratio 2.5 \(goal >= 2\) \.\.\. met$'
assert_grep '^y: ratio 2.5 \(goal >= 3\) \.\.\. missed$'
assert_grep '^z: ns 9 \(goal <= 10\) \.\.\. met$'
assert_equal '2 1' "$(tail -n 1 out)"
expect_status 0 run_lib 'pairs=1; compare x 2 "echo nonsense" "echo 4"; compare y 2 false "echo 4"; echo "$met $missed"'
assert_equal '0 2' "$(tail -n 1 out)"

# ---- wrong use of the scripts ----
for script in quickstart check bench; do
	expect_status 2 "$srcdir/scripts/$script" --no-such-option
	assert_grep '--no-such-option: unknown option|no such bench' "$TMP/err"
	expect_status 0 "$srcdir/scripts/$script" --help
	assert_grep "^Usage: scripts/$script"
done
