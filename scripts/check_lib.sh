# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Counting for scripts/check: what passed, failed and was skipped over all builds, and the last words. The sourcing script sets
# work_dir, which holds a folder per suite.

work_dir=${work_dir:-}
source_dir=${source_dir:?scripts/lib.sh sets it}
passed=0
failures=() # "suite: test (log file)"
skips=()    # "suite: test: reason"
repeats=()  # "suite: test (log of the first try)"

step_begin=$SECONDS

# One step that is not a test suite of its own.
step_passed() {
	passed=$((passed + 1))
	say "$1: ok, $((SECONDS - step_begin)) s"
}

step_failed() {
	failures+=("$1: $2 (log: $3)")
	say "$1: FAILED, $((SECONDS - step_begin)) s"
}

# count_skip SUITE TEST REASON LOG: where everything must be installed, a missing package is a failure.
count_skip() {
	if [ "${CI:-}" = true ] && [[ $3 == package\ * ]]; then
		failures+=("$1: $2: skipped, but $3 (log: $4)")
	else
		skips+=("$1: $2: $3")
	fi
}

# Counts one test by its .trs file, which automake's driver wrote.
count_test() {
	local suite=$1 trs=$2 log=${2%.trs}.log test reason
	test=${trs#"$work_dir/$suite/"}
	test=${test%.trs}
	case $(sed -n 's/^:test-result: *//p' "$trs") in
	PASS | XFAIL) passed=$((passed + 1)) ;;
	SKIP)
		reason=$(sed -n 's/^SKIP: //p' "$log" | tail -n 1)
		: "${reason:=no reason given}"
		count_skip "$suite" "$test" "$reason" "$log"
		;;
	*) failures+=("$suite: $test (log: $log)") ;;
	esac
}

# The tests of a suite whose last run failed, as make calls them, in one line.
failed_tests() {
	local suite=$1 trs test
	while IFS= read -r trs; do
		test=${trs#"$work_dir/$suite/"}
		test=${test%.trs}
		[ ! -f "$source_dir/$test.sh" ] || test=$test.sh
		printf '%s ' "$test"
	done < <(grep -rlE --include='*.trs' '^:test-result: *(FAIL|ERROR)' "$work_dir/$suite/tests" | sort)
}

# Keeps the logs of tests that run again.
note_again() {
	local suite=$1 test log
	for test in $2; do
		log=$work_dir/$suite/${test%.sh}.log
		cp "$log" "$log.first" 2>/dev/null
		repeats+=("$suite: ${test%.sh} (log: $log.first)")
	done
}

# Lists skips with their reasons and failures with the end of their logs; the last line has the sums. False when anything failed.
report() {
	local entry log
	[ "${#skips[@]}" = 0 ] || printf 'skipped: %s\n' "${skips[@]}"
	for entry in "${repeats[@]}"; do
		log=${entry##*(log: }
		log=${log%)}
		echo "failed at first, ran again alone: $entry"
		[ ! -f "$log" ] || grep -m 3 -E '^FAIL|Error|ERROR' "$log" | sed 's/^/    /'
	done
	for entry in "${failures[@]}"; do
		log=${entry##*(log: }
		log=${log%)}
		echo "FAILED: $entry"
		[ ! -f "$log" ] || tail -n 40 "$log" | sed 's/^/    /'
	done
	echo "$passed passed, ${#failures[@]} failed, ${#skips[@]} skipped"
	[ "${#failures[@]}" = 0 ]
}
