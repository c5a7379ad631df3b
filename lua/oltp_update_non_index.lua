-- SPDX-License-Identifier: MIT
-- An UPDATE of column c, which no index holds, as often per event as --non_index-updates says.
require("oltp_common")

function prepare_statements()
   prepare_non_index_updates()
end

function event()
   execute_non_index_updates()
   check_reconnect()
end
