-- SPDX-License-Identifier: MIT
-- What the oltp_* and select_random_* workloads share: options, tables sbtest1..N, statements, commands.
-- Own scripts can build on it with require("oltp_common"): they define prepare_statements() and event().
-- The table that require returns holds `rows`, see below.

local schema = require("ioltp_schema")
local int, char = sysbench.sql.type.INT, sysbench.sql.type.CHAR
local cmdline = sysbench.cmdline

local oltp = {
   rows = "constant", -- what a run does to the number of rows: "constant", "grow", "shrink"
}

cmdline.options = {
   tables = { "Number of tables", 1, cmdline.ARG_INT, range = "1.." },
   table_size = { "Rows in each table", 10000, cmdline.ARG_INT, range = "1.." },
   range_size = { "Rows that a range SELECT covers", 100, cmdline.ARG_INT, range = "1.." },
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
   create_table_options = { "Text that is appended to CREATE TABLE", "", cmdline.ARG_STRING },
   reconnect = { "Connect anew after so many events; 0: never", 0, cmdline.ARG_INT, range = "0.." },
   prepare = schema.prepare_option,
}

-- Random text of columns c and pad: 119 and 59 characters.
local group = "###########"
local c_template = group .. ("-" .. group):rep(9)
local pad_template = group .. ("-" .. group):rep(4)

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

local INT_MAX = 2147483647

-- With so many tables, statements are prepared when they are first used: a start that prepares tens of thousands takes
-- longer than it is worth.
local PREPARE_AHEAD = 100

---- random values -------------------------------------------------------------------------------------

function get_c_value()
   return sysbench.rand.string(c_template)
end

function get_pad_value()
   return sysbench.rand.string(pad_template)
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
      if kind == int and sysbench.opt.table_size > INT_MAX then
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

-- MySQL limits the statements of all connections together; finding that out in the middle of a run is worse.
local function check_statement_limit(keys)
   if ioltp.driver ~= "mysql" or sysbench.opt.db_ps_mode == "disable" or sysbench.tid ~= 0 then
      return
   end
   local limit = tonumber((con:query_row("SELECT @@max_prepared_stmt_count")))
   local needed = keys * sysbench.opt.tables * sysbench.opt.threads
   if needed > limit then
      ioltp.fail(("%d tables and %d threads need %d prepared statements, max_prepared_stmt_count of the server is %d; "
         .. "raise it, or give --db-ps-mode=disable"):format(sysbench.opt.tables, sysbench.opt.threads, needed, limit))
   end
end

local announced = {}

function prepare_for_each_table(key)
   local keys = 0
   announced[key] = true
   for _ in pairs(announced) do
      keys = keys + 1
   end
   check_statement_limit(keys)
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
   for _, statements in pairs(stmt) do
      if type(statements) == "table" and getmetatable(statements) and not statements.close then
         for _, statement in pairs(statements) do
            statement:close()
         end
      elseif statements.close then
         statements:close()
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

function execute_point_selects()
   local times = sysbench.opt.point_selects
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
      c:set_rand_str(c_template)
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
      row_c:set_rand_str(c_template)
      row_pad:set_rand_str(pad_template)
      delete:execute()
      insert:execute()
   end
end

function execute_delete()
   local n = get_table_num()
   param[n].deletes[1]:set(get_id())
   stmt[n].deletes:execute()
end

-- True where the database numbers new rows: a plain column of SQLite cannot.
local function numbers_rows()
   return sysbench.opt.auto_inc and not (ioltp.driver == "sqlite" and sysbench.opt.secondary)
end

function prepare_new_rows()
   prepare_for_each_table(numbers_rows() and "new_rows" or "inserts")
end

-- An id above those that were loaded, each once in a run, in random order.
local function new_id()
   local id
   repeat
      id = sysbench.rand.unique()
   until id > sysbench.opt.table_size and id <= INT_MAX
   return id
end

function execute_insert()
   local n = get_table_num()
   local key, at = "new_rows", 0
   if not numbers_rows() then
      key, at = "inserts", 1
      param[n].inserts[1]:set(new_id())
   end
   local statement, row = stmt[n][key], param[n][key]
   row[at + 1]:set(get_id())
   row[at + 2]:set_rand_str(c_template)
   row[at + 3]:set_rand_str(pad_template)
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

local function table_name(n)
   return "sbtest" .. n
end

local function all_tables()
   local tables = {}
   for n = 1, sysbench.opt.tables do
      tables[n] = { name = table_name(n), columns = { "id", "k", "c", "pad" } }
   end
   return tables
end

