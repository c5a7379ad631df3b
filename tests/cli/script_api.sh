#!/bin/bash
# SPDX-License-Identifier: MIT
# The Lua surface that scripts of sysbench rely on, without a server: options, commands, hooks, loops, globals, files.
. "${srcdir:-.}/tests/lib.sh"

# ---- options of every type, and where they come from ----
cat >options.lua <<'EOT'
#!/usr/bin/env ioltp
assert(sysbench.opt == nil, "opt is nil while the body runs")
sysbench.cmdline.options = {
   a_bool = {"a switch", false},
   a_num = {"a number", 2.5},
   an_int = {"an integer", 5, sysbench.cmdline.ARG_INT},
   a_size = {"a size", "4k", sysbench.cmdline.ARG_SIZE},
   a_str = {"a text"},
   a_list = {"a list", {"x", "y"}, sysbench.cmdline.ARG_LIST},
   a_file = {"a file", nil, sysbench.cmdline.ARG_FILE},
   checked = {"checked", 3, sysbench.cmdline.ARG_INT, function(name, value) return tonumber(value) < 10 end},
   ranged = {"in a range", 1, sysbench.cmdline.ARG_INT, range = "1..9"},
   chosen = {"one of", "red", choices = "red|green"},
}
function show()
   local o = sysbench.opt
   print(o.a_bool, o.a_num, o.an_int, o.a_size, "[" .. o.a_str .. "]", table.concat(o.a_list, "+"), o.a_file, o.checked, o.ranged, o.chosen, o.threads)
end
sysbench.cmdline.commands = { show = {show} }
EOT
expect_status 0 "$IOLTP" options.lua show
assert_grep $'^false\t2.5\t5\t4096\t\[\]\tx\+y\tnil\t3\t1\tred\t1$'
expect_status 0 "$IOLTP" options.lua --a-bool --a_num=0.25 --an-int=-7 --a-size=1M --a-str=q --a-list=1,2,3 --a-file=options.lua --chosen=green --threads=3 show
assert_grep $'^true\t0.25\t-7\t1048576\t\[q\]\t1\+2\+3\toptions.lua\t3\t1\tgreen\t3$'
printf '# comment\nthreads = 2\nan-int=9\n--a-str=file\n' >options.cfg
expect_status 0 "$IOLTP" options.lua --config-file=options.cfg --an-int=8 show
assert_grep $'\t8\t4096\t\[file\].*\t2$'
expect_status 2 "$IOLTP" options.lua --config-file=missing.cfg show
assert_grep 'missing.cfg' err
for bad in --an-int=x --an-int=1.5 --a-bool=maybe --a-size=-1 --a-file=nowhere --checked=30 --ranged=0 --chosen=blue --a-num=nan --an_itn=1; do
	expect_status 2 "$IOLTP" options.lua "$bad" show
	assert_equal 1 "$(wc -l <err)" "lines about $bad"
	assert_grep "^ioltp: error: ${bad%%=*}" err
done
expect_status 0 "$IOLTP" options.lua help
assert_grep '--ranged=INT'
expect_status 0 "$IOLTP" options.lua --help
assert_grep '--chosen='

# ---- commands ----
cat >commands.lua <<'EOT'
sysbench.cmdline.options = {}
function prepare() print("prepare " .. sysbench.cmdline.command) end
function cleanup() print("cleanup") end
sysbench.cmdline.commands = {
   par = {function() ioltp.barrier() io.write("par " .. sysbench.tid .. "\n") end, sysbench.cmdline.PARALLEL_COMMAND},
   no = {function() return false end},
   broken = {function() local x = nil; return x.y end},
   one_fails = {function() if sysbench.tid == 1 then ioltp.fail("thread 1: does not like it; ask it") end ioltp.barrier() end, true},
   wrong_use = {function() ioltp.usage("--x: is wrong; give another") end},
}
EOT
expect_status 0 "$IOLTP" commands.lua prepare
assert_grep '^prepare prepare$'
expect_status 0 "$IOLTP" commands.lua cleanup
expect_status 0 "$IOLTP" commands.lua --threads=4 par
assert_equal "par 0 par 1 par 2 par 3" "$(sort out | tr '\n' ' ' | sed 's/ $//')" "threads of a parallel command"
expect_status 1 "$IOLTP" commands.lua no
assert_grep "command 'no' returned false" err
expect_status 1 "$IOLTP" commands.lua broken
assert_grep '^ioltp: error: commands.lua:[0-9]+: attempt to index' err
assert_equal 1 "$(grep -c 'stack traceback' err)" "tracebacks"
expect_status 1 "$IOLTP" commands.lua --threads=3 one_fails
assert_equal "ioltp: error: thread 1: does not like it; ask it" "$(cat err)" "error"
expect_status 2 "$IOLTP" commands.lua wrong_use
assert_equal "ioltp: error: --x: is wrong; give another" "$(cat err)" "error"
expect_status 2 "$IOLTP" commands.lua nosuch
expect_status 2 "$IOLTP" commands.lua run
assert_grep 'no function event' err
expect_status 2 "$IOLTP" commands.lua par more
expect_status 2 "$IOLTP" nosuch_workload run

