#!/bin/bash
# SPDX-License-Identifier: MIT
# The report is Debian sysbench's line by line once numbers are blanked: five workloads on MariaDB and PostgreSQL, with interval lines,
# checkpoints, histograms and other percentiles. Its rules, as in docs/measuring.md: the first line names the program, and what sysbench
# has not comes after all that it has.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"

need_command sysbench sysbench
mariadb_start --innodb-flush-log-at-trx-commit=0
pg_start synchronous_commit=off

# The lines of a histogram are as many as there were different latencies: `uniq` folds them, as it does interval lines of one form.
blank() {
	sed -E -e '1s/^(sysbench|ioltp) [0-9.]+ /PROGRAM /' -e 's/^( *[0-9.]+ )[|][*]* */\1|/' -e 's/[0-9]+(\.[0-9]+)?/N/g' -e 's/ +/ /g' "$1" | uniq
}

# compare NAME OPTIONS...: the same command line for both.
compare() {
	local name=$1
	shift
	"$IOLTP" "$@" run >ours 2>err || fail "$name: ioltp: $(cat err)"
	sysbench "$@" run >theirs 2>err || fail "$name: sysbench: $(tail -n 3 err theirs)"
	blank theirs >theirs.blank
	blank ours >ours.all
	head -n "$(wc -l <theirs.blank)" ours.all >ours.blank
	diff theirs.blank ours.blank >diff.out || { cat diff.out >&2; fail "$name: the report differs from sysbench's"; }
	# Both have what this is about.
	for line in "${expected[@]}"; do
		assert_grep "$line" ours.blank
	done
	tail -n +"$(($(wc -l <theirs.blank) + 1))" ours.all >ours.more
	assert_grep '^Balance: ' ours.more
	compared=$((compared + $(wc -l <theirs.blank)))
}

compared=0
# shellcheck disable=SC2034 # both by name
mysql=("${mysql_options[@]}")
# shellcheck disable=SC2034
pgsql=("${pg_target[@]}" --pgsql-user=sbtest --pgsql-db=sbtest)
for engine in mysql pgsql; do
	declare -n target=$engine
	expect_status 0 sysbench oltp_read_write "${target[@]}" --tables=1 --table-size=5000 prepare
	for workload in oltp_read_write oltp_point_select oltp_insert oltp_update_index select_random_points; do
		# At no second do two kinds of lines meet: their order would be up to a race in sysbench.
		expected=('^\[ Ns \] thds: N tps: N qps: N \(r/w/o: N/N/N\) lat \(ms,N%\): N err/s: N reconn/s: N$' '^\[ Ns \] Checkpoint report:$'
			'^ Nth percentile: N$' '^Threads fairness:$')
		compare "$engine $workload" "$workload" "${target[@]}" --tables=1 --table-size=5000 --threads=2 --time=3 --report-interval=2 \
			--report-checkpoints=1 --percentile=99
	done
	expected+=('^Latency histogram ' '^ N \|N$')
	compare "$engine histogram" oltp_read_only "${target[@]}" --tables=1 --table-size=5000 --threads=1 --time=3 --report-interval=2 \
		--report-checkpoints=1 --percentile=50 --histogram=on --db-ps-mode=disable
	expected=('^\[ Ns \] queue length: N, concurrency: N$')
	compare "$engine rate" oltp_read_only "${target[@]}" --tables=1 --table-size=5000 --threads=2 --time=3 --report-interval=2 --rate=20
	expected=('^ N: N$|^ N% percentile|percentile: N$')
	compare "$engine events" oltp_read_only "${target[@]}" --tables=1 --table-size=5000 --threads=3 --events=100 --time=0 --rand-seed=7
	expect_status 0 sysbench oltp_read_write "${target[@]}" --tables=1 cleanup
done
echo "$compared lines compared"
[ "$compared" -gt 500 ] || fail "only $compared lines compared"
exit 0
