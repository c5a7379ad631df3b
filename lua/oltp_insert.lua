-- SPDX-License-Identifier: MIT
-- One new row per event; tables grow.
local oltp = require("oltp_common")
oltp.rows_may("grow")

function prepare_statements()
   prepare_new_rows()
end

function event()
   execute_insert()
   check_reconnect()
end
