-- SPDX-License-Identifier: MIT
-- The tables of a workload: which of them exist, how they are made and filled by all threads together,
-- and how what was made goes away again when that fails. Used by the bundled workloads.

local schema = {}

-- Tables and their columns, for names that begin with a prefix.
local columns_sql = {
   sqlite = [[SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
              WHERE m.type = 'table' AND m.name LIKE '%s%%']],
   mysql = [[SELECT table_name, column_name FROM information_schema.columns
             WHERE table_schema = DATABASE() AND table_name LIKE '%s%%']],
   pgsql = [[SELECT table_name, column_name FROM information_schema.columns
             WHERE table_schema = ANY (current_schemas(false)) AND table_name LIKE '%s%%']],
}

local indexes_sql = {
   sqlite = "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND tbl_name LIKE '%s%%'",
   mysql = [[SELECT table_name, index_name FROM information_schema.statistics
             WHERE table_schema = DATABASE() AND table_name LIKE '%s%%']],
   pgsql = [[SELECT tablename, indexname FROM pg_indexes
             WHERE schemaname = ANY (current_schemas(false)) AND tablename LIKE '%s%%']],
}

-- Counting stops here: naming the rows of a large table must not take minutes.
local COUNT_MOST = 1000000

-- What to do about tables that are there already; for sysbench.cmdline.options.
schema.prepare_option = {
   "Existing tables: refuse to go on, replace them, or reuse those that are complete", "refuse",
   sysbench.cmdline.ARG_STRING, choices = "refuse|replace|reuse"
}

-- The null driver and a dry run keep nothing: there is nothing to look for.
function schema.stored()
   return ioltp.driver ~= "null" and not (ioltp.driver == "mysql" and sysbench.opt.mysql_dry_run)
end

local function pairs_of(con, sql)
   local found = {}
   local rs = con:query(sql)
   local row = rs:fetch_row()
   while row do
      found[row[1]] = found[row[1]] or {}
      found[row[1]][row[2]] = true
      row = rs:fetch_row()
   end
   rs:free()
   return found
end

-- { table = { column = true } } for tables whose names begin with prefix.
function schema.columns(con, prefix)
   return schema.stored() and pairs_of(con, columns_sql[ioltp.driver]:format(prefix)) or {}
end

-- { table = { index = true } }
function schema.indexes(con, prefix)
   return schema.stored() and pairs_of(con, indexes_sql[ioltp.driver]:format(prefix)) or {}
end

-- "1234 rows", "more than 1000000 rows"
local function rows_text(con, name)
   local n = tonumber(con:query_row(
      ("SELECT COUNT(*) FROM (SELECT 1 FROM %s LIMIT %d) t"):format(name, COUNT_MOST + 1)))
   if n > COUNT_MOST then
      return ("more than %d rows"):format(COUNT_MOST)
   end
   return ("%d row%s"):format(n, n == 1 and "" or "s")
end

local function missing_column(columns, wanted)
   for _, column in ipairs(wanted) do
      if not columns[column] then
         return column
      end
   end
end

-- Fails with one line unless every table of the list {name=, columns={...}} is there with its columns.
function schema.require(con, prefix, tables)
   if not schema.stored() then
      return
   end
   local found = schema.columns(con, prefix)
   for _, t in ipairs(tables) do
      if not found[t.name] then
         ioltp.fail(("table %s: it does not exist; run the command `prepare` first, with the same options")
            :format(t.name))
      end
      local column = missing_column(found[t.name], t.columns)
      if column then
         ioltp.fail(("table %s: it has no column %s, another workload made it; run `cleanup`, then `prepare`")
            :format(t.name, column))
      end
   end
end

-- Drops the tables of the list of names that exist. Returns how many.
function schema.drop(con, prefix, names)
   local found, dropped = schema.columns(con, prefix), 0
   for _, name in ipairs(names) do
      if found[name] then
         con:query("DROP TABLE " .. name)
         dropped = dropped + 1
      end
   end
   return dropped
end

function schema.cleanup(con, prefix, names)
   local n = schema.drop(con, prefix, names)
   ioltp.notice(n == 0 and "cleanup: there was no table to drop"
      or ("cleanup: dropped %d table%s"):format(n, n == 1 and "" or "s"))
end

local function refuse(con, existing)
   local more = #existing > 1 and (" (and %d more)"):format(#existing - 1) or ""
   ioltp.fail(("table %s: it exists with %s%s; run the command `cleanup` first, or give --prepare=replace")
      :format(existing[1].name, rows_text(con, existing[1].name), more))
end

local function refuse_unlike(con, t, found)
   local column = missing_column(found[t.name], t.columns)
   if column then
      ioltp.fail(("table %s: it has no column %s and cannot be reused; give --prepare=replace")
         :format(t.name, column))
   end
   local rows = tonumber(con:query_row("SELECT COUNT(*) FROM " .. t.name))
   if t.rows and rows ~= t.rows then
      ioltp.fail(("table %s: it has %d rows instead of %d and cannot be reused; give --prepare=replace")
         :format(t.name, rows, t.rows))
   end
