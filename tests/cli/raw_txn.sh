#!/bin/bash
# SPDX-License-Identifier: MIT
# I/O transactions of the bundled profiles on a file: TPS, steps, the log region, and one flush for many commits.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"

# count LABEL: of the statement whose label ends so.
count() {
	value "sum(s['count'] for s in doc['statements'] if s['statement'].endswith('$1'))"
}

head -c 64M /dev/zero >t.img
for engine in uring sync; do
	raw t.img --file-size=64M --profile=oltp-commit --engine=$engine --oio=4 --events=300 --time=0 "--destroy-data=$TMP/t.img"
	assert_equal 300 "$(value totals.ok)" transactions
	assert_equal 300 "$(value 'doc["transactions"][0]["ok"]')"
	assert_equal 300 "$(value 'doc["latency_ns"]["count"]')"
	assert_equal 1200 "$(count 'each read')" reads
	assert_equal 300 "$(count 'each write')" appends
	assert_equal 300 "$(count 'flush' | awk -v each="$(count 'each flush')" '{ print $1 - each }')" "flush steps"
done

raw t.img --file-size=64M --profile=group-commit --oio=32 --events=2000 --time=0 "--destroy-data=$TMP/t.img"
assert_equal 2000 "$(value totals.ok)"
[ "$(count 'each flush')" -lt 1000 ] || fail "$(count 'each flush') flushes for 2000 commits of 32 clients"
assert_equal 1 "$(value raw.commit_groups)" "groups of commits"
assert_equal 1 "$(value raw.workers)" workers
expect_status 0 "$IOLTP" raw --engine=null --profile=group-commit --events=100 --time=0
assert_no_grep 'group commit: each'
expect_status 0 "$IOLTP" raw --engine=null --profile=group-commit --events=100 --time=0 --workers=2
assert_grep 'group commit: each of the 2 workers flushes for its own clients'
expect_status 0 "$IOLTP" raw --engine=null --profile=oltp-commit --events=100 --time=0 --workers=2
assert_no_grep 'group commit: each'

# Reads need no right to write, and nothing is written.
chmod a-w t.img
before=$(sha1sum <t.img)
raw t.img --profile=point-read --oio=4 --events=500 --time=0
assert_equal 500 "$(value totals.ok)"
assert_equal 0 "$(value totals.writes)"
assert_equal "$before" "$(sha1sum <t.img)"

raw --engine=null --profile=oltp-commit --rate=500 --time=1
assert_equal "$(value totals.offered)" "$(value 'totals.ok + totals.skipped + totals.unfinished')"
assert_equal open "$(value totals.loop)"
