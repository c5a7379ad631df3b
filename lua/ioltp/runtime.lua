-- SPDX-License-Identifier: MIT
-- runtime: what one Lua state is given before any workload runs, and the entry points that the program calls.
--
-- Arguments: the `host` functions (host.c), the client as light userdata, the C declarations, the folder of the
-- bundled Lua files, the kind of state ("main", "worker", "command", "report"), the client's number, a seed, the version.

local host, client_ud, cdef, data_dir, kind, tid, seed, version = ...

ffi = require("ffi") -- scripts of sysbench use the global
bit = require("bit")
ffi.cdef(cdef)
math.randomseed(seed)

-- In one write: lines of several threads must not run into each other.
function print(...)
   local items = {}
   for i = 1, select("#", ...) do
      items[i] = tostring((select(i, ...)))
   end
   io.stdout:write(table.concat(items, "\t") .. "\n")
end

-- One table for what the parts share. `client` is a constant of the state in thread mode; nothing keeps it elsewhere.
local ctx = {
   host = host,
   C = ffi.C,
   client = ffi.cast("struct client *", client_ud),
   data_dir = data_dir,
   kind = kind,
   tid = tid,
   sources = {}, -- in order: {name, path, weight, env, options, commands, mix}
   current = nil, -- the source whose code runs in load or thread_init
   yield = coroutine.yield,
   end_reports = function() end,
}

local function part(name)
   local chunk, err = host.chunk(data_dir .. "/ioltp/" .. name .. ".lua")
   if not chunk then
      error(err, 0)
   end
   return chunk(ctx)
end

sysbench = {
   tid = tid,
   version = "1.0.20",
   version_string = "sysbench 1.0.20 (ioltp)",
   error = { NONE = 0, RESTART_EVENT = 1, FAIL_EVENT = 2 },
   hooks = {},
   opt = nil, -- until the options are known: not while the body runs
}
ioltp = { version = version }

-- What few scripts use comes when it is first looked for: with hundreds of clients memory counts.
local function late(t, part_of)
   setmetatable(t, {
      __index = function(_, key)
         if part_of[key] then
            part(part_of[key])
            return rawget(t, key)
         end
      end
   })
end

late(sysbench, { report_default = "report", report_csv = "report", report_json = "report", histogram = "report" })
late(ioltp, {
   mix = "mix", exponential = "mix", fixed = "mix", uniform = "mix",
   load = "load", barrier = "load", fail = "load", usage = "load", notice = "load", warn = "load", given = "load",
})

local functions_of_environment = part("environment")
sysbench.rand = part("rand")
sysbench.sql = part("sql")
sysbench.db = sysbench.sql -- its name in some 1.0 scripts
local cmdline = part("cmdline")
sysbench.cmdline = cmdline.api
part("legacy")
local loop = part("loop")

local rt = {}

function rt.set_command(command, argv, several)
   sysbench.cmdline.command = command
   sysbench.cmdline.argv = argv
   ctx.several = several
end

-- Compiles and runs a workload's body; its options and commands are kept with it.
function rt.add_source(name, path, weight, number)
   local source = { name = name, path = path, weight = weight, loaded = {} }
   local chunk, err = host.source(number)
   if not chunk then
      host.fail(1, err)
   end
   source.env = functions_of_environment.new(source)
   ctx.sources[#ctx.sources + 1] = source
   ctx.current = source
   -- As the user wrote it: 0.5 scripts find their neighbours by `test`.
   test = name == "-" and path or name
   sysbench.cmdline.script_path = test
   sysbench.cmdline.options = nil
   sysbench.cmdline.commands = nil
   if ctx.several then
      setfenv(chunk, source.env)
   end
   chunk()
   source.options = sysbench.cmdline.options
   source.commands = sysbench.cmdline.commands or {}
   ctx.current = nil
end

-- Main state: true when any option is welcome (no source declares its own).
function rt.declare_options()
   return cmdline.declare(ctx.sources)
end

function rt.set_options(extra)
   cmdline.set(ctx.sources, extra)
end

local function first_event()
   for _, source in ipairs(ctx.sources) do
      if source.mix or source.env.event or rawget(source.env, "thread_run") ~= ctx.thread_run then
         return true
      end
   end
   return false
end

-- Main state, options known: is there something to run, and which hooks are set; tells the types of the mix.
function rt.describe(main_seed)
   math.randomseed(main_seed)
   loop.types()
   return first_event(), sysbench.hooks.report_intermediate ~= nil, sysbench.hooks.report_cumulative ~= nil
end

local function each_source(name, ...)
   for _, source in ipairs(ctx.sources) do
      local f = source.env[name]
      if f then
         ctx.current = source
         f(...)
         ctx.current = nil
      end
   end
end

function rt.init()
   each_source("init")
end

function rt.done()
   each_source("done")
end

function rt.help()
   each_source("help")
end

function rt.thread_init()
   each_source("thread_init", tid)
   loop.prepare()
end

function rt.thread_done()
   each_source("thread_done", tid)
end

function rt.thread_run()
   local source = ctx.sources[1]
   if #ctx.sources == 1 and source.env.thread_run ~= ctx.thread_run then
      return source.env.thread_run(tid)
   end
   return ctx.thread_run(tid)
end

rt.has_command = cmdline.has
rt.is_parallel = cmdline.is_parallel
rt.run_command = cmdline.run

function rt.report_intermediate(stat)
   sysbench.hooks.report_intermediate(stat)
end

function rt.end_reports()
   ctx.end_reports()
end

function rt.report_cumulative(stat)
   sysbench.hooks.report_cumulative(stat)
end

return rt
