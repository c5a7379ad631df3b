#!/bin/bash
# SPDX-License-Identifier: MIT
# Clients that share a Lua state do what clients with one each do; and scripts for which that could not be so are told apart.
. "${srcdir:-.}/tests/lib.sh"
need_command python3 python3

# ---- the same statements ----
hash_of() {
	"$IOLTP" "$@" --db-driver=null --db-hash=on --time=0 --rand-seed=7 --format=json run >out 2>err || fail "run failed: $*: $(cat err)"
	sed -nE 's/.*"statement_hash": *"([0-9a-f]+)".*/\1/p' out | grep . || fail "no hash in the document"
}
for workload in oltp_read_write oltp_insert oltp_delete select_random_points --mix=oltp_point_select@50,oltp_write_only@50; do
	for mode in auto disable; do
		own=$(hash_of "$workload" --threads=9 --events=900 --db-ps-mode=$mode)
		grep -q '"lua_states"' out && fail "$workload: shared without being asked"
		assert_equal "$own" "$(hash_of "$workload" --threads=9 --events=900 --db-ps-mode=$mode --lua-states=2)" "$workload, $mode: hash"
		assert_grep '"lua_states": *2' out
	done
done

expect_status 0 "$IOLTP" oltp_read_write --table-size=1000 prepare
expect_status 0 "$IOLTP" oltp_read_write --table-size=1000 --threads=8 --lua-states=3 --events=400 --time=0 --rate=2000 run
assert_grep '; 3 Lua states, shared$'
assert_grep '^Balance: +offered 400 = ok 400 '
expect_status 0 "$IOLTP" oltp_read_write --table-size=1000 check
expect_status 0 "$IOLTP" oltp_read_write --table-size=1000 --threads=3 --lua-states=3 --events=30 --time=0 run
assert_no_grep 'Lua states'

# ---- globals, modules, options and thread hooks of its own for each ----
cat >counted.lua <<'EOS'
local M = { n = 0 }
seen = {}
function M.count() M.n = M.n + 1 seen[#seen + 1] = M.n return M.n end
return M
EOS
cat >own.lua <<'EOS'
#!/usr/bin/env ioltp
local counted = require("counted")
sysbench.cmdline.options = { size = { "a size", 100 } }
setmetatable(_G, { __index = function(_, name) return name == "unheard_of" and "heard" or nil end })
total = 0
function thread_init(tid)
	assert(tid == sysbench.tid and thread_id == tid)
	sysbench.opt.size = sysbench.opt.size + tid
	con = sysbench.sql.driver():connect()
	name = "client" .. tid
	assert(unheard_of == "heard" and _G.name == name)
end
function event(tid)
	total = total + 1
	assert(counted.count() == total and seen[total] == total, "another's module")
	assert(name == "client" .. tid and sysbench.tid == tid, "another's globals")
	assert(sysbench.opt.size == 100 + tid and sysbench.opt.threads == 6, "another's options")
	-- Objects that only the collector frees, of connections that are at work in other threads.
	local st = con:prepare("SELECT ?")
	local p = st:bind_create(sysbench.sql.type.INT)
	st:bind_param(p)
	p:set(tid * 1000 + total)
	local rs = con:query("SELECT " .. tid)
	assert(rs:fetch_row()[1] == tostring(tid), "another's result")
	assert(st:execute():fetch_row()[1] == tostring(tid * 1000 + total), "another's parameter")
end
function thread_done(tid)
	print(("done %d: %d"):format(tid, total))
end
EOS
expect_status 0 "$IOLTP" own.lua --threads=6 --lua-states=2 --events=6000 --time=0 run
assert_equal 6 "$(grep -c '^done [0-5]: 1000$' "$TMP/out")" "clients with all their events"
assert_grep '2 Lua states, shared'

# ---- errors name the script's own line, and end only what they should ----
cat >fails.lua <<'EOS'
function thread_init() con = sysbench.sql.driver():connect() n = 0 end
function event(tid)
	n = n + 1
	if tid == 3 and n == 5 then
		error("enough")
	end
	con:query("SELECT 1")
end
EOS
expect_status 1 "$IOLTP" fails.lua --threads=6 --lua-states=2 --time=20 run
assert_grep 'error: fails.lua:5: enough' "$TMP/err"
cat >restarts.lua <<'EOS'
function thread_init() con = sysbench.sql.driver():connect() tries = 0 end
sysbench.hooks.sql_error_ignorable = function(e) return tries % 2 == 1 end
function event(tid)
	tries = tries + 1
	if tid % 2 == 0 then con:query(tries % 2 == 1 and "SELECT nonsense" or "SELECT 1") end
end
EOS
expect_status 0 "$IOLTP" restarts.lua --threads=6 --lua-states=1 --events=60 --time=0 run
assert_grep '^ *ignored errors: +30 '

# ---- scripts that may not share ----
refused() {
	expect_status 2 "$IOLTP" "$1" --threads=4 --lua-states=2 --time=1 run
	assert_equal 1 "$(wc -l <"$TMP/err")" "lines of the refusal"
	assert_grep "^ioltp: error: --lua-states=2: 4 clients would share states, which this script does not allow \(.*$2\); leave" "$TMP/err"
}
alone() {
	printf '%s\nfunction event() end\n' "$2" >alone.lua
	refused alone.lua "alone.lua: $1"
	# Nobody asked: each has its own.
	expect_status 0 "$IOLTP" alone.lua --threads=4 --events=4 --time=0 run
	assert_no_grep 'Lua states'
}
alone ffi 'local C = ffi.C'
alone math.random 'local x = math.random(5)'
alone 'math by another name' 'local m = math'
alone debug 'local t = debug.traceback()'
alone load 'local f = load("return 1")'
alone "string's functions" 'function string.twice(s) return s .. s end'
alone "table's functions" 'table.contains = function() end'
alone sysbench.rand 'sysbench.rand.mine = function() end'
alone 'a walk over sysbench.opt' 'function init() for k in pairs(sysbench.opt) do end end'
alone 'require of a computed name' 'local m = "counted" local c = require(m)'
alone 'require of later' 'function late() return require("later") end'
echo 'local M = {} function M.draw() return math.random() end return M' >drawing.lua
echo 'local d = require("drawing") function event() d.draw() end' >neighbour.lua
refused neighbour.lua 'drawing.lua: math.random'
# What is said of such things, in comments, is no reason.
printf -- '-- by ffi and math.random\nfunction event() end -- debug\n' >said.lua
expect_status 0 "$IOLTP" said.lua --threads=4 --lua-states=2 --events=4 --time=0 run
# Debian's scripts are none of these.
if [ -r /usr/share/sysbench/oltp_read_write.lua ]; then
	rm -f ./*.db
	expect_status 0 "$IOLTP" /usr/share/sysbench/oltp_read_write.lua --sqlite-pretend=mysql --table-size=100 prepare
	expect_status 0 "$IOLTP" /usr/share/sysbench/oltp_read_write.lua --sqlite-pretend=mysql --table-size=100 \
		--threads=6 --lua-states=2 --events=60 --time=0 run
	assert_grep '2 Lua states, shared'
fi
exit 0
