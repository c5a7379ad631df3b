-- SPDX-License-Identifier: MIT
-- Rows appended by multi-row INSERTs, as fast as they go: an event is one row, each thread has its own table.
local schema = require("ioltp_schema")

sysbench.cmdline.options = { prepare = schema.prepare_option }

local columns = { "id", "k" }
local last_id

local function table_name(tid)
   return "sbtest" .. (tid + 1)
end

local function own_tables()
   local tables = {}
   for tid = 0, sysbench.opt.threads - 1 do
      tables[tid + 1] = {
         name = table_name(tid), columns = columns,
         create = ("CREATE TABLE %s (id INTEGER NOT NULL, k INTEGER DEFAULT 0 NOT NULL, PRIMARY KEY (id))")
            :format(table_name(tid)),
      }
   end
   return tables
end

-- Rows of an earlier run stay; new ones follow them.
local function find_last_id()
   if not schema.stored() then
      return 0
   end
   return tonumber((con:query_row("SELECT COALESCE(MAX(id), 0) FROM " .. table_name(sysbench.tid))))
end

local function check_tables()
   schema.require(con, "sbtest", own_tables())
   for name, found in pairs(schema.columns(con, "sbtest")) do
      if found.pad and tonumber(name:match("^sbtest(%d+)$") or math.huge) <= sysbench.opt.threads then
         ioltp.fail(("table %s: it belongs to an oltp workload; run `cleanup` and `prepare` of bulk_insert first")
            :format(name))
      end
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   if sysbench.tid == 0 then
      check_tables()
   end
   local ok, found = pcall(find_last_id)
   if not ok then
      check_tables()
      error(found, 0)
   end
   last_id = found
   con:bulk_insert_init(("INSERT INTO %s VALUES"):format(table_name(sysbench.tid)))
end

function event()
   last_id = last_id + 1
   con:bulk_insert_next(("(%d,%d)"):format(last_id, last_id))
end

-- Also called when thread_init has failed.
function thread_done()
   if last_id then
      con:bulk_insert_done()
      con:disconnect()
   end
end

local function cmd_prepare()
   schema.prepare {
      con = sysbench.sql.driver():connect(), prefix = "sbtest", mode = sysbench.opt.prepare, tables = own_tables()
   }
end

-- Rows were appended one by one from 1: none is missing, and k is the id.
local function cmd_check()
   local connection = sysbench.sql.driver():connect()
   if not schema.stored() then
      ioltp.fail("check: the null driver and dry runs keep no rows, there is nothing to check; use a database")
   end
   schema.require(connection, "sbtest", own_tables())
   local wrong = 0
   for tid = 0, sysbench.opt.threads - 1 do
      local rows, last, unlike = connection:query_row((
         "SELECT COUNT(*), COALESCE(MAX(id), 0), COALESCE(SUM(CASE WHEN k = id THEN 0 ELSE 1 END), 0) FROM %s")
         :format(table_name(tid)))
      local ok = rows == last and tonumber(unlike) == 0
      print(("%s: %s rows, highest id %s, %s rows whose k is not the id: %s")
         :format(table_name(tid), rows, last, unlike, ok and "ok" or "WRONG"))
      wrong = wrong + (ok and 0 or 1)
   end
   if wrong > 0 then
      ioltp.fail(("check: %d of %d tables are not as they should be; run `cleanup` and `prepare`")
         :format(wrong, sysbench.opt.threads))
   end
end

function cleanup()
   local names = {}
   for tid = 0, sysbench.opt.threads - 1 do
      names[tid + 1] = table_name(tid)
   end
   schema.cleanup(sysbench.sql.driver():connect(), "sbtest", names)
end

sysbench.cmdline.commands = {
   prepare = { cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND },
   check = { cmd_check },
}
