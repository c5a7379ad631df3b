-- SPDX-License-Identifier: MIT
-- legacy: globals of sysbench 0.5 that 1.0 still has. They use one connection, made by db_connect or on first use.

local ctx = ...
local client, C = ctx.client, ctx.C
local rand, sql = sysbench.rand, sysbench.sql

thread_id = ctx.tid
DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED = 0, 1, 2

local con

local function connected()
   con = con or sql.driver():connect()
   return con
end

function db_connect()
   con = sql.driver():connect()
   return con
end

function db_disconnect()
   if con then
      con:disconnect()
      con = nil
   end
end

function db_query(text)
   return connected():query(text)
end

function db_bulk_insert_init(text)
   return connected():bulk_insert_init(text)
end

function db_bulk_insert_next(text)
   return connected():bulk_insert_next(text)
end

function db_bulk_insert_done()
   return connected():bulk_insert_done()
end

function db_prepare(text)
   return connected():prepare(text)
end

-- Values are taken from the table anew at each execution, as 0.5 did.
function db_bind_param(stmt, values)
   local params = {}
   for i = 1, #values do
      local v = values[i]
      if type(v) == "number" then
         params[i] = stmt:bind_create(v == math.floor(v) and sql.type.BIGINT or sql.type.DOUBLE)
      else
         params[i] = stmt:bind_create(sql.type.VARCHAR)
      end
   end
   stmt:bind_param(unpack(params, 1, #values))
   stmt.legacy = { values = values, params = params }
end

-- Results always come as strings: there is nothing to bind.
function db_bind_result() end

function db_execute(stmt)
   local legacy = stmt.legacy
   if legacy then
      for i, p in ipairs(legacy.params) do
         p:set(legacy.values[i])
      end
   end
   return stmt:execute()
end

function db_store_results(rs)
   return rs
end

function db_free_results(rs)
   if rs ~= nil then
      rs:free()
   end
end

function db_close(stmt)
   stmt:close()
end

function sb_rand(a, b) return rand.default(a, b) end
function sb_rand_uniform(a, b) return rand.uniform(a, b) end
function sb_rand_gaussian(a, b) return rand.gaussian(a, b) end
function sb_rand_special(a, b) return rand.special(a, b) end
function sb_rand_pareto(a, b) return rand.pareto(a, b) end
function sb_rand_str(fmt) return rand.string(fmt) end
function sb_rand_uniq(a, b)
   local n = b - a + 1
   return a + rand.unique() % n
end
-- 31 random bits.
function sb_rnd() return rand.uniform(0, 2147483647) end
