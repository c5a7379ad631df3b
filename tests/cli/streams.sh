#!/bin/bash
# SPDX-License-Identifier: MIT
# The same seed and threads make the same statements, in 100 runs; another seed, thread or driver setting tells the difference.
. "${srcdir:-.}/tests/lib.sh"

hash_of() {
	"$IOLTP" "$@" --db-driver=null --db-hash=on --time=0 --format=json run >out 2>err || fail "run failed: $*"
	sed -nE 's/.*"statement_hash": *"([0-9a-f]+)".*/\1/p' out | grep . || fail "no hash in the document"
}
need_command python3 python3

first=$(hash_of oltp_read_write --events=60 --threads=4 --rand-seed=7)
for _ in $(seq 99); do
	assert_equal "$first" "$(hash_of oltp_read_write --events=60 --threads=4 --rand-seed=7)" "hash of the same seed"
done
[ "$first" != "$(hash_of oltp_read_write --events=60 --threads=4 --rand-seed=8)" ] || fail "another seed, the same statements"
[ "$first" != "$(hash_of oltp_read_write --events=60 --threads=3 --rand-seed=7)" ] || fail "other threads, the same statements"
mixed=$(hash_of --mix=oltp_point_select@50,oltp_write_only@50 --events=100 --threads=2 --rand-seed=7)
assert_equal "$mixed" "$(hash_of --mix=oltp_point_select@50,oltp_write_only@50 --events=100 --threads=2 --rand-seed=7)" "hash of a mix"

# What prepare loads follows the seed, and not the threads.
dump() {
	rm -f t.db*
	"$IOLTP" oltp_read_write --sqlite-path=t.db --table-size=3000 "$@" prepare >out 2>err || fail "prepare failed"
	python3 -c 'import sqlite3,hashlib; print(hashlib.sha256(repr(sqlite3.connect("t.db").execute("select * from sbtest1 order by id").fetchall()).encode()).hexdigest())'
}
one=$(dump --rand-seed=3 --threads=1)
assert_equal "$one" "$(dump --rand-seed=3 --threads=4)" "rows by 4 threads"
[ "$one" != "$(dump --rand-seed=4 --threads=1)" ] || fail "another seed, the same rows"
