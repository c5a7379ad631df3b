-- SPDX-License-Identifier: MIT
-- One row deleted by its id per event; in the end most ids are gone already.
local oltp = require("oltp_common")
oltp.rows_may("shrink")

function prepare_statements()
   prepare_for_each_table("deletes")
end

function event()
   execute_delete()
   check_reconnect()
end
