-- SPDX-License-Identifier: MIT
-- One row by its id, once per event.
require("oltp_common")

function prepare_statements()
   sysbench.opt.point_selects = 1 -- the option counts statements of the mixed workloads
   prepare_point_selects()
end

function event()
   execute_point_selects()
   check_reconnect()
end
