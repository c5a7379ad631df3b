-- SPDX-License-Identifier: MIT
-- The tables sbtest1..N of the oltp workloads: how they are made, read into the cache, and judged.

local tables = {}

-- Random text of columns c and pad: 119 and 59 characters.
local group = "###########"
tables.C_TEMPLATE = group .. ("-" .. group):rep(9)
tables.PAD_TEMPLATE = group .. ("-" .. group):rep(4)

-- Ids and k are 32 bits wide up to so many rows.
tables.INT_MAX = 2147483647

-- True where the database numbers new rows: a plain column of SQLite cannot.
function tables.numbers_rows()
   return sysbench.opt.auto_inc and not (ioltp.driver == "sqlite" and sysbench.opt.secondary)
end

function tables.name(n)
   return "sbtest" .. n
end

function tables.all()
   local all = {}
   for n = 1, sysbench.opt.tables do
      all[n] = { name = tables.name(n), columns = { "id", "k", "c", "pad" } }
   end
   return all
end

local function id_column()
   local kind = sysbench.opt.table_size > tables.INT_MAX and "BIGINT" or "INTEGER"
   if ioltp.driver == "pgsql" and sysbench.opt.auto_inc then
      if sysbench.opt.pgsql_variant == "redshift" then
         return kind .. " IDENTITY(1,1)"
      end
      return kind == "BIGINT" and "BIGSERIAL" or "SERIAL"
   elseif ioltp.driver == "mysql" and sysbench.opt.auto_inc then
      return kind .. " NOT NULL AUTO_INCREMENT"
   elseif ioltp.driver == "sqlite" then
      return "INTEGER NOT NULL" -- any other word would not make it the key of the table's own tree
   end
   return kind .. " NOT NULL"
end

local function create_sql(n)
   local kind = sysbench.opt.table_size > tables.INT_MAX and ioltp.driver ~= "sqlite" and "BIGINT" or "INTEGER"
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
      :format(tables.name(n), id_column(), kind, key, engine, sysbench.opt.create_table_options)
end

local function after_load_sql(n)
   local name, after = tables.name(n), {}
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

-- For schema.prepare.
function tables.spec(n)
   return {
      name = tables.name(n), columns = { "id", "k", "c", "pad" }, create = create_sql(n),
      generator = "oltp", rows = sysbench.opt.table_size, options = { k_range = math.max(sysbench.opt.table_size, 1) },
      after = after_load_sql(n),
   }
end

-- PostgreSQL reads a large table past its own cache unless it is told to.
function tables.warm_sql(connection, name)
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

-- What runs may have done to the rows: {grow=, shrink=}.
local function row_changes()
   -- Without a unique key, two clients of PostgreSQL that replace the same row may both insert it.
   local doubles = sysbench.opt.secondary and ioltp.driver == "pgsql"
   return { grow = ioltp.oltp_rows.grow or doubles, shrink = ioltp.oltp_rows.shrink }
end

local function wrong_count(rows, may)
   local size = sysbench.opt.table_size
   if rows < size and not may.shrink then
      return ("%d rows instead of %d%s"):format(rows, size, may.grow and " or more" or "")
   elseif rows > size and not may.grow then
      return ("%d rows instead of %d%s"):format(rows, size, may.shrink and " or fewer" or "")
   end
end

local function wrong_ids(rows, first, last, may)
   local size = sysbench.opt.table_size
   if rows == 0 then
      return
   elseif first < 1 or (first > 1 and not may.shrink) then
      return ("the lowest id is %d instead of 1"):format(first)
   elseif (last > size and not may.grow) or (last < size and not may.shrink) then
      return ("the highest id is %d instead of %d"):format(last, size)
   end
end

-- One line about table n, and whether it is as it should be.
function tables.judge(connection, n, columns, indexes)
   local name = tables.name(n)
   if not columns or not (columns.id and columns.k and columns.c and columns.pad) then
      return name .. ": " .. (columns and "not an oltp table" or "does not exist") .. ": WRONG", false
   end
   local rows, first, last, k_least, k_most, misfits = connection:query_row((
      "SELECT COUNT(*), MIN(id), MAX(id), MIN(k), MAX(k), "
      .. "SUM(CASE WHEN LENGTH(c) = %d AND LENGTH(pad) = %d THEN 0 ELSE 1 END) FROM %s")
      :format(#tables.C_TEMPLATE, #tables.PAD_TEMPLATE, name))
   local wrong, may = {}, row_changes()
   local function note(text)
      wrong[#wrong + 1] = text
   end
   rows, first, last = tonumber(rows), tonumber(first), tonumber(last)
   note(wrong_count(rows, may))
   note(wrong_ids(rows, first, last, may))
   if rows > 0 and tonumber(k_least) < 1 then
      note("column k goes down to " .. k_least)
   end
   if rows > 0 and tonumber(misfits) > 0 then
      note(("%s rows whose c or pad has not %d or %d characters"):format(misfits, #tables.C_TEMPLATE, #tables.PAD_TEMPLATE))
   end
   if sysbench.opt.create_secondary and not (indexes and (indexes["k_" .. n] or indexes.k)) then
      note(("no index k_%d"):format(n))
   end
   local facts = rows == 0 and "no rows"
      or ("%d rows, id %d..%d, k %s..%s"):format(rows, first, last, k_least, k_most)
   return ("%s: %s: %s"):format(name, facts, #wrong == 0 and "ok" or "WRONG: " .. table.concat(wrong, "; ")),
      #wrong == 0
end

return tables
