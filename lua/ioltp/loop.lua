-- SPDX-License-Identifier: MIT
-- loop: the way of one event. The loop is here, and not in C, so that it compiles into one trace with the event.

local ctx = ...
local C, W, host = ctx.C, ctx.W, ctx.host
local xpcall, type = xpcall, type

local FAILED, CANCELLED, UNFINISHED = 1, 2, 3

local M = {}

local function base_name(source)
   return (source.name:gsub("^.*/", ""):gsub("%.lua$", ""))
end

-- All transaction types of all workloads of a client, 1-based: {name, run, weight, cards, keying, think, source, own_con}.
-- In the main state the program learns them.
function M.types(self)
   local several, types = self.several, {}
   for _, source in ipairs(self.sources) do
      if source.mix then
         local sum = 0
         for _, t in ipairs(source.mix) do
            sum = sum + t.weight
         end
         for _, t in ipairs(source.mix) do
            types[#types + 1] = {
               name = several and (base_name(source) .. "." .. t.name) or t.name,
               weight = several and sum > 0 and source.weight * t.weight / sum or t.weight,
               cards = several and 0 or t.cards, keying = t.keying, think = t.think,
               run = t.run, source = source, own_con = true,
            }
         end
      else
         types[#types + 1] = {
            name = base_name(source), weight = source.weight, cards = 0, keying = {}, think = {},
            source = source, run = source.env.event,
         }
      end
   end
   if ctx.kind == "main" then
      for _, t in ipairs(types) do
         host.mix_add({ name = t.name, weight = t.weight, cards = t.cards, keying = t.keying, think = t.think })
      end
   end
   return types
end

local function handler(e)
   if type(e) == "string" and not host.raised(e) then
      local text = debug.traceback(e, 2) -- no tail call: the level counts from this function
      return text
   end
   return e
end

-- After an event that raised. True: run the same event again. False: it has ended, the next one may come.
local function again(self, e)
   local restart = type(e) == "table" and e.errcode
   if restart == ctx.error.RESTART_EVENT then
      local hook = self.sysbench.hooks.before_restart_event
      if hook then
         hook(e)
      end
      if not e.connection then
         C.ioltp_count_error()
      end
      -- Nothing of a half transaction may be committed by the next try.
      if W.ioltp_retry() and W.ioltp_recover() then
         return true
      end
      C.ioltp_done(UNFINISHED)
      W.ioltp_recover()
      return false
   end
   if restart == ctx.error.FAIL_EVENT then
      -- The way back to a connection is part of what failed, and counts as long as the event does.
      W.ioltp_recover()
      C.ioltp_done(FAILED)
      return false
   end
   C.ioltp_done(FAILED)
   if type(e) == "string" and not host.raised(e) then
      host.fail(1, e) -- has its traceback already
   end
   error(e, 0)
end

local function run_one(self, event)
   local tid = self.tid
   local more = W.ioltp_next()
   while more do
      local ok, value = xpcall(event, handler, tid)
      if not ok then
         if not again(self, value) then
            more = W.ioltp_next()
         end
      elseif value then
         C.ioltp_done(CANCELLED)
         return
      else
         more = W.ioltp_done_next()
      end
   end
end

-- Several types: each is called as it wants to be, `run(con, rand)` of a mix or `event(tid)` of a workload.
local function run_mix(self, calls)
   local tid = self.tid
   local more = W.ioltp_next()
   while more do
      local ok, value = xpcall(calls[C.ioltp_type()], handler, tid)
      if not ok then
         if not again(self, value) then
            more = W.ioltp_next()
         end
      elseif value then
         C.ioltp_done(CANCELLED)
         return
      else
         more = W.ioltp_done_next()
      end
   end
end

-- After thread_init: connections of mixes, and the calls by number, from 0.
function M.prepare(self)
   local rand, calls = self.sysbench.rand, {}
   self.calls = calls
   for i, t in ipairs(M.types(self)) do
      local run = t.run
      if t.own_con then
         local source = t.source
         if not source.con then
            self.current = source
            source.con = source.env.con or self.sysbench.sql.driver():connect()
            self.current = nil
         end
         local con = source.con
         calls[i - 1] = function() return run(con, rand) end
      else
         calls[i - 1] = run
      end
      if not run and self.sources[1].env.thread_run == ctx.thread_run then
         host.fail(1, t.source.path .. ": has no function event(); a workload needs one to run")
      end
   end
end

function ctx.thread_run()
   local self = ctx.me()
   local calls = self.calls
   if #calls == 0 then
      return run_one(self, calls[0])
   end
   return run_mix(self, calls)
end

-- A script may put its own in this place.
thread_run = ctx.thread_run

return M
