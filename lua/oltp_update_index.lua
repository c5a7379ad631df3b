-- SPDX-License-Identifier: MIT
-- An UPDATE of the indexed column k, as often per event as --index-updates says.
require("oltp_common")

function prepare_statements()
   prepare_index_updates()
end

function event()
   execute_index_updates()
   check_reconnect()
end
