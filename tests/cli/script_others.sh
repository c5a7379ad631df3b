#!/bin/bash
# SPDX-License-Identifier: MIT
# What other people's sysbench scripts do and bundled ones do not: results that nobody frees, options under names that we have, first
# connections in an event, reports of their own, old globals, own tables on top of oltp_common, errors that they catch.
. "${srcdir:-.}/tests/lib.sh"
need_command python3 python3

# script NAME: from standard input
script() {
	cat >"$1.lua"
}

# run STATUS SCRIPT OPTION...
run() {
	local status=$1
	shift
	expect_status "$status" "$IOLTP" "$@"
}

# ---- results that are not freed do not pile up, and those in use stay ----
script results <<'EOT'
function thread_init()
	con = sysbench.sql.driver():connect()
	con:query("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, c TEXT)")
	if con:query_row("SELECT COUNT(*) FROM t") == "0" then
		con:query("INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i, hex(zeroblob(60)) FROM n")
	end
end
local n = 0
function event()
	con:query("SELECT * FROM t")
	n = n + 1
	if n % 10 == 0 then -- part of it is read
		con:query("SELECT * FROM t"):fetch_row()
	end
	if n == 100 then
		local outer, seen = con:query("SELECT id FROM t ORDER BY id LIMIT 5"), {}
		local row = outer:fetch_row()
		while row do
			seen[#seen + 1] = row[1] .. con:query_row("SELECT COUNT(*) FROM t")
			row = outer:fetch_row()
		end
		assert(table.concat(seen, " ") == "1400 2400 3400 4400 5400", table.concat(seen, " "))
		local unread = con:query("SELECT id FROM t")
		con:query("SELECT 1")
		local ok, words = pcall(unread.fetch_row, unread)
		assert(not ok and words:match("given up"), words)
		assert(unread.nrows == 400 and unread.nfields == 1)
		-- all of one row was read: that is its end, and no error
		local one = con:query("SELECT 7")
		assert(one:fetch_row()[1] == "7")
		con:query("SELECT 8")
		assert(one:fetch_row() == nil and one.nrows == 1)
	end
end
EOT
run 0 results.lua --events=4000 --time=0 --output=results.json run
if ! "$IOLTP" --version | grep -qi sanitizer; then
	python3 -c 'import json; g = json.load(open("results.json"))["generator"]; print(g)' >generator
	peak=$(sed -n 's/.*memory \([0-9.]*\) MiB.*/\1/p' "$TMP/out")
	awk -v peak="$peak" 'BEGIN { exit !(peak > 0 && peak < 150) }' || fail "peak memory $peak MiB: results pile up"
fi

# ---- old random numbers ----
script uniq <<'EOT'
-- Each of a range once before any comes again, whatever else is drawn.
local seen = {}
for i = 1, 1000 do
	local v = sb_rand_uniq(1, 1000)
	assert(v >= 1 and v <= 1000 and not seen[v], v)
	seen[v] = true
	sb_rand_uniq(5, 7)
end
assert(sb_rand_uniq(5, 5) == 5 and sb_rand_uniq(1.5, 2.5) == 2)
for _, bad in ipairs({ { 10, 1 }, { 0 / 0, 5 }, { "x", 5 }, { 0, 2 ^ 40 } }) do
	local ok, words = pcall(sb_rand_uniq, bad[1], bad[2])
	assert(not ok and words:match("sb_rand_uniq: wants"), words)
end
for i = 1, 3000 do
	local v = sb_rand_uniq()
	assert(v >= 0 and v < 2 ^ 32)
	assert(#tostring(sb_rand(1, 9000000000000000)) <= 10)
	assert(not tostring(sb_rand(1, 9000000000000000)):find("e"))
end
assert(sb_rand("3", "3") == 3)
EOT
run 0 uniq.lua

# ---- options under names that are there already ----
script options <<'EOT'
sysbench.cmdline.options = {
	format = { "A format of mine", "csv" }, output = { "Where rows go", "rows.txt" }, twin = { "A number", 7 },
	histogram = { "Another type than it has", "no" }, threads = { "As text", "3" }, flag = { "On", nil, sysbench.cmdline.ARG_BOOL }
}
function event() end
function thread_init()
	local o = sysbench.opt
	print(("seen %s %s %s %s %s %s"):format(o.format, o.output, o.twin, tostring(o.histogram), o.threads, tostring(o.flag)))
end
EOT
run 0 options.lua --events=10 run
assert_grep '^seen csv rows.txt 7 false 1 true$'
assert_grep '^ +transactions: |total number of events: +10'
[ ! -e rows.txt ] || fail "the script's option became ours"
run 0 options.lua --events=10 --format=tsv --output=x.txt --threads=2 --no-flag --ioltp-output=ours.json run
assert_grep '^seen tsv x.txt 7 false 2 false$'
[ -s ours.json ] && [ ! -e x.txt ] || fail "--ioltp-output was not taken"
run 0 options.lua help
assert_grep '^  --format=.*A format of mine' "$TMP/out"
run 2 options.lua --twin=many run
assert_grep '^ioltp: error: --twin=many:' "$TMP/err"

run 0 options.lua --events=10 --format=foo --format=json --ioltp_format=csv run
assert_grep '^seen json'
cat >given.lua <<'EOT'
sysbench.cmdline.options = { format = { "", "x" } }
function event() assert(ioltp.given("format") and not ioltp.given("threads")) end
EOT
run 0 given.lua --events=1 --format=json --output=given.json run
python3 -c 'import json; o = json.load(open("given.json"))["options"]; assert o["format"] == "text" and o["script.format"] == "json", o' ||
	fail "options in the document"

# ---- help with options, which it may print ----
script helps <<'EOT'
function help() print("threads are " .. sysbench.opt.threads) end
function event() end
EOT
run 0 helps.lua --threads=4 help
assert_grep '^threads are 4$'

# ---- values as sysbench has them, as globals and not ----
script values <<'EOT'
local o
function event()
	o = sysbench.opt
	assert(o.percentile == 95, tostring(o.percentile))
	assert(string.format("%2dth", o.percentile) == "95th")
	if o.pgsql_port then
		assert(o.pgsql_port == 5432 and o.pgsql_host == "localhost", tostring(o.pgsql_port))
	end
	if o.mysql_ssl ~= nil then
		assert(o.mysql_ssl == false and o.mysql_compression == false)
		assert(mysql_password == "")
	end
	assert(num_threads == 2 and o.num_threads == 2 and max_requests == 4 and o.tx_rate == 0)
	assert(bare == "" and shown == "yes", tostring(bare))
	assert(targets == nil and device == nil, "names that sysbench has not")
end
EOT
run 0 values.lua --num-threads=2 --max-requests=4 --bare --shown=yes run

# ---- a first connection in an event; legacy functions connect so, too ----
script first <<'EOT'
function event()
	if not con then con = sysbench.sql.driver():connect() end
	con:query("SELECT 1")
end
EOT
run 0 first.lua --time=1.5 --report-interval=1 run
assert_grep '^SQL statistics:'
assert_grep '^\[ 1s \] thds: 1 tps: [0-9.]+ qps: '
echo 'function event() db_query("SELECT 1") end' >legacy.lua
run 0 legacy.lua --events=10 run
assert_grep '^ +read: +10$'

# ---- reports of its own, and nothing else ----
script reports <<'EOT'
sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = sysbench.report_json
function event() end
EOT
run 0 reports.lua --time=1.3 --report-interval=500ms --verbosity=0 run
python3 - <<'EOT' || fail "other than two JSON arrays"
import json
text, decoder, found = open("out").read().strip(), json.JSONDecoder(), []
while text:
    value, end = decoder.raw_decode(text)
    found.append(value)
    text = text[end:].strip()
assert len(found) == 2 and len(found[0]) == 2 and len(found[1]) == 1, found
EOT
run 0 first.lua --events=10 --verbosity=2 run
assert_equal '' "$(cat "$TMP/out")" "report with --verbosity=2"

# ---- errors that are caught keep their words, and do not come up later ----
script caught <<'EOT'
function event()
	local ok, words = pcall(sysbench.sql.driver, "attachsql")
	assert(not ok and tostring(words):match("no such driver"), tostring(words))
	sysbench.sql.driver():connect():query("SELECT * FROM nonexisting_table")
end
EOT
run 1 caught.lua --events=1 run
assert_grep 'nonexisting_table' "$TMP/err"
assert_no_grep 'attachsql' "$TMP/err"
echo 'function event() sysbench.sql.driver("attachsql") end' >uncaught.lua
run 2 uncaught.lua --events=1 run
assert_equal 1 "$(wc -l <"$TMP/err")" "lines of an error that is not caught"

# ---- rows without an insert that they belong to ----
echo 'function event() con = sysbench.sql.driver():connect() con:bulk_insert_next("(1)") end' >bulk.lua
run 1 bulk.lua --events=1 run
assert_grep 'bulk_insert_init' "$TMP/err"

# ---- own tables on top of oltp_common ----
script owntable <<'EOT'
require("oltp_common")
sysbench.cmdline.options.table_name = { "Name", "mine" }
function create_table(drv, con, n) con:query("CREATE TABLE mine" .. n .. " (id TEXT PRIMARY KEY)") end
function prepare_statements() end
function event() con:query("SELECT * FROM mine1") end
EOT
run 0 owntable.lua --tables=2 prepare
run 0 owntable.lua --tables=2 --events=5 --time=0 run
run 0 oltp_insert --table-size=0 --pgsql_variant=redshift prepare
run 0 oltp_insert --table-size=0 --events=5 --time=0 run
run 0 oltp_read_only --table-size=5 --range-size=0 --events=5 --time=0 run

# ---- statements that are sent as texts have results of their own each time ----
cat >emulated.lua <<'EOT'
function event()
	local con = sysbench.sql.driver():connect()
	local s, u = con:prepare("SELECT 1 UNION SELECT 2"), con:prepare("DELETE FROM t WHERE id = -1")
	for i = 1, 5 do
		u:execute()
		con:query_row("SELECT 7")
		local rs = s:execute()
		assert(rs.nrows == 2 and rs:fetch_row()[1] == "1")
	end
end
EOT
for mode in auto disable; do
	run 0 emulated.lua --db-ps-mode=$mode --events=10 --time=0 run
done

# ---- names ----
mkdir -p sub
echo 'function event() end function thread_init() print(sysbench.cmdline.script_path, test) end' >sub/s2.lua
run 0 sub.s2 --events=1 run
assert_grep '^sub.s2	sub.s2$'
echo 'function event() local d = sysbench.sql.driver() local c = d:connect() print(d, c, c:query("SELECT 1"), c:prepare("SELECT ?")) end' >names.lua
run 0 names.lua --events=1 run
assert_grep '^<sql_driver>	<sql_connection>	<sql_result>	<sql_statement>$'
