#!/bin/bash
# SPDX-License-Identifier: MIT
# Deadlocks on purpose: two rows in two orders. However often events are run again, each counts once and leaves its mark once.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/postgres_lib.sh"

pg_start deadlock_timeout=1ms log_min_messages=fatal autovacuum_naptime=5s
cat >deadlock.lua <<'EOT'
function thread_init()
   con = sysbench.sql.driver():connect()
   take, give = con:prepare("UPDATE pair SET v = v - ? WHERE id = ?"), con:prepare("UPDATE pair SET v = v + ? WHERE id = ?")
   param = {}
   for i, stmt in ipairs { take, give } do
      param[i] = { stmt:bind_create(sysbench.sql.type.BIGINT), stmt:bind_create(sysbench.sql.type.INT) }
      stmt:bind_param(param[i][1], param[i][2])
   end
end
function event()
   local first = sysbench.rand.uniform(1, 2)
   local amount = sysbench.rand.uniform(1, 1000)
   con:query("BEGIN")
   param[1][1]:set(amount)
   param[1][2]:set(first)
   take:execute()
   param[2][1]:set(amount)
   param[2][2]:set(3 - first)
   give:execute()
   con:query("INSERT INTO done VALUES (" .. sysbench.tid .. ")")
   con:query("COMMIT")
end
EOT
pg_sql "CREATE TABLE pair (id int PRIMARY KEY, v bigint) WITH (fillfactor = 10); INSERT INTO pair VALUES (1, 0), (2, 0);
	CREATE TABLE done (tid int); GRANT ALL ON pair, done TO sbtest" || fail "cannot make the tables"

retries=0 events=0
for ((round = 0; retries < 10000 && round < 40; round++)); do
	expect_status 0 "$IOLTP" deadlock.lua "${pg_socket[@]}" --threads=8 --time=10 run
	assert_grep '^ +[0-9]+ +0 40P01 +deadlock detected'
	retries=$((retries + $(sed -nE 's/^Balance: .*; retries ([0-9]+)$/\1/p' "$TMP/out")))
	events=$((events + $(sed -nE 's/^ *transactions: *([0-9]+) .*/\1/p' "$TMP/out")))
	assert_grep "^Balance: .* failed 0 "
done
[ "$retries" -ge 10000 ] || fail "only $retries events were run again"
assert_equal 0 "$(pg_sql 'SELECT sum(v) FROM pair')" "sum of the pair"
assert_equal "$events" "$(pg_sql 'SELECT count(*) FROM done')" "transactions that left a mark"
echo "$retries retries of $events events"
exit 0
