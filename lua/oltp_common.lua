-- SPDX-License-Identifier: MIT
-- What the oltp_* and select_random_* workloads share: options, tables sbtest1..N, statements, commands.
-- Own scripts can build on it with require("oltp_common"): they define prepare_statements() and event().
-- What require returns has rows_may(), see below.

local schema = require("ioltp_schema")
local tables = require("oltp_tables")
local int, char = sysbench.sql.type.INT, sysbench.sql.type.CHAR
local cmdline = sysbench.cmdline

local oltp = {}
local create_one -- makes a table; what create_table is unless a script has its own
local uses_tables = false

-- A workload whose runs change the number of rows says so, with "grow" or "shrink". All of one --mix speak for each other.
ioltp.oltp_rows = ioltp.oltp_rows or {}

function oltp.rows_may(change)
   ioltp.oltp_rows[change] = true
end

-- For workloads that read the tables by statements of their own.
function oltp.uses_tables()
   uses_tables = true
end

cmdline.options = {
   tables = { "Number of tables", 1, cmdline.ARG_INT, range = "1.." },
   table_size = { "Rows in each table", 10000, cmdline.ARG_INT, range = "0.." },
   range_size = { "Rows that a range SELECT covers", 100, cmdline.ARG_INT, range = "0.." },
   point_selects = { "Point SELECTs in a transaction", 10, cmdline.ARG_INT, range = "0.." },
   simple_ranges = { "Range SELECTs in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   sum_ranges = { "SELECT SUM() over ranges in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   order_ranges = { "Range SELECTs with ORDER BY in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   distinct_ranges = { "SELECT DISTINCTs over ranges in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   range_selects = { "Range SELECTs of all kinds; off leaves them out", true, cmdline.ARG_BOOL },
   index_updates = { "UPDATEs of the indexed column in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   non_index_updates = { "UPDATEs of a column without index in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   delete_inserts = { "Pairs of DELETE and INSERT of the same row in a transaction", 1, cmdline.ARG_INT, range = "0.." },
   skip_trx = { "No BEGIN and COMMIT: each statement is a transaction", false, cmdline.ARG_BOOL },
   auto_inc = { "The database numbers new rows; off: the client does", true, cmdline.ARG_BOOL },
   secondary = { "A plain index on the id column in place of the primary key", false, cmdline.ARG_BOOL },
   create_secondary = { "Make an index on column k", true, cmdline.ARG_BOOL },
   mysql_storage_engine = { "MySQL: the tables' storage engine", "innodb", cmdline.ARG_STRING },
   pgsql_variant = { "PostgreSQL: with redshift the database numbers rows by IDENTITY", "", cmdline.ARG_STRING },
   create_table_options = { "Text that is appended to CREATE TABLE", "", cmdline.ARG_STRING },
   pipeline = { "Send the SELECTs of a transaction without waiting for each, where the driver can (PostgreSQL)", false,
      cmdline.ARG_BOOL },
   reconnect = { "Connect anew after so many events; 0: never", 0, cmdline.ARG_INT, range = "0.." },
   prepare = schema.prepare_option,
}

-- Statement by key: text for a table, types of its parameters.
local definitions = {
   point_selects = { "SELECT c FROM sbtest%u WHERE id=?", int },
   simple_ranges = { "SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ?", int, int },
   sum_ranges = { "SELECT SUM(k) FROM sbtest%u WHERE id BETWEEN ? AND ?", int, int },
   order_ranges = { "SELECT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", int, int },
   distinct_ranges = { "SELECT DISTINCT c FROM sbtest%u WHERE id BETWEEN ? AND ? ORDER BY c", int, int },
   index_updates = { "UPDATE sbtest%u SET k=k+1 WHERE id=?", int },
   non_index_updates = { "UPDATE sbtest%u SET c=? WHERE id=?", { char, 120 }, int },
   deletes = { "DELETE FROM sbtest%u WHERE id=?", int },
   inserts = { "INSERT INTO sbtest%u (id, k, c, pad) VALUES (?, ?, ?, ?)", int, int, { char, 120 }, { char, 60 } },
   new_rows = { "INSERT INTO sbtest%u (k, c, pad) VALUES (?, ?, ?)", int, { char, 120 }, { char, 60 } },
}

-- With so many tables, statements are prepared when they are first used: a start that prepares tens of thousands takes
-- longer than it is worth.
local PREPARE_AHEAD = 100

---- random values -------------------------------------------------------------------------------------

function get_c_value()
   return sysbench.rand.string(tables.C_TEMPLATE)
end

function get_pad_value()
   return sysbench.rand.string(tables.PAD_TEMPLATE)
end

local function get_table_num()
   return sysbench.rand.uniform(1, sysbench.opt.tables)
end

local function get_id()
   return sysbench.rand.default(1, sysbench.opt.table_size)
end

---- statements ----------------------------------------------------------------------------------------
-- stmt[n][key] is the statement `key` of table n, param[n][key] the array of its parameters.

local function prepare_one(n, key)
   local definition = definitions[key]
   local statement = con:prepare(definition[1]:format(n))
   local params = {}
   for i = 2, #definition do
      local kind = definition[i]
      if kind == int and sysbench.opt.table_size > tables.INT_MAX then
         kind = sysbench.sql.type.BIGINT
      end
      if type(kind) == "table" then
         params[i - 1] = statement:bind_create(kind[1], kind[2])
      else
         params[i - 1] = statement:bind_create(kind)
      end
   end
   if #params > 0 then
      statement:bind_param(unpack(params))
   end
   rawset(stmt[n], key, statement)
   rawset(param[n], key, params)
end

-- The first look at a statement that was announced prepares it.
local function on_demand(all, n, announced)
   return setmetatable(all[n] or {}, {
      __index = function (_, key)
         if announced[key] then
            prepare_one(n, key)
            return rawget(all[n], key)
         end
      end
   })
end

local announced = {}

function prepare_for_each_table(key)
   announced[key] = true
   for n = 1, sysbench.opt.tables do
      stmt[n] = on_demand(stmt, n, announced)
      param[n] = on_demand(param, n, announced)
      if sysbench.opt.tables <= PREPARE_AHEAD then
         prepare_one(n, key)
      end
   end
end

local function prepare_if_used(key)
   if sysbench.opt[key] > 0 then
      prepare_for_each_table(key)
   end
end

function prepare_begin()
   stmt.begin = con:prepare("BEGIN")
end

function prepare_commit()
   stmt.commit = con:prepare("COMMIT")
end

function prepare_point_selects()
   prepare_if_used("point_selects")
end

function prepare_simple_ranges()
   prepare_if_used("simple_ranges")
end

function prepare_sum_ranges()
   prepare_if_used("sum_ranges")
end

function prepare_order_ranges()
   prepare_if_used("order_ranges")
end

function prepare_distinct_ranges()
   prepare_if_used("distinct_ranges")
end

function prepare_index_updates()
   prepare_if_used("index_updates")
end

function prepare_non_index_updates()
   prepare_if_used("non_index_updates")
end

function prepare_delete_inserts()
   if sysbench.opt.delete_inserts > 0 then
      prepare_for_each_table("deletes")
      prepare_for_each_table("inserts")
   end
end

function close_statements()
   for n, statement in pairs(stmt or {}) do
      if type(n) == "number" then
         for _, of_table in pairs(statement) do
            of_table:close()
         end
      else
         statement:close()
      end
   end
   stmt, param, announced = {}, {}, {}
end

---- the steps of transactions -------------------------------------------------------------------------

function begin()
   stmt.begin:execute()
end

function commit()
   stmt.commit:execute()
end

-- So many; the option's number if not told.
function execute_point_selects(times)
   times = times or sysbench.opt.point_selects
   if times == 0 then
      return
   end
   local n = get_table_num()
   local statement, id = stmt[n].point_selects, param[n].point_selects[1]
   for _ = 1, times do
      id:set(get_id())
      statement:execute()
   end
end

local function execute_ranges(key)
   local times = sysbench.opt[key]
   if times == 0 then
      return
   end
   local n = get_table_num()
   local statement, params = stmt[n][key], param[n][key]
   local first, last, more = params[1], params[2], sysbench.opt.range_size - 1
   for _ = 1, times do
      local id = get_id()
      first:set(id)
      last:set(id + more)
      statement:execute()
   end
end

function execute_simple_ranges()
   execute_ranges("simple_ranges")
end

function execute_sum_ranges()
   execute_ranges("sum_ranges")
end

function execute_order_ranges()
   execute_ranges("order_ranges")
end

function execute_distinct_ranges()
   execute_ranges("distinct_ranges")
end

function execute_index_updates()
   local times = sysbench.opt.index_updates
   if times == 0 then
      return
   end
   local n = get_table_num()
   local statement, id = stmt[n].index_updates, param[n].index_updates[1]
   for _ = 1, times do
      id:set(get_id())
      statement:execute()
   end
end

function execute_non_index_updates()
   local times = sysbench.opt.non_index_updates
   if times == 0 then
      return
   end
   local n = get_table_num()
   local statement, params = stmt[n].non_index_updates, param[n].non_index_updates
   local c, id = params[1], params[2]
   for _ = 1, times do
      c:set_rand_str(tables.C_TEMPLATE)
      id:set(get_id())
      statement:execute()
   end
end

function execute_delete_inserts()
   local times = sysbench.opt.delete_inserts
   if times == 0 then
      return
   end
   local n = get_table_num()
   local delete, insert = stmt[n].deletes, stmt[n].inserts
   local gone, row = param[n].deletes[1], param[n].inserts
   local row_id, row_k, row_c, row_pad = row[1], row[2], row[3], row[4]
   for _ = 1, times do
      local id = get_id()
      gone:set(id)
      row_id:set(id)
      row_k:set(get_id())
      row_c:set_rand_str(tables.C_TEMPLATE)
      row_pad:set_rand_str(tables.PAD_TEMPLATE)
      delete:execute()
      insert:execute()
   end
end

function execute_delete()
   local n = get_table_num()
   param[n].deletes[1]:set(get_id())
   stmt[n].deletes:execute()
end

function prepare_new_rows()
   prepare_for_each_table(tables.numbers_rows() and "new_rows" or "inserts")
end

-- An id above those that were loaded, each once in a run, in random order.
local function new_id()
   local id
   repeat
      id = sysbench.rand.unique()
   until id > sysbench.opt.table_size and id <= tables.INT_MAX
   return id
end

function execute_insert()
   local n = get_table_num()
   local key, at = "new_rows", 0
   if not tables.numbers_rows() then
      key, at = "inserts", 1
      param[n].inserts[1]:set(new_id())
   end
   local statement, row = stmt[n][key], param[n][key]
   row[at + 1]:set(get_id())
   row[at + 2]:set_rand_str(tables.C_TEMPLATE)
   row[at + 3]:set_rand_str(tables.PAD_TEMPLATE)
   statement:execute()
end

-- To be called at the end of each event. Statements are prepared again when they are next used.
local events_since_connect = 0

function check_reconnect()
   if sysbench.opt.reconnect > 0 then
      events_since_connect = events_since_connect + 1
      if events_since_connect >= sysbench.opt.reconnect then
         events_since_connect = 0
         con:reconnect()
      end
   end
end

---- threads -------------------------------------------------------------------------------------------

-- Statements that find no row are fast and measure nothing.
local function check_rows(wanted)
   local short, least = 0, math.huge
   for _, t in ipairs(wanted) do
      local last = con:query_row("SELECT MAX(id) FROM " .. t.name)
      if last == nil then
         ioltp.fail(("table %s: it is empty; run `cleanup`, then `prepare`"):format(t.name))
      end
      last = tonumber(last) or math.huge -- no number: not our rows
      if last < sysbench.opt.table_size then
         short, least = short + 1, math.min(least, last)
      end
   end
   if short > 0 then
      ioltp.warn(("%d of %d tables have ids up to %d only; with --table-size=%d, part of the statements find no row")
         :format(short, #wanted, least, sysbench.opt.table_size))
   end
end

local function check_tables()
   local wanted = tables.all()
   schema.require(con, "sbtest", wanted)
   if next(ioltp.oltp_rows) == nil and schema.stored() then
      if sysbench.opt.table_size == 0 then
         ioltp.usage("--table-size=0: there would be no row to read; only inserts can begin with empty tables")
      end
      check_rows(wanted)
   end
end

-- MySQL limits the statements of all connections together.
local function fail_of_limit(limit)
   ioltp.fail(("%d tables and %d threads need more prepared statements than the server's max_prepared_stmt_count, %s; "
      .. "raise that, or give --db-ps-mode=disable"):format(sysbench.opt.tables, sysbench.opt.threads, limit))
end

-- Where statements are prepared on demand: to find out in the middle of a run is worse.
local function check_statement_limit()
   if ioltp.driver ~= "mysql" or sysbench.opt.db_ps_mode == "disable" or not schema.stored() then
      return
   end
   local limit, keys = con:query_row("SELECT @@max_prepared_stmt_count"), 0
   for _ in pairs(announced) do
      keys = keys + 1
   end
   if keys * sysbench.opt.tables * sysbench.opt.threads > tonumber(limit) then
      fail_of_limit(limit)
   end
end

-- What a statement could not be prepared for, in words that name the next step where that is known.
local function explain(problem, errno)
   if create_table == create_one then
      check_tables()
   end
   if ioltp.driver == "mysql" and errno == 1461 then
      fail_of_limit((con:query_row("SELECT @@max_prepared_stmt_count")))
   end
   error(problem, 0)
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param, announced = {}, {}, {}
   local ok, problem = pcall(prepare_statements)
   -- Scripts on top of this one may have tables of their own.
   local ours = create_table == create_one and (next(announced) ~= nil or uses_tables)
   if not ok then
      explain(problem, con.sql_errno)
   end
   if ours and sysbench.tid == 0 then
      check_tables()
   end
   if sysbench.tid == 0 and sysbench.opt.tables > PREPARE_AHEAD then
      check_statement_limit()
   end
end

-- Also called when thread_init has failed.
function thread_done()
   close_statements()
   if con then
      con:disconnect()
   end
end

---- commands ------------------------------------------------------------------------------------------

-- For scripts that make their tables one by one, each by one thread.
function create_one(_, connection, n)
   local t = tables.spec(n)
   connection:query(t.create)
   connection:bulk_insert_init(("INSERT INTO %s (id, k, c, pad) VALUES"):format(t.name))
   for id = 1, t.rows do
      connection:bulk_insert_next(("(%d, %d, '%s', '%s')"):format(id, get_id(), get_c_value(), get_pad_value()))
   end
   connection:bulk_insert_done()
   for _, sql in ipairs(t.after) do
      connection:query(sql)
   end
end

create_table = create_one

function cmd_prepare()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   if create_table ~= create_one then -- the script has its own tables
      for n = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
         create_table(driver, connection, n)
      end
      return
   end
   local specs = {}
   for n = 1, sysbench.opt.tables do
      specs[n] = tables.spec(n)
   end
   schema.prepare { con = connection, prefix = "sbtest", mode = sysbench.opt.prepare, tables = specs }
end

-- Reads the tables and their indexes into the database's cache.
function cmd_warmup()
   local connection = sysbench.sql.driver():connect()
   if sysbench.tid == 0 then
      schema.require(connection, "sbtest", tables.all())
   end
   ioltp.barrier()
   for n = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      for _, sql in ipairs(tables.warm_sql(connection, tables.name(n))) do
         connection:query(sql)
      end
   end
   ioltp.barrier()
   if sysbench.tid == 0 then
      ioltp.notice(("warmup: read %d table%s"):format(sysbench.opt.tables, sysbench.opt.tables == 1 and "" or "s"))
   end
end

cmd_prewarm = cmd_warmup

-- Proves that the tables are what prepare and runs of this workload leave.
function cmd_check()
   local connection = sysbench.sql.driver():connect()
   if not schema.stored() then
      ioltp.fail("check: the null driver and dry runs keep no rows, there is nothing to check; use a database")
   end
   local columns, indexes = schema.columns(connection, "sbtest"), schema.indexes(connection, "sbtest")
   local wrong = 0
   for n = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      local line, ok = tables.judge(connection, n, columns[tables.name(n)], indexes[tables.name(n)])
      print(line)
      wrong = wrong + (ok and 0 or 1)
   end
   ioltp.barrier()
   if wrong > 0 then
      ioltp.fail("check: tables are not as they should be, see the lines marked WRONG; "
         .. "check with the workload and the options of the run, or run `cleanup` and `prepare`")
   end
end

function cleanup()
   local names = {}
   for n = 1, sysbench.opt.tables do
      names[n] = tables.name(n)
   end
   schema.cleanup(sysbench.sql.driver():connect(), "sbtest", names)
end

cmdline.commands = {
   prepare = { cmd_prepare, cmdline.PARALLEL_COMMAND },
   warmup = { cmd_warmup, cmdline.PARALLEL_COMMAND },
   prewarm = { cmd_prewarm, cmdline.PARALLEL_COMMAND },
   check = { cmd_check, cmdline.PARALLEL_COMMAND },
}

return oltp
