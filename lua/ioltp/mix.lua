-- SPDX-License-Identifier: MIT
-- mix: ioltp.mix and what belongs to it.

local ctx = ...
local host = ctx.host

local M = {}

function M.exponential(mean, cut)
   return { kind = "exponential", mean = mean, cut = cut or 0 }
end

function M.fixed(seconds)
   return { kind = "fixed", mean = seconds }
end

function M.uniform(lo, hi)
   return { kind = "uniform", lo = lo, hi = hi }
end

local function check_delay(path, name, what, d)
   if d == nil then
      return { kind = nil }
   elseif type(d) == "number" then
      d = M.fixed(d)
   elseif type(d) ~= "table" or not d.kind then
      host.fail(1, string.format("%s: %s of '%s' is neither seconds nor ioltp.exponential/uniform/fixed", path, what, name))
   end
   local least = d.lo or d.mean
   if type(least) ~= "number" or least < 0 or (d.hi and d.hi < d.lo) then
      host.fail(1, string.format("%s: %s of '%s' has a time below 0; give seconds of 0 or more", path, what, name))
   end
   return d
end

-- Declares the transaction types of this workload. By weight, or by cards of a deck (exact shares).
function M.mix(types)
   local source = ctx.me().current
   if not source then
      host.fail(1, "ioltp.mix: call it from the body of the script")
   end
   local mix = {}
   for name, t in pairs(types) do
      if type(t) ~= "table" or type(t.run) ~= "function" then
         host.fail(1, string.format("%s: transaction type '%s' has no function `run`", source.path, tostring(name)))
      end
      local weight = t.weight or (t.cards and 0) or 1
      if type(weight) ~= "number" or weight < 0 or weight ~= weight or weight == math.huge then
         host.fail(1, string.format("%s: weight of '%s' is not a number of 0 or more", source.path, tostring(name)))
      end
      mix[#mix + 1] = {
         name = tostring(name), run = t.run, weight = weight, cards = t.cards or 0,
         keying = check_delay(source.path, name, "keying", t.keying),
         think = check_delay(source.path, name, "think", t.think),
      }
   end
   -- A table has no order: by name, so that every state and every run numbers the types alike.
   table.sort(mix, function(a, b) return a.name < b.name end)
   source.mix = mix
end

return M
