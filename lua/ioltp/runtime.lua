-- SPDX-License-Identifier: MIT
-- runtime: what one Lua state is given before any workload runs, and the entry points that the program calls. Each of them
-- is given a client: a state serves one, or, with many threads, several that take turns (docs/architecture.md).
--
-- Arguments: the `host` functions (host.c), the C declarations, the folder of the bundled Lua files, the kind of state
-- ("main", "worker", "command", "report"), whether clients share the state, the version.

local host, cdef, data_dir, kind, shared, version = ...

ffi = require("ffi") -- scripts of sysbench use the global
bit = require("bit")
ffi.cdef(cdef)

-- In one write: lines of several threads must not run into each other.
function print(...)
   local items = {}
   for i = 1, select("#", ...) do
      items[i] = tostring((select(i, ...)))
   end
   io.stdout:write(table.concat(items, "\t") .. "\n")
end

-- What the parts share.
local ctx = {
   host = host,
   C = ffi.C,
   -- Calls that may wait. Where clients share the state, these let the others go on meanwhile.
   W = shared and host.waiting or ffi.C,
   data_dir = data_dir,
   kind = kind,
   shared = shared,
   yield = coroutine.yield,
   end_reports = function() end,
   files = {}, -- main state: paths of the modules that scripts have loaded, by name
}

-- The client whose code runs:
--    tid, sources (in order: {name, path, weight, env, options, commands, mix}), several (sources),
--    current (the source whose code runs in load or thread_init), env (its globals), sysbench, ioltp (what scripts see).
local clients, only = {}, nil

function ctx.me()
   return only or clients[ffi.C.ioltp_self()]
end

local function part(name)
   local chunk, err = host.chunk(data_dir .. "/ioltp/" .. name .. ".lua")
   if not chunk then
      error(err, 0)
   end
   return chunk(ctx)
end

-- What few scripts use comes when it is first looked for: with hundreds of clients memory counts.
local function late(part_of)
   local found = {}
   return {
      __index = function(_, key)
         local name = part_of[key]
         if name and found[key] == nil then
            for k, v in pairs(part(name)) do
               found[k] = v
            end
         end
         return found[key]
      end
   }
end

local late_sysbench = late({ report_default = "report", report_csv = "report", report_json = "report", histogram = "report" })
local late_ioltp = late({
   mix = "mix", exponential = "mix", fixed = "mix", uniform = "mix",
   load = "load", barrier = "load", fail = "load", usage = "load", notice = "load", warn = "load", given = "load",
})

ctx.error = { NONE = 0, RESTART_EVENT = 1, FAIL_EVENT = 2 }
local environment = part("environment")
local rand = part("rand")
local sql = part("sql")
ctx.rand, ctx.sql = rand, sql
local cmdline = part("cmdline")
part("legacy")
local loop = part("loop")

local rt = {}

-- A client of this state. Its globals are _G, as scripts expect, or a copy where others share the state.
function rt.new(tid, seed)
   local self = { tid = tid, sources = {}, env = shared and environment.copy_of_globals() or _G }
   clients[tid] = self
   only = not shared and self or nil
   math.randomseed(seed) -- scripts that draw by math.random do not share
   self.sysbench = setmetatable({
      tid = tid,
      version = "1.0.20",
      version_string = "sysbench 1.0.20 (ioltp)",
      error = ctx.error,
      hooks = {},
      rand = rand,
      sql = sql,
      db = sql, -- its name in some 1.0 scripts
      cmdline = cmdline.api(),
      opt = nil, -- until the options are known: not while the body runs
   }, late_sysbench)
   self.ioltp = setmetatable({ version = version }, late_ioltp)
   self.env.sysbench, self.env.ioltp = self.sysbench, self.ioltp
   self.env.thread_id = tid
   return self
end

function rt.set_command(self, command, argv, several)
   self.sysbench.cmdline.command = command
   self.sysbench.cmdline.argv = argv
   self.several = several
end

-- Runs a workload's body; its options and commands are kept with it.
function rt.add_source(self, name, path, weight, number)
   local source = { name = name, path = path, weight = weight, loaded = {}, client = self }
   local chunk, err = host.source(number)
   if not chunk then
      host.fail(1, err)
   end
   source.env = environment.new(source)
   self.sources[#self.sources + 1] = source
   self.current = source
   -- As the user wrote it: 0.5 scripts find their neighbours by `test`.
   self.env.test = name == "-" and path or name
   local api = self.sysbench.cmdline
   api.script_path = self.env.test
   api.options = nil
   api.commands = nil
   setfenv(chunk, source.env)
   chunk()
   source.options = api.options
   source.commands = api.commands or {}
   if shared then
      -- The main state has them; hundreds of copies would only take room.
      source.options, source.commands = source.options and {}, {}
      api.options, api.commands = nil, nil
   end
   self.current = nil
end

-- Main state: true when any option is welcome (no source declares its own).
function rt.declare_options(self)
   return cmdline.declare(self.sources)
end

rt.set_options = cmdline.set

local function first_event(self)
   for _, source in ipairs(self.sources) do
      if source.mix or source.env.event or rawget(source.env, "thread_run") ~= ctx.thread_run then
         return true
      end
   end
   return false
end

-- Main state, options known: is there something to run, and which hooks are set; tells the types of the mix.
function rt.describe(self, main_seed)
   math.randomseed(main_seed)
   loop.types(self)
   local hooks = self.sysbench.hooks
   return first_event(self), hooks.report_intermediate ~= nil, hooks.report_cumulative ~= nil
end

-- Main state: nil, or why no two clients may share a state.
function rt.why_alone(self)
   return part("share").why_alone(self.sources)
end

local function each_source(self, name, ...)
   for _, source in ipairs(self.sources) do
      local f = source.env[name]
      if f then
         self.current = source
         f(...)
         self.current = nil
      end
   end
end

function rt.init(self)
   each_source(self, "init")
end

function rt.done(self)
   each_source(self, "done")
end

function rt.help(self)
   each_source(self, "help")
end

function rt.thread_init(self)
   each_source(self, "thread_init", self.tid)
   loop.prepare(self)
end

function rt.thread_done(self)
   each_source(self, "thread_done", self.tid)
end

function rt.thread_run(self)
   local source = self.sources[1]
   if #self.sources == 1 then
      return source.env.thread_run(self.tid)
   end
   return ctx.thread_run()
end

rt.has_command = cmdline.has
rt.is_parallel = cmdline.is_parallel
rt.run_command = cmdline.run

function rt.report_intermediate(self, stat)
   self.sysbench.hooks.report_intermediate(stat)
end

function rt.end_reports()
   ctx.end_reports()
end

function rt.report_cumulative(self, stat)
   self.sysbench.hooks.report_cumulative(stat)
end

return rt
