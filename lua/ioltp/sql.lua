-- SPDX-License-Identifier: MIT
-- sql: sysbench.sql: drivers, connections, statements, results. Each call starts in C; while it is pending, this side
-- yields (in thread mode it never is); then it ends in C.

local ctx = ...
local C, W, ffi, host, yield = ctx.C, ctx.W, ffi, ctx.host, ctx.yield

local DONE, ROWS, PENDING, OTHER_ROWS = 0, 1, 2, 3
local OUTCOME_OK, OUTCOME_RETRY, OUTCOME_LOST, OUTCOME_UNKNOWN = 0, 1, 3, 4
-- What a statement without rows gives: `rs == nil` is true, `if rs` too.
local NO_RESULT = ffi.cast("struct sql_result *", nil)
local STATEMENT = ffi.typeof("struct sql_stmt *")
-- The collector frees what nobody has any more, in the thread of whichever client shares the state: then not at once, as the
-- connection may be at work in its own.
local stmt_gone = ctx.shared and C.ioltp_stmt_drop or C.ioltp_stmt_close
local result_gone = ctx.shared and C.ioltp_result_drop or C.ioltp_result_free

local M = {
   type = {
      NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6,
      TIME = 7, DATE = 8, DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12,
   },
   error = { NONE = 0, IGNORABLE = 1, FATAL = 2 },
}

-- ---- errors ----

local error_object = {
   __tostring = function(e)
      return string.format("SQL error, errno = %d, state = '%s': %s", e.sql_errno, e.sql_state, e.sql_errmsg)
   end,
}

-- "file:line: " of the innermost line that is not the runtime's own.
local own = "@" .. ctx.data_dir .. "/ioltp/"