-- Statements that find no row are fast and measure nothing.
local function check_rows(t)
   local last = tonumber((con:query_row("SELECT MAX(id) FROM " .. t.name)))
   if last == nil then
      ioltp.fail(("table %s: it is empty; run `cleanup`, then `prepare`"):format(t.name))
   elseif last < sysbench.opt.table_size then
      ioltp.notice(("warning: %s has ids up to %d only, with --table-size=%d part of the statements find no row")
         :format(t.name, last, sysbench.opt.table_size))
   end
end

local function check_tables()
   local tables = all_tables()
   schema.require(con, "sbtest", tables)
   if oltp.rows == "constant" and schema.stored() then
      for _, t in ipairs(tables) do
         check_rows(t)
      end
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param, announced = {}, {}, {}
   if sysbench.tid == 0 then
      check_tables()
   end
   -- Another thread may meet the missing table before thread 0 has named it.
   local ok, problem = pcall(prepare_statements)
   if not ok then
      check_tables()
      error(problem, 0)
   end
end

function thread_done()
   close_statements()
   con:disconnect()
end

---- commands ------------------------------------------------------------------------------------------

local function id_column()
   local kind = sysbench.opt.table_size > INT_MAX and "BIGINT" or "INTEGER"
   if ioltp.driver == "pgsql" and sysbench.opt.auto_inc then
      return kind == "BIGINT" and "BIGSERIAL" or "SERIAL"
   elseif ioltp.driver == "mysql" and sysbench.opt.auto_inc then
      return kind .. " NOT NULL AUTO_INCREMENT"
   elseif ioltp.driver == "sqlite" then
      return "INTEGER NOT NULL" -- any other word would not make it the key of the table's own tree
   end
   return kind .. " NOT NULL"
end

local function create_sql(n)
   local kind = sysbench.opt.table_size > INT_MAX and ioltp.driver ~= "sqlite" and "BIGINT" or "INTEGER"
   local key, engine = ", PRIMARY KEY (id)", ""
   if sysbench.opt.secondary then
      -- MySQL wants the index of a counting column at once, the others want it later.
      key = ioltp.driver == "mysql" and ", KEY xid (id)" or ""
   end
   if ioltp.driver == "mysql" then
      engine = " ENGINE = " .. sysbench.opt.mysql_storage_engine
   end
   return ("CREATE TABLE %s (id %s, k %s DEFAULT 0 NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, "
      .. "pad CHAR(60) DEFAULT '' NOT NULL%s)%s %s")
      :format(table_name(n), id_column(), kind, key, engine, sysbench.opt.create_table_options)
end