# ---- callbacks and states ----
cat >calls.lua <<'EOT'
local function say(what) io.stderr:write(what .. "\n") end
function init() say("init " .. sysbench.tid) end
function done() say("done") end
function thread_init(tid) say("thread_init " .. tid) count = 0 end
function thread_done(tid) say("thread_done " .. tid .. " " .. count) end
function event(tid) assert(tid == sysbench.tid) count = count + 1 if count == 6 then return true end end
EOT
expect_status 0 "$IOLTP" calls.lua --threads=2 --time=0 run
assert_grep 'total number of events: +10$'
assert_grep 'offered 10 = ok 10 \+ failed 0 \+ skipped 0 \+ unfinished 0'
for line in 'init 0' 'thread_init 0' 'thread_init 1' 'thread_done 0 6' 'thread_done 1 6' 'done'; do
	assert_equal 1 "$(grep -c "^$line\$" err)" "$line"
done

# ---- own loop on the C functions, with declarations made again ----
cat >loop.lua <<'EOT'
ffi.cdef[[
void sb_counter_inc(int, sb_counter_type);
int usleep(unsigned int);
]]
function thread_run(tid)
   while ffi.C.sb_more_events(tid) do
      ffi.C.sb_event_start(tid)
      ffi.C.usleep(1000)
      ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_READ)
      ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_ERROR)
      ffi.C.sb_event_stop(tid)
   end
end
function thread_init()
   con = sysbench.sql.driver():connect()
end
EOT
expect_status 0 "$IOLTP" loop.lua --db-driver=null --events=20 --threads=2 --time=0 run
assert_grep 'read: +20$'
assert_grep 'ignored errors: +20 '
assert_grep 'total number of events: +20$'

# ---- errors: restart, give up, hooks ----
cat >errors.lua <<'EOT'
local n = 0
function event()
   n = n + 1
   if n % 2 == 1 then error({ errcode = sysbench.error.RESTART_EVENT }) end
end
sysbench.hooks.before_restart_event = function(e) restarts = (restarts or 0) + 1 end
function thread_done() io.stderr:write("restarts " .. restarts .. "\n") end
EOT
expect_status 0 "$IOLTP" errors.lua --events=10 --time=0 run
assert_grep '^restarts 10$' err
assert_grep 'total number of events: +10$'
cat >throws.lua <<'EOT'
local n = 0
function event()
   n = n + 1
   if n == 5 then
      local t = nil
      t.x = 1
   end
end
EOT
expect_status 1 "$IOLTP" throws.lua run
assert_grep '^ioltp: error: throws.lua:6: attempt to index' err
assert_equal 1 "$(grep -c 'stack traceback' err)" "tracebacks"
assert_grep 'throws.lua:6: in function' err
assert_grep 'offered 5 = ok 4 \+ failed 1 ' out
assert_grep '^partial: ' out
echo 'function event( ' >syntax.lua
expect_status 1 "$IOLTP" syntax.lua run
assert_grep '^ioltp: error: syntax.lua:[0-9]+: ' err
cat >ignorable.lua <<'EOT'
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT * FROM no_such_table") end
sysbench.hooks.sql_error_ignorable = function(e) assert(e.sql_errno == 1 and e.sql_errmsg:match("no_such_table")) return true end
EOT
expect_status 0 "$IOLTP" ignorable.lua --sqlite-path=i.db --time=1 run
assert_no_grep 'ignored errors: +0 '
assert_grep 'unfinished 1(;|$)'
cat >fatal.lua <<'EOT'
function thread_init() con = sysbench.sql.driver():connect() end
function event()
   con:query("SELECT * FROM no_such_table")
end
EOT
expect_status 1 "$IOLTP" fatal.lua --sqlite-path=i.db --time=1 run
assert_grep "^ioltp: error: fatal.lua:3: SQL error, errno = 1, state = '[0-9A-Z]{5}': no such table" err

