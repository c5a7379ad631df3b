-- SPDX-License-Identifier: MIT
-- One SELECT that counts the rows whose k is in one of several random ranges; table sbtest1 only.
-- Each thread keeps to its own part of the keys.
local slices = require("oltp_slices")

sysbench.cmdline.options.number_of_ranges = {
   "Ranges in a SELECT", 10, sysbench.cmdline.ARG_INT, range = "1..5000"
}
sysbench.cmdline.options.delta = {
   "Distance between the ends of a range", 5, sysbench.cmdline.ARG_INT, range = "0.."
}

local params, first, last

function prepare_statements()
   local ranges = ("k BETWEEN ? AND ? OR "):rep(sysbench.opt.number_of_ranges - 1) .. "k BETWEEN ? AND ?"
   stmt.ranges = con:prepare("SELECT COUNT(k) FROM sbtest1 WHERE " .. ranges)
   params = slices.bind(stmt.ranges, 2 * sysbench.opt.number_of_ranges)
   first, last = slices.own()
end

function event()
   local delta = sysbench.opt.delta
   for i = 1, #params, 2 do
      local from = sysbench.rand.default(first, last)
      params[i]:set(from)
      params[i + 1]:set(from + delta)
   end
   stmt.ranges:execute()
   check_reconnect()
end
