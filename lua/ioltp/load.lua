-- SPDX-License-Identifier: MIT
-- load: what commands of bundled and other workloads share: loading rows, meeting other threads, ending with a word.

local ctx = ...
local host = ctx.host

local M = {}

-- All threads of a parallel command call this with equal arguments, once per table, in any order of the tables; returns
-- when this thread finds no more rows to load.
function M.load(spec)
   if type(spec) ~= "table" or type(spec.con) ~= "table" or not spec.con.handle then
      error("ioltp.load: wants a table with con, generator, table and rows", 2)
   end
   host.load(spec.con.handle, spec.generator, spec.table, spec.rows, spec.options)
end

-- All threads of a parallel command meet; outside of one nothing happens.
function M.barrier()
   if not host.barrier() then
      host.fail(1, host.interrupted() and "interrupted: another thread failed or a signal came"
         or "another thread failed")
   end
end

-- Ends the command with one line for the user: exit status 1, and 2 for wrong use.
function M.fail(text)
   host.fail(1, text)
end

function M.usage(text)
   host.fail(2, text)
end

function M.notice(text)
   host.notice(text)
end

function M.warn(text)
   host.warn(text)
end

-- True when the user gave the option.
function M.given(name)
   return host.given(name)
end

return M