local function position()
   local level = 3
   while true do
      local info = debug.getinfo(level, "Sl")
      if not info then
         return ""
      end
      if info.currentline > 0 and info.source:sub(1, #own) ~= own then
         return info.short_src .. ":" .. info.currentline .. ": "
      end
      level = level + 1
   end
end

local function raise(con, query)
   local e = C.ioltp_con_error(con.ptr)
   local outcome = e.outcome
   local object = setmetatable({
      connection = con,
      query = query,
      sql_errno = e.code,
      sql_state = ffi.string(e.state),
      sql_errmsg = ffi.string(e.text),
      errcode = ctx.error.RESTART_EVENT,
   }, error_object)
   if outcome == OUTCOME_UNKNOWN then
      object.errcode = ctx.error.FAIL_EVENT
      error(object, 0)
   end
   if outcome == OUTCOME_RETRY or outcome == OUTCOME_LOST then
      error(object, 0)
   end
   local ignorable = con.client.sysbench.hooks.sql_error_ignorable
   if ignorable and ignorable(object) then
      C.ioltp_count_error()
      error(object, 0)
   end
   error(position() .. tostring(object), 0)
end

-- ---- results ----

local result = {}
local result_meta = {
   __tostring = function() return "<sql_result>" end,
   __index = function(rs, key)
      local method = result[key]
      if method then
         return method
      end
      if key == "nrows" then
         return rs.ptr and C.ioltp_nrows(rs.ptr) or 0
      end
      if key == "nfields" then
         return rs.ptr and C.ioltp_nfields(rs.ptr) or 0
      end
   end,
}

-- An array of strings, NULL a hole; nil after the last row.
function result:fetch_row()
   local ptr = self.ptr
   if not ptr and self.gone then
      error("fetch_row: the rows were given up when the connection was used again; read them before, or connect twice", 2)
   end
   if not ptr or not C.ioltp_fetch(ptr) then
      return nil
   end
   local values, row = C.ioltp_values(ptr), {}
   for i = 1, C.ioltp_nfields(ptr) do
      local v = values[i - 1]
      if v.text ~= nil then
         row[i] = ffi.string(v.text, v.len)
      end
   end
   return row
end

function result:free()
   local ptr = self.ptr
   self.ptr = nil
   if ptr and not self.statement then
      C.ioltp_result_free(ffi.gc(ptr, nil))
   end
end

-- Scripts may call methods on what a statement without rows gave.
ffi.metatype("struct sql_result", {
   __index = {
      nrows = 0,
      nfields = 0,
      fetch_row = function() return nil end,
      free = function() end,
   },
})

-- Results that nobody frees: the collector does not see their rows, and thousands would pile up. So the next query gives up
-- those of the last one; but those of which a part was read are kept until nobody has them any more.
local UNREAD, HALF_READ = 0, 1
local KEPT_ROWS_MOST = 20000

local function give_up_last(con)
   local rs = con.last
   if not rs then
      return
   end
   con.last = false
   local ptr = rs.ptr
   if not ptr then
      return
   end
   local state = C.ioltp_result_state(ptr)
   if state ~= HALF_READ then
      local nrows, nfields = C.ioltp_nrows(ptr), C.ioltp_nfields(ptr)
      rs:free()
      rs.nrows, rs.nfields, rs.gone = nrows, nfields, state == UNREAD
      return
   end
   ctx.kept_rows = (ctx.kept_rows or 0) + 10 + C.ioltp_nrows(ptr)
   if ctx.kept_rows >= KEPT_ROWS_MOST then
      ctx.kept_rows = 0
      collectgarbage()
   end
end

local function take_result(con)
   local rs = setmetatable({ ptr = ffi.gc(C.ioltp_take_result(con.ptr), result_gone) }, result_meta)
   con.last = rs
   return rs
end

-- ---- parameters ----

local param = {}

function param:set(value)
   if value == nil then
      self.is_null = 1
   elseif self.type <= 4 then
      self.is_null = 0
      if type(value) == "string" then
         value = tonumber(value) or error("parameter: '" .. value .. "' is not a number", 2)
      elseif type(value) == "boolean" then
         value = value and 1 or 0
      end
      self.i = value
   elseif self.type <= 6 then
      self.is_null = 0
      self.d = tonumber(value) or error("parameter: '" .. tostring(value) .. "' is not a number", 2)
   else
      if type(value) ~= "string" then
         value = tostring(value)
      end
      C.ioltp_param_text(self, value, #value)
   end
end

function param:set_rand_str(fmt)
   C.ioltp_param_template(self, fmt, #fmt)
end

ffi.metatype("struct ioltp_param", { __index = param, __tostring = function() return "<sql_param>" end })

-- ---- prepared statements ----

local statement = {}
local statement_meta = { __index = statement, __tostring = function() return "<sql_statement>" end }

function statement:bind_create(sql_type, max_len)
   if type(sql_type) ~= "number" or sql_type < 1 or sql_type > 12 then
      error("bind_create: unknown type " .. tostring(sql_type) .. "; use one of sysbench.sql.type", 2)
   end
   local p = C.ioltp_param_new(sql_type, max_len or 0)
   if p == nil then
      error("bind_create: out of memory", 2)
   end
   return ffi.gc(p, C.ioltp_param_free)
end

function statement:bind_param(...)
   local n = select("#", ...)
   if not self.ptr then
      error("bind_param: the statement is closed", 2)
   end
   local list = ffi.new("struct ioltp_param *[?]", n > 0 and n or 1, ...)
   self.params = { ... } -- the parameters must live as long as they are bound
   if C.ioltp_bind(self.ptr, list, n) ~= DONE then
      raise(self.con, "<prepared statement>")
   end
   self.bound = list
end

function statement:execute()
   local ptr = self.ptr
   if not ptr then
      error("execute: the statement is closed", 2)
   end
   local con = self.con.ptr
   local r = W.ioltp_execute(con, ptr)
   while r == PENDING do
      yield()
      r = W.ioltp_poll(con)
   end
   if r == ROWS then
      local rs = self.result
      rs.ptr = self.result_ptr
      return rs
   end
   if r == DONE then
      return NO_RESULT
   end
   -- At first, and where statements are sent as texts; else it stays the same, and asking would cost an object each time.
   if r == OTHER_ROWS then
      self.result_ptr = C.ioltp_stmt_result(ptr)
      self.result.ptr = self.result_ptr
      return self.result
   end
   raise(self.con, "<prepared statement>")
end

function statement:next_result()
   return self.con:next_result()
end

function statement:close()
   local ptr = self.ptr
   self.ptr = nil
   self.result.ptr = nil
   if ptr then
      W.ioltp_stmt_close(ffi.gc(ptr, nil))
   end
end

-- ---- connections ----

local connection = {}
local error_fields = {
   sql_errno = function(e) return e.code end,
   sql_state = function(e) return ffi.string(e.state) end,
   sql_errmsg = function(e) return ffi.string(e.text) end,
   error = function(e)
      if e.outcome == OUTCOME_OK then
         return M.error.NONE
      end
      return e.outcome == OUTCOME_RETRY and M.error.IGNORABLE or M.error.FATAL
   end,
}
local connection_meta = {
   __tostring = function() return "<sql_connection>" end,
   __index = function(con, key)
      local method = connection[key]
      if method then
         return method
      end
      local field = error_fields[key]
      if field then
         return field(C.ioltp_con_error(con.ptr))
      end
      if key == "affected_rows" then
         return C.ioltp_con_affected(con.ptr)
      end
      if key == "warnings" then
         return C.ioltp_con_warnings(con.ptr)
      end
   end,
}

local function finish(con, r, query)
   while r == PENDING do
      yield()
      r = W.ioltp_poll(con.ptr)
   end
   if r == DONE then
      return NO_RESULT
   end
   if r == ROWS then
      return take_result(con)
   end
   raise(con, query)
end

function connection:query(text)
   text = tostring(text)
   give_up_last(self)
   return finish(self, W.ioltp_query(self.ptr, text, #text), text)
end

function connection:query_row(text)
   local rs = self:query(text)
   if rs == nil then
      return nil
   end
   local n, row = rs.nfields, rs:fetch_row()
   rs:free()
   if row == nil then
      return nil
   end
   return unpack(row, 1, n)
end

function connection:prepare(text)
   local ptr = ffi.cast(STATEMENT, W.ioltp_prepare(self.ptr, text, #text))
   if ptr == nil then
      raise(self, text)
   end
   return setmetatable({
      con = self,
      ptr = ffi.gc(ptr, stmt_gone),
      result = setmetatable({ statement = true }, result_meta),
   }, statement_meta)
end

function connection:bulk_insert_init(text)
   C.ioltp_bulk_init(self.ptr, text, #text)
end

function connection:bulk_insert_next(text)
   finish(self, W.ioltp_bulk_next(self.ptr, text, #text), "<bulk insert>")
end

function connection:bulk_insert_done()
   finish(self, W.ioltp_bulk_done(self.ptr), "<bulk insert>")
end

function connection:more_results()
   return C.ioltp_more_results(self.ptr)
end

function connection:next_result()
   give_up_last(self)
   return finish(self, W.ioltp_next_result(self.ptr), "<next result>")
end

-- Where the driver has pipelines, the statements that fn makes go to the server without waiting for each, and their
-- results are thrown away; elsewhere they run one by one.
function connection:pipeline(fn)
   if W.ioltp_pipeline(self.ptr, true) ~= DONE then
      raise(self, "<pipeline>")
   end
   local ok, problem = pcall(fn, self)
   local r = W.ioltp_pipeline(self.ptr, false)
   if not ok then
      error(problem, 0)
   end
   if r ~= DONE then
      raise(self, "<pipeline>")
   end
end

function connection:disconnect()
   W.ioltp_con_disconnect(self.ptr)
   return true
end

function connection:reconnect()
   if W.ioltp_con_reconnect(self.ptr) ~= DONE then
      raise(self, "<reconnect>")
   end
   return true
end

-- ---- drivers ----

local driver = {}
local driver_meta = { __index = driver, __tostring = function() return "<sql_driver>" end }

function driver:name()
   return self.script_name
end

-- With several workloads in one run, a client has one connection, not one per workload: the n-th connect in each
-- thread_init is given the client's n-th connection.
local function connected_before(self, client)
   local source = client.current
   if not client.several or not source or ctx.kind ~= "worker" then
      return nil
   end
   client.cons = client.cons or {}
   source.connects = (source.connects or 0) + 1
   local con = client.cons[source.connects]
   if con and con.driver.real_name == self.real_name then
      return con
   end
   return nil, source.connects
end

function driver:connect()
   local client = ctx.me()
   local con, slot = connected_before(self, client)
   if con then
      return con
   end
   local handle = host.connect(self.real_name)
   con = setmetatable({
      ptr = ffi.cast("struct ioltp_con *", handle),
      handle = handle, -- the same for functions that are not called by FFI
      driver = self,
      client = client,
      last = false, -- result of the last query
   }, connection_meta)
   if slot then
      client.cons[slot] = con
   end
   return con
end

function M.driver(name)
   local script_name, real_name = host.driver(name)
   ctx.me().ioltp.driver = real_name
   return setmetatable({ script_name = script_name, real_name = real_name }, driver_meta)
end

return M
