-- SPDX-License-Identifier: MIT
-- One row by its id, once per event: the option point_selects is for the mixed workloads.
require("oltp_common")

function prepare_statements()
   prepare_for_each_table("point_selects")
end

function event()
   execute_point_selects(1)
   check_reconnect()
end
