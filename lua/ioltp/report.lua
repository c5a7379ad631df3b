-- SPDX-License-Identifier: MIT
-- report: sysbench's report functions for hooks, and its histogram.

local ctx = ...

local M = {}

local function per_second(stat, n)
   return stat.time_interval > 0 and n / stat.time_interval or 0
end

local function queries(stat)
   return stat.reads + stat.writes + stat.other
end

function M.report_default(stat)
   local tps = per_second(stat, stat.events)
   print(string.format("[ %.0fs ] thds: %u tps: %.2f qps: %.2f (r/w/o: %.2f/%.2f/%.2f) lat (ms,%g%%): %.2f err/s: %.2f reconn/s: %.2f",
      stat.time_total, stat.threads_running, tps, per_second(stat, queries(stat)), per_second(stat, stat.reads),
      per_second(stat, stat.writes), per_second(stat, stat.other), stat.percentile, stat.latency_pct * 1000,
      per_second(stat, stat.errors), per_second(stat, stat.reconnects)))
   local opt = ctx.me().sysbench.opt
   if opt and opt.rate and opt.rate > 0 and stat.queue_length then
      print(string.format("[ %.0fs ] queue length: %u, concurrency: %u", stat.time_total, stat.queue_length, stat.concurrency))
   end
end

function M.report_csv(stat)
   print(string.format("%.0f,%u,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f", stat.time_total, stat.threads_running,
      per_second(stat, stat.events), per_second(stat, queries(stat)), per_second(stat, stat.reads),
      per_second(stat, stat.writes), per_second(stat, stat.other), stat.latency_pct * 1000,
      per_second(stat, stat.errors), per_second(stat, stat.reconnects)))
end

local json_open = false

function M.report_json(stat)
   if not json_open then
      json_open = true
      io.write("[\n")
   else
      io.write(",\n")
   end
   io.write(string.format('  {\n    "time": %4.0f,\n    "threads": %u,\n    "tps": %4.2f,\n    "qps": {\n      "total": %4.2f,\n' ..
      '      "reads": %4.2f,\n      "writes": %4.2f,\n      "other": %4.2f\n    },\n    "latency": %4.2f,\n' ..
      '    "errors": %4.2f,\n    "reconnects": %4.2f\n  }', stat.time_total, stat.threads_running,
      per_second(stat, stat.events), per_second(stat, queries(stat)), per_second(stat, stat.reads),
      per_second(stat, stat.writes), per_second(stat, stat.other), stat.latency_pct * 1000,
      per_second(stat, stat.errors), per_second(stat, stat.reconnects)))
   io.flush()
end

-- Closes what report_json has opened; called before and after each cumulative report.
function ctx.end_reports()
   if json_open then
      json_open = false
      print("\n]")
   end
end

-- ---- histogram ----

M.histogram = {}
local histogram = {}
histogram.__index = histogram

-- `size` counters spaced evenly in the logarithm between min and max; values outside count at the ends.
function M.histogram.new(size, min, max)
   if type(size) ~= "number" or size < 2 or type(min) ~= "number" or type(max) ~= "number" or min <= 0 or max <= min then
      error("histogram.new: wants a size of 2 or more and 0 < min < max", 2)
   end
   local h = { size = size, min = min, max = max, counts = {}, step = math.log(max / min) / (size - 1) }
   for i = 0, size - 1 do
      h.counts[i] = 0
   end
   return setmetatable(h, histogram)
end

function histogram:update(value)
   local i = 0
   if value > self.min then
      i = math.min(self.size - 1, math.floor(math.log(value / self.min) / self.step + 0.5))
   end
   self.counts[i] = self.counts[i] + 1
end

function histogram:print()
   local most = 0
   for i = 0, self.size - 1 do
      most = math.max(most, self.counts[i])
   end
   print("       value  ------------- distribution ------------- count")
   for i = 0, self.size - 1 do
      local n = self.counts[i]
      if n > 0 then
         local bar = string.rep("*", math.floor(n / most * 40 + 0.5))
         print(string.format("%12.3f |%-40s %d", self.min * math.exp(self.step * i), bar, n))
      end
   end
end

return M