end

-- Tables that explain each other cannot be made one by one.
local function refuse_parts(spec, existing, absent)
   if spec.whole and #existing > 0 and #absent > 0 then
      ioltp.fail(("table %s: it does not exist, and %s alone cannot be reused; give --prepare=replace")
         :format(absent[1].name, existing[1].name))
   end
end

-- The tables that are to be made. Every thread asks, and gets the same answer; the first one also judges.
local function to_make(spec)
   local found, existing, absent = schema.columns(spec.con, spec.prefix), {}, {}
   for _, t in ipairs(spec.tables) do
      table.insert(found[t.name] and existing or absent, t)
   end
   if spec.mode == "reuse" then
      if sysbench.tid == 0 then
         refuse_parts(spec, existing, absent)
         for _, t in ipairs(existing) do
            refuse_unlike(spec.con, t, found)
         end
      end
      return absent, {}
   end
   if spec.mode == "refuse" and #existing > 0 and sysbench.tid == 0 then
      refuse(spec.con, existing)
   end
   return spec.tables, existing
end

-- A statement about a table; the command ends with the database's words when it refuses.
local function change(con, name, sql)
   if not pcall(con.query, con, sql) then
      ioltp.fail(("table %s: %s (%d, %s); the statement was: %s")
         :format(name, con.sql_errmsg, con.sql_errno, con.sql_state, sql))
   end
end

local function create(con, tables, old, made)
   for _, t in ipairs(old) do
      change(con, t.name, "DROP TABLE " .. t.name)
   end
   for _, t in ipairs(tables) do
      change(con, t.name, t.create)
      made[#made + 1] = t.name
   end
end

-- SQLite has one writer: others would only wait for it, up to the timeout.
local function is_mine(i)
   if ioltp.driver == "sqlite" then
      return sysbench.tid == 0
   end
   return (i - 1) % sysbench.opt.threads == sysbench.tid
end

-- The tables that are filled, in this thread's order. Threads that fill one table together wait for each other in it; so each
-- begins with tables of its own, as far as there are as many for all, and then helps wherever rows are left.
local function load_order(tables)
   local filled, own, others = {}, {}, {}
   for _, t in ipairs(tables) do
      if t.generator then
         filled[#filled + 1] = t
      end
   end
   if ioltp.driver == "sqlite" then -- has one writer, and a turn for each chunk
      return filled
   end
   local shared = #filled - #filled % sysbench.opt.threads
   for i, t in ipairs(filled) do
      local list = i <= shared and is_mine(i) and own or others
      list[#list + 1] = t
   end
   for _, t in ipairs(others) do
      own[#own + 1] = t
   end
   return own
end

local function make(spec, made)
   local tables, old = to_make(spec)
   local order = load_order(tables)
   ioltp.barrier()
   if sysbench.tid == 0 then
      create(spec.con, tables, old, made)
   end
   ioltp.barrier()
   for _, t in ipairs(order) do
      t.options.tables = #order
      ioltp.load { con = spec.con, table = t.name, generator = t.generator, rows = t.rows,
                   options = t.options }
   end
   ioltp.barrier()
   for i, t in ipairs(tables) do
      for _, sql in ipairs(is_mine(i) and t.after or {}) do
         change(spec.con, t.name, sql)
      end
   end
   ioltp.barrier()
   return #order == 0 and ("prepare: made %d table%s"):format(#tables, #tables == 1 and "" or "s")
end

-- Drops what this thread made, over a new connection where the old one is of no use any more.
local function undo(con, made)
   local left = {}
   for i = #made, 1, -1 do
      if not pcall(con.query, con, "DROP TABLE " .. made[i]) then
         left[#left + 1] = made[i]
      end
   end
   if #left > 0 then
      local ok, fresh = pcall(function () return sysbench.sql.driver():connect() end)
      for i = #left, 1, -1 do
         if ok and pcall(fresh.query, fresh, "DROP TABLE " .. left[i]) then
            table.remove(left, i)
         end
      end
   end
   if #left > 0 then
      ioltp.warn(("prepare: tables left incomplete, as they could not be dropped: %s; run the command `cleanup`")
         :format(table.concat(left, ", ")))
   elseif #made > 0 then
      ioltp.notice(("prepare: dropped the %d table%s that it had made"):format(#made, #made == 1 and "" or "s"))
   end
end

-- Makes and fills tables; for a PARALLEL command, by all threads with equal arguments.
--   con, prefix (of all names), mode (of prepare_option), whole (they are reused together or not at all)
--   tables = { { name=, columns={...}, create = "CREATE TABLE ...", generator=, rows=, options={}  (or none of the three),
--                after = { statements that follow the load } }, ... }
-- When it fails or is interrupted, the tables that it made are dropped and the error goes on.
function schema.prepare(spec)
   local made = {}
   local ok, result = pcall(make, spec, made)
   if not ok then
      undo(spec.con, made)
      error(result, 0)
   end
   if result and sysbench.tid == 0 then -- loading has its own words
      ioltp.notice(result)
   end
end

return schema