local function after_load_sql(n)
   local name, after = table_name(n), {}
   if sysbench.opt.secondary and ioltp.driver ~= "mysql" then
      after[#after + 1] = ("CREATE INDEX xid_%d ON %s (id)"):format(n, name)
   end
   if sysbench.opt.create_secondary then
      after[#after + 1] = ("CREATE INDEX k_%d ON %s (k)"):format(n, name)
   end
   if ioltp.driver == "pgsql" then
      if sysbench.opt.auto_inc then
         after[#after + 1] = ("SELECT setval(pg_get_serial_sequence('%s', 'id'), %d)")
            :format(name, sysbench.opt.table_size)
      end
      -- Else the first reads of the run would write: they mark rows as committed.
      after[#after + 1] = "VACUUM (ANALYZE) " .. name
   end
   return after
end

local function table_spec(n)
   return {
      name = table_name(n), columns = { "id", "k", "c", "pad" }, create = create_sql(n),
      generator = "oltp", rows = sysbench.opt.table_size, options = { k_range = sysbench.opt.table_size },
      after = after_load_sql(n),
   }
end

-- For scripts that make their tables one by one, each by one thread.
local function create_one(_, connection, n)
   local t = table_spec(n)
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
   local tables = {}
   for n = 1, sysbench.opt.tables do
      tables[n] = table_spec(n)
   end
   schema.prepare { con = connection, prefix = "sbtest", mode = sysbench.opt.prepare, tables = tables }
end

-- PostgreSQL reads a large table past its own cache unless it is told to.
local function warm_sql(connection, name)
   if ioltp.driver == "pgsql"
      and connection:query_row("SELECT 1 FROM pg_extension WHERE extname = 'pg_prewarm'") then
      return {
         ("SELECT pg_prewarm('%s')"):format(name),
         ("SELECT pg_prewarm(indexrelid::regclass) FROM pg_index WHERE indrelid = '%s'::regclass"):format(name),
      }
   end
   return {
      ("SELECT COUNT(*), SUM(LENGTH(c)), SUM(LENGTH(pad)) FROM %s"):format(name),
      ("SELECT SUM(k) FROM %s"):format(name),
   }
end

-- Reads the tables and their indexes into the database's cache.
function cmd_warmup()
   local connection = sysbench.sql.driver():connect()
   if sysbench.tid == 0 then
      schema.require(connection, "sbtest", all_tables())
   end
   ioltp.barrier()
   for n = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      for _, sql in ipairs(warm_sql(connection, table_name(n))) do
         connection:query(sql)
      end
   end
   ioltp.barrier()
   if sysbench.tid == 0 then
      ioltp.notice(("warmup: read %d table%s"):format(sysbench.opt.tables, sysbench.opt.tables == 1 and "" or "s"))
   end
end

local function row_rule()
   -- Without a unique key, two clients of PostgreSQL that replace the same row may both insert it.
   if oltp.rows == "constant" and sysbench.opt.secondary and ioltp.driver == "pgsql" then
      return "grow"
   end
   return oltp.rows
end

local function wrong_count(rows)
   local size, rule = sysbench.opt.table_size, row_rule()
   if rule == "constant" and rows ~= size then
      return ("%d rows instead of %d"):format(rows, size)
   elseif rule == "grow" and rows < size then
      return ("%d rows, at least %d must be there"):format(rows, size)
   elseif rule == "shrink" and rows > size then
      return ("%d rows, at most %d can be there"):format(rows, size)
   end
end

local function wrong_ids(rows, first, last)
   local size, rule = sysbench.opt.table_size, row_rule()
   if rows == 0 then
      return
   elseif first < 1 or (rule ~= "shrink" and first ~= 1) then
      return ("the lowest id is %d instead of 1"):format(first)
   elseif rule ~= "grow" and last > size or rule ~= "shrink" and last < size then
      return ("the highest id is %d instead of %d"):format(last, size)
   end
end

-- One line about table n, and whether it is as it should be.
local function judge(connection, n, columns, indexes)
   local name = table_name(n)
   if not columns or not (columns.id and columns.k and columns.c and columns.pad) then
      return name .. ": " .. (columns and "not an oltp table" or "does not exist") .. ": WRONG", false
   end
   local rows, first, last, k_least, k_most, misfits = connection:query_row((
      "SELECT COUNT(*), MIN(id), MAX(id), MIN(k), MAX(k), "
      .. "SUM(CASE WHEN LENGTH(c) = %d AND LENGTH(pad) = %d THEN 0 ELSE 1 END) FROM %s")
      :format(#c_template, #pad_template, name))
   local wrong = {}
   local function note(text)
      wrong[#wrong + 1] = text
   end
   rows, first, last = tonumber(rows), tonumber(first), tonumber(last)
   note(wrong_count(rows))
   note(wrong_ids(rows, first, last))
   if rows > 0 and tonumber(k_least) < 1 then
      note("column k goes down to " .. k_least)
   end
   if rows > 0 and tonumber(misfits) > 0 then
      note(("%s rows whose c or pad has not %d or %d characters"):format(misfits, #c_template, #pad_template))
   end
   if sysbench.opt.create_secondary and not (indexes and (indexes["k_" .. n] or indexes.k)) then
      note(("no index k_%d"):format(n))
   end
   local facts = rows == 0 and "no rows"
      or ("%d rows, id %d..%d, k %s..%s"):format(rows, first, last, k_least, k_most)
   return ("%s: %s: %s"):format(name, facts, #wrong == 0 and "ok" or "WRONG: " .. table.concat(wrong, "; ")),
      #wrong == 0
end

-- Proves that the tables are what prepare and runs of this workload leave.
function cmd_check()
   local connection = sysbench.sql.driver():connect()
   if not schema.stored() then
      ioltp.fail("check: the null driver keeps no rows, there is nothing to check; use another --db-driver")
   end
   local columns, indexes = schema.columns(connection, "sbtest"), schema.indexes(connection, "sbtest")
   local wrong = 0
   for n = sysbench.tid + 1, sysbench.opt.tables, sysbench.opt.threads do
      local line, ok = judge(connection, n, columns[table_name(n)], indexes[table_name(n)])
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
      names[n] = table_name(n)
   end
   schema.cleanup(sysbench.sql.driver():connect(), "sbtest", names)
end

cmdline.commands = {
   prepare = { cmd_prepare, cmdline.PARALLEL_COMMAND },
   warmup = { cmd_warmup, cmdline.PARALLEL_COMMAND },
   prewarm = { cmd_warmup, cmdline.PARALLEL_COMMAND },
   check = { cmd_check, cmdline.PARALLEL_COMMAND },
}

return oltp
