#!/bin/bash
# SPDX-License-Identifier: MIT
# A target that fails in mid-run: the I/Os that failed are counted by errno, the document is whole, and the status is 1.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/cli/raw_lib.sh"

# fails ARGS...: a run that ends with status 1 and a document.
fails() {
	expect_status 1 "$IOLTP" raw "$@" --format=json
	cp "$TMP/out" out.json
	fits_schema
	assert_grep 'I/Os failed, first: ' "$TMP/err"
	[ "$(value totals.failed)" -gt 0 ] || fail "no failure is counted"
	assert_equal "$(value totals.offered)" "$(value 'totals.ok + totals.failed + totals.skipped + totals.unfinished')" offered
	assert_equal "$(value totals.ok)" "$(value latency_ns.count)" "latencies"
}

# A file that shrinks while it is read: nothing beyond its new end.
for engine in uring sync; do
	head -c 4M /dev/urandom >t.img
	(sleep 0.5 && truncate -s 2M t.img) &
	fails t.img --engine=$engine --oio=4 --time=1.5 --workers=1
	wait
	assert_equal 5 "$(value 'doc["errors"][0]["code"]')" "errno of $engine"
	assert_equal EIO "$(value 'doc["errors"][0]["state"]')"
	assert_grep 'short read' "$TMP/err"
	[ "$(value totals.ok)" -gt 100 ] || fail "too few reads before and within the rest"
done

# A filesystem that is full: ENOSPC, and the file's other half still takes writes.
tiny_filesystem 4096 "$TMP/tiny"
truncate -s 16M tiny/t.img
fails "$TMP/tiny/t.img" --file-size=16M --rw=randwrite --bs=64k --oio=2 --time=1 "--destroy-data=$TMP/tiny/t.img"
assert_equal ENOSPC "$(value 'doc["errors"][0]["state"]')"
assert_equal 28 "$(value 'doc["errors"][0]["code"]')"

# A curve stops at failures too.
head -c 1M /dev/urandom >t.img
(sleep 0.7 && truncate -s 512K t.img) &
expect_status 1 "$IOLTP" raw t.img --oio=2 --time=0.5 --curve=10,20,30 --format=json
wait
cp "$TMP/out" out.json
fits_schema
