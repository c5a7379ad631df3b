-- SPDX-License-Identifier: MIT
-- What the select_random_* workloads add to oltp_common: one table, and each thread in its own part of the keys.
require("oltp_common").uses_tables()

local slices = {}

-- The first and last number of this thread's part; the whole where there are more threads than rows.
function slices.own()
   local size, threads = sysbench.opt.table_size, sysbench.opt.threads
   if size < threads then
      return 1, size
   end
   return math.floor(size * sysbench.tid / threads) + 1, math.floor(size * (sysbench.tid + 1) / threads)
end

-- n integer parameters of a statement.
function slices.bind(statement, n)
   local params = {}
   for i = 1, n do
      params[i] = statement:bind_create(sysbench.sql.type.INT)
   end
   statement:bind_param(unpack(params))
   return params
end

local function check_one_table()
   if sysbench.opt.tables > 1 then
      ioltp.usage("--tables: this workload reads table sbtest1 only; leave the option out")
   end
end

local common_init, common_prepare = thread_init, cmd_prepare

function thread_init()
   check_one_table()
   common_init()
end

function cmd_prepare()
   check_one_table()
   common_prepare()
end

sysbench.cmdline.commands.prepare[1] = cmd_prepare

return slices