# ---- reports by hooks ----
cat >hooks.lua <<'EOT'
function event() end
sysbench.hooks.report_intermediate = sysbench.report_json
sysbench.hooks.report_cumulative = function(stat) print("TOTAL " .. stat.events .. " " .. tostring(stat.latency_max ~= nil)) end
EOT
expect_status 0 "$IOLTP" hooks.lua --time=1 --report-interval=1 --rate=500 run
assert_grep '^TOTAL [0-9]+ true$'
assert_no_grep 'General statistics'
sed -n '/^\[/,/^\]/p' out >hook.json
python3 -c 'import json; assert json.load(open("hook.json"))[0]["threads"] == 1' || fail "report_json is no JSON"
sed -i 's/report_json/report_csv/' hooks.lua
expect_status 0 "$IOLTP" hooks.lua --time=1 --report-interval=1 --rate=500 run
assert_grep '^1,1,[0-9.]+,0.00,0.00,0.00,0.00,[0-9.]+,0.00,0.00$'

# ---- random numbers, strings, histogram ----
cat >rand.lua <<'EOT'
local r = sysbench.rand
for _, name in ipairs{"default", "uniform", "gaussian", "special", "pareto", "zipfian", "exponential"} do
   for _ = 1, 1000 do
      local v = r[name](5, 9)
      assert(v >= 5 and v <= 9 and v == math.floor(v), name)
   end
   local low, high = 1e9, 0
   for _ = 1, 1000 do
      local v = r[name](1, 1000000)
      low, high = math.min(low, v), math.max(high, v)
   end
   assert(high - low > 1000, name .. ": hardly any spread while the script is loaded")
   local wide = r[name](-9223372036854775807LL, 9223372036854775807LL)
   assert(ffi.istype("int64_t", wide), name)
end
assert(r.uniform(7, 7) == 7)
assert(r.string("##-@@"):match("^%d%d%-%l%l$"))
local s = r.varstring(3, 8)
assert(#s >= 3 and #s <= 8)
assert(r.uniform_double() < 1 and ffi.istype("uint64_t", r.uniform_uint64()))
local seen = {}
for _ = 1, 10000 do
   local u = r.unique()
   assert(not seen[u] and u >= 0 and u < 2^32)
   seen[u] = true
end
local h = sysbench.histogram.new(100, 0.1, 1000)
for i = 1, 50 do h:update(i) end
h:print()
print(math.random(1000000), r.uniform(1, 1000000))
EOT
expect_status 0 "$IOLTP" --rand-seed=5 rand.lua
assert_grep 'distribution'
last=$(tail -n 1 out)
expect_status 0 "$IOLTP" --rand-seed=5 - <rand.lua
assert_equal "$last" "$(tail -n 1 out)" "numbers of the same seed"

# ---- files: standard input, LUA_PATH, neighbours, a library of one's own ----
mkdir -p lib sub/folder
echo 'return { word = "from lib" }' >lib/helper.lua
echo 'function event() end print("neighbour " .. tostring(...))' >sub/folder/common.lua
printf 'require("folder/common")\nlocal h = require("helper")\nprint(h.word)\n' >sub/main.lua
expect_status 0 env LUA_PATH="$PWD/lib/?.lua;;" "$IOLTP" sub/main.lua --events=1 run
assert_grep '^neighbour folder/common$'
assert_grep '^from lib$'
echo 'print("named " .. sysbench.cmdline.script_path) function event() end' >lib/by_name.lua
expect_status 0 env LUA_PATH="$PWD/lib/?.lua" "$IOLTP" by_name --events=1 run
assert_grep "^named by_name\$"
echo 'print(sysbench.cmdline.argv[0] ~= nil, sysbench.version)' | expect_status 0 "$IOLTP"
assert_grep '^true'
echo 'function event() end' | expect_status 0 "$IOLTP" --events=5
assert_grep 'total number of events: +5$'

# ---- 0.5 and 1.0 legacy ----
cat >old.lua <<'EOT'
function thread_init(id)
   db_connect()
   stmt = db_prepare("SELECT ?, ?")
   params = {1, "x"}
   db_bind_param(stmt, params)
end
function event(id)
   assert(thread_id == id and db_driver == "null" and test:match("old.lua$"))
   params[1] = sb_rand(1, oltp_table_size)
   local rs = db_execute(stmt)
   db_store_results(rs)
   db_free_results(rs)
   db_query("SELECT 1")
   assert(sb_rand_str("###"):match("^%d%d%d$") and sb_rnd() >= 0 and sb_rand_uniq(1, 10) <= 10 and sb_rand_uniq() >= 0)
end
EOT
expect_status 0 "$IOLTP" --test=old.lua --oltp-table-size=100 --num-threads=2 --max-requests=10 --max-time=0 --db-driver=null run
assert_grep 'transactions: +10 '
