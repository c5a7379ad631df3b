#!/bin/bash
# SPDX-License-Identifier: MIT
# SQLite under faults: a full disk, a database that another program holds, files that are none, loads that are killed. Every
# error is one line; nothing half done is committed or left without a word.
. "${srcdir:-.}/tests/lib.sh"
need_command python3 python3

one_line() {
	assert_equal 1 "$(grep -c '^ioltp: error: ' err)" "errors"
	assert_grep "^ioltp: error: .*$1" err
}

# ---- files that are no database, or cannot be one ----
echo "this is no database, and long enough to be looked at as one by whoever opens it ......................................" >text.db
expect_status 2 "$IOLTP" oltp_read_write --sqlite-path=text.db prepare
one_line 'text.db'
expect_status 2 "$IOLTP" oltp_read_write --sqlite-path=/nowhere/x.db prepare
one_line '/nowhere'
mkdir dir.db
expect_status 2 "$IOLTP" oltp_read_write --sqlite-path=dir.db prepare
one_line 'dir.db'
expect_status 2 "$IOLTP" oltp_read_write --sqlite-path=p.db --sqlite-pragma=nonsense prepare
one_line 'nonsense'

# ---- tables that are missing, empty or of the wrong shape ----
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=none.db run
one_line 'sbtest1.*prepare'
python3 -c 'import sqlite3; c = sqlite3.connect("shape.db"); c.execute("create table sbtest1(id integer primary key, other text)"); c.execute("insert into sbtest1 values(1, 1)"); c.commit()'
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=shape.db run
one_line 'sbtest1'

# ---- a full disk ----
tiny_filesystem 4096 small
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=small/x.db --table-size=100000 prepare
one_line 'full'
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=small/x.db check
rm -f small/x.db*
expect_status 0 "$IOLTP" oltp_insert --sqlite-path=small/x.db --table-size=2000 prepare
expect_status 1 "$IOLTP" oltp_insert --sqlite-path=small/x.db --table-size=2000 --time=60 --sqlite-synchronous=off run
one_line 'full'
assert_grep 'offered [0-9]+ = ok'
# What was said to be committed is there.
ok=$(sed -nE 's/.*= ok ([0-9]+) .*/\1/p' out)
rows=$(python3 -c 'import sqlite3; print(sqlite3.connect("small/x.db").execute("select count(*) from sbtest1").fetchone()[0])')
[ "$rows" -ge $((2000 + ok)) ] || fail "$ok inserts were ok, but there are only $rows rows"

# ---- another program holds the database ----
expect_status 0 "$IOLTP" oltp_read_write --sqlite-path=held.db --table-size=1000 prepare
cat >hold.py <<'EOT'
import sqlite3, sys, time
c = sqlite3.connect("held.db", isolation_level=None)
c.execute("begin immediate")
print("held", flush=True)
time.sleep(float(sys.argv[1]))
c.execute("rollback")
EOT
python3 hold.py 30 >held &
holder=$!
at_exit kill $holder
for _ in $(seq 100); do grep -q held held && break; sleep 0.1; done
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=held.db --sqlite-busy-timeout=300ms --prepare=replace prepare
one_line 'locked|busy'
# A run waits, counts, and gives up at its end: nothing was written, nothing was lost.
expect_status 0 "$IOLTP" oltp_read_write --sqlite-path=held.db --table-size=1000 --sqlite-busy-timeout=100ms --time=1 run
assert_grep 'ok 0 \+ failed 0 \+ skipped 0 \+ unfinished 1(;|$)'
assert_no_grep 'ignored errors: +0 '
kill $holder
wait $holder 2>/dev/null
expect_status 0 "$IOLTP" oltp_read_write --sqlite-path=held.db --table-size=1000 check

# ---- writers by the dozen, in two processes: all get their turn ----
expect_status 0 "$IOLTP" bank --sqlite-path=bank.db --accounts=50 prepare
"$IOLTP" bank --sqlite-path=bank.db --accounts=50 --threads=6 --time=3 --sqlite-synchronous=off run >other.out 2>other.err &
pid=$!
expect_status 0 "$IOLTP" bank --sqlite-path=bank.db --accounts=50 --threads=6 --time=3 --sqlite-synchronous=off run
wait $pid || fail "the other process failed: $(cat other.err)"
assert_grep 'failed 0 \+ skipped 0'
expect_status 0 "$IOLTP" bank --sqlite-path=bank.db --accounts=50 check

# ---- kill -9 in the middle of transfers ----
"$IOLTP" bank --sqlite-path=bank.db --accounts=50 --threads=4 --time=30 run >out 2>err &
pid=$!
for _ in $(seq 100); do grep -q started out && break; sleep 0.1; done
sleep 0.5
kill -9 $pid
wait $pid 2>/dev/null
expect_status 0 "$IOLTP" bank --sqlite-path=bank.db --accounts=50 check

# ---- a load that is killed: the next prepare says so, replace mends it ----
"$IOLTP" oltp_read_write --sqlite-path=killed.db --table-size=2000000 --threads=2 prepare >out 2>err &
pid=$!
for _ in $(seq 200); do [ -s killed.db ] && [ "$(stat -c %s killed.db killed.db-wal 2>/dev/null | awk '{s += $1} END {print s + 0}')" -gt 3000000 ] && break; sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=killed.db --table-size=2000 prepare
one_line 'sbtest1.*--prepare=replace'
expect_status 1 "$IOLTP" oltp_read_write --sqlite-path=killed.db --table-size=2000000 check
expect_status 0 "$IOLTP" oltp_read_write --sqlite-path=killed.db --table-size=2000 --prepare=replace prepare
expect_status 0 "$IOLTP" oltp_read_write --sqlite-path=killed.db --table-size=2000 check
