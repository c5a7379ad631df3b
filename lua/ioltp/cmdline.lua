-- SPDX-License-Identifier: MIT
-- cmdline: sysbench.cmdline: options that scripts declare, and commands.

local ctx = ...
local host = ctx.host

local constants = {
   ARG_NULL = 0, ARG_BOOL = 1, ARG_INT = 2, ARG_SIZE = 3, ARG_DOUBLE = 4, ARG_STRING = 5, ARG_LIST = 6, ARG_FILE = 7,
   ARG_MAX = 8,
   PARALLEL_COMMAND = true,
}
local M = {}

local type_of = { boolean = constants.ARG_BOOL, number = constants.ARG_DOUBLE, string = constants.ARG_STRING, table = constants.ARG_LIST }

local function as_text(value)
   if type(value) == "boolean" then
      return value and "on" or "off"
   elseif type(value) == "table" then
      local items = {}
      for i, item in ipairs(value) do
         items[i] = tostring(item)
      end
      return table.concat(items, ",")
   elseif type(value) == "number" then
      return string.format("%.14g", value)
   end
   return value and tostring(value)
end

local function sorted_names(t)
   local names = {}
   for name in pairs(t) do
      names[#names + 1] = name
   end
   table.sort(names)
   return names
end

-- A flag without a default is on, as in sysbench.
local function default_of(arg, value)
   if value == nil and arg == constants.ARG_BOOL then
      return "on"
   end
   return as_text(value)
end

local function declare_one(source, name, def)
   if type(def) ~= "table" then
      host.fail(1, string.format("%s: option '%s' is not declared by a table; write {\"text\", default}", source.path, name))
   end
   local arg = def[3] or def.type or type_of[type(def[2])] or constants.ARG_STRING
   if type(arg) ~= "number" or arg < 0 or arg >= constants.ARG_MAX then
      host.fail(1, string.format("%s: option '%s' has an unknown type; use sysbench.cmdline.ARG_*", source.path, name))
   end
   host.declare({
      title = source.name .. " options",
      name = (name:gsub("_", "-")),
      type = arg,
      default = default_of(arg, def[2]),
      help = def[1] and tostring(def[1]) or "",
      range = def.range,
      choices = def.choices,
   })
end

-- Main state: makes the declared options known. True when no source declares any: then every option is welcome.
function M.declare(sources)
   local any = true
   for _, source in ipairs(sources) do
      if source.options then
         any = false
         for _, name in ipairs(sorted_names(source.options)) do
            declare_one(source, name, source.options[name])
         end
      end
   end
   return any
end

-- One validator per option, called with its name and text; false or a text refuses.
local function validate(opt, source)
   for _, name in ipairs(sorted_names(source.options or {})) do
      local check = source.options[name][4]
      if type(check) == "function" then
         local key = name:gsub("-", "_")
         local value = as_text(opt[key])
         local verdict = check(name, value)
         if not verdict or type(verdict) == "string" then
            host.fail(2, string.format("--%s=%s: %s", (name:gsub("_", "-")), tostring(value),
               type(verdict) == "string" and verdict or "refused by the script's own check; see its 'help' command"))
         end
      end
   end
end

-- A new table of options; true: of those that sysbench and the script have.
local function options(of_scripts)
   local opt = host.options(of_scripts)
   opt.num_threads, opt.max_requests, opt.max_time, opt.tx_rate = opt.threads, opt.events, opt.time, opt.rate
   return opt
end

-- 1.0 scripts without declarations find every option as a global; nothing that exists is overwritten.
local function globals(env, extra)
   local opt = options()
   env.mysql_table_engine, env.myisam_max_rows = "innodb", 1000000
   if opt.db_driver == "sqlite" and opt.sqlite_pretend ~= "" then
      env.db_driver = opt.sqlite_pretend
   end
   for name, value in pairs(opt) do
      -- What is not set is an empty text; but scripts test for names that sysbench has not.
      if rawget(env, name) == nil and (value ~= "" or host.of_sysbench((name:gsub("_", "-")))) then
         env[name] = value
      end
   end
   for _, arg in ipairs(extra) do
      local name, value = arg:match("^%-%-([^=]+)=(.*)$")
      name = (name or arg:gsub("^%-%-", "")):gsub("-", "_")
      env[name] = value or ""
   end
end

-- sysbench.opt holds what sysbench and the script have; the other options of ours, which are many, come when they are
-- looked for.
local all
local others = {
   __index = function(_, name)
      all = all or options()
      return all[name]
   end
}

-- Clients that share a state have one table of values; what a client changes is its own.
local common
local function new_opt()
   if not ctx.shared then
      return setmetatable(options(true), others)
   end
   common = common or { __index = setmetatable(options(true), others) }
   return setmetatable({}, common)
end

function M.set(self, extra)
   local any = true
   local opt = new_opt()
   self.sysbench.opt = opt
   for _, source in ipairs(self.sources) do
      any = any and source.options == nil
   end
   if any then
      globals(self.env, extra)
   end
   if ctx.kind == "main" then
      for _, source in ipairs(self.sources) do
         validate(opt, source)
      end
   end
end

-- ---- commands ----

-- The function of a command in a source, and whether it is parallel.
local function lookup(source, command)
   local def = source.commands[command]
   if type(def) == "function" then
      return def, false
   elseif def then
      return def[1], def[2] == true
   end
   if command ~= "run" and command ~= "event" then
      local f = rawget(source.env, command)
      if type(f) == "function" and (command == "prepare" or command == "cleanup" or command == "help") then
         return f, false
      end
   end
end

-- Workloads of a mix may share a command (by a common module): it runs once.
local function distinct(self, command)
   local list, seen = {}, {}
   for _, source in ipairs(self.sources) do
      local f, parallel = lookup(source, command)
      if f then
         local info = debug.getinfo(f, "S")
         local key = info.source .. ":" .. info.linedefined
         if not seen[key] then
            seen[key] = true
            list[#list + 1] = { f = f, parallel = parallel, source = source }
         end
      end
   end
   return list
end

function M.has(self, command)
   return #distinct(self, command) > 0
end

function M.is_parallel(self, command)
   for _, entry in ipairs(distinct(self, command)) do
      if entry.parallel then
         return true
      end
   end
   return false
end

-- False: the script says that it failed.
function M.run(self, command)
   for _, entry in ipairs(distinct(self, command)) do
      -- In a mix, commands that are not parallel run in one of the threads.
      if entry.parallel or ctx.kind == "main" or self.tid == 0 then
         self.current = entry.source
         if entry.f() == false then
            return false
         end
         self.current = nil
      end
   end
   return true
end

local function print_test_options()
   for _, source in ipairs(ctx.me().sources) do
      for _, name in ipairs(sorted_names(source.options or {})) do
         local def = source.options[name]
         print(string.format("  --%s=VALUE\t%s [%s]", (name:gsub("_", "-")), def[1] or "", as_text(def[2]) or ""))
      end
   end
end

-- A client's sysbench.cmdline.
function M.api()
   local api = { argv = {}, print_test_options = print_test_options }
   for name, value in pairs(constants) do
      api[name] = value
   end
   return api
end

return M
