-- SPDX-License-Identifier: MIT
-- legacy: globals of sysbench 0.5 that 1.0 still has. They use one connection, made by db_connect or on first use.

local ctx = ...
local me, C, rand, sql = ctx.me, ctx.C, ctx.rand, ctx.sql

DB_ERROR_NONE, DB_ERROR_RESTART_TRANSACTION, DB_ERROR_FAILED = 0, 1, 2

local function connected()
   local client = me()
   client.con = client.con or sql.driver():connect()
   return client.con
end

function db_connect()
   local client = me()
   client.con = sql.driver():connect()
   return client.con
end

function db_disconnect()
   local client = me()
   if client.con then
      client.con:disconnect()
      client.con = nil
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

-- Of 32 bits, as their scripts know them: 64-bit numbers joined into texts would come out as 4.5e+15.
local function drawer(draw)
   return function(a, b)
      local x, y = tonumber(a), tonumber(b)
      if not x or not y then
         error("wants two numbers, was given " .. tostring(a) .. " and " .. tostring(b), 2)
      end
      return draw(x, y)
   end
end

sb_rand = drawer(C.sb_rand_default)
sb_rand_uniform = drawer(C.sb_rand_uniform)
sb_rand_gaussian = drawer(C.sb_rand_gaussian)
sb_rand_special = drawer(C.sb_rand_special)
sb_rand_pareto = drawer(C.sb_rand_pareto)
function sb_rand_str(fmt) return rand.string(fmt) end
function sb_rand_uniq(a, b)
   local from, to = tonumber(a == nil and 0 or a), tonumber(b == nil and 4294967295 or b)
   if not from or not to or not (to >= from and to - from < 2 ^ 32) then
      error("sb_rand_uniq: wants two numbers of which the first is not greater, at most 2^32 apart, was given "
         .. tostring(a) .. " and " .. tostring(b), 2)
   end
   from, to = math.ceil(from), math.floor(to)
   return from + C.ioltp_rand_unique_below(math.max(to - from, 0) + 1)
end
-- 32 random bits.
function sb_rnd() return rand.uniform(0, 4294967295) end
