#!/bin/bash
# SPDX-License-Identifier: MIT
# Deadlocks on purpose: two rows in two orders, until ten thousand events were run again. Each event counts once, its half is
# never committed.
. "${srcdir:-.}/tests/lib.sh"
. "$srcdir/tests/db/mariadb_lib.sh"

# An event must meet another between its two updates; flushing would only make that slower.
mariadb_start --innodb-flush-log-at-trx-commit=0
cat >deadlock.lua <<'LUA'
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE pair (id INT PRIMARY KEY, v BIGINT NOT NULL) ENGINE=InnoDB")
   con:query("CREATE TABLE done (client INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB")
   con:query("INSERT INTO pair VALUES (1, 0), (2, 0)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
   con:query("INSERT INTO done VALUES (" .. sysbench.tid .. ", 0) ON DUPLICATE KEY UPDATE n = n")
   begin, commit = con:prepare("BEGIN"), con:prepare("COMMIT")
   add = con:prepare("UPDATE pair SET v = v + ? WHERE id = ?")
   cents, id = add:bind_create(sysbench.sql.type.INT), add:bind_create(sysbench.sql.type.INT)
   add:bind_param(cents, id)
   count = con:prepare("UPDATE done SET n = n + 1 WHERE client = " .. sysbench.tid)
end

function event(tid)
   local first = 1 + tid % 2
   begin:execute()
   cents:set(first == 1 and 1 or -1)
   id:set(first)
   add:execute()
   cents:set(first == 1 and -1 or 1)
   id:set(3 - first)
   add:execute()
   count:execute()
   commit:execute()
end
LUA
expect_status 0 "$IOLTP" deadlock.lua "${mysql_options[@]}" prepare
retried=0 counted=0 rounds=0
while [ "$retried" -lt 10000 ]; do
	rounds=$((rounds + 1))
	[ "$rounds" -le 40 ] || fail "$retried retries in $rounds rounds"
	expect_status 0 "$IOLTP" deadlock.lua "${mysql_options[@]}" --threads=8 --time=10 --format=json run
	read -r events retries failed < <(python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
t = r["transactions"]
t = t if isinstance(t, list) else list(t.values())
print(sum(x["ok"] for x in t), sum(x["retries"] for x in t), sum(x["failed"] for x in t))' "$TMP/out") || fail "no result"
	assert_equal 0 "$failed" "failed events"
	retried=$((retried + retries)) counted=$((counted + events))
done
echo "$retried retries, $counted events in $rounds rounds"
assert_equal "$(printf '0\t0\t%s' "$counted")" \
	"$(mariadb_sql 'SELECT SUM(v), MAX(ABS(v)) - ABS(MIN(v)), (SELECT SUM(n) FROM sbtest.done) FROM sbtest.pair')" "what the events left"
