-- SPDX-License-Identifier: MIT
-- One SELECT of the rows whose k is one of several random numbers; table sbtest1 only.
-- Each thread keeps to its own part of the keys.
local slices = require("oltp_slices")

sysbench.cmdline.options.random_points = {
   "Numbers in the list of a SELECT", 10, sysbench.cmdline.ARG_INT, range = "1..10000"
}

local params, first, last

function prepare_statements()
   local marks = ("?, "):rep(sysbench.opt.random_points - 1) .. "?"
   stmt.points = con:prepare(("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (%s)"):format(marks))
   params = slices.bind(stmt.points, sysbench.opt.random_points)
   first, last = slices.own()
end

function event()
   for i = 1, #params do
      params[i]:set(sysbench.rand.default(first, last))
   end
   stmt.points:execute()
   check_reconnect()
end
