-- SPDX-License-Identifier: MIT
-- rand: sysbench.rand. Numbers of Lua are answered by numbers; 64-bit cdata (1LL, 2ULL) by 64-bit cdata.

local ctx = ...
local C, ffi = ctx.C, ffi
local DEFAULT, UNIFORM, GAUSSIAN, SPECIAL, PARETO, ZIPFIAN, EXPONENTIAL = -1, 0, 1, 2, 3, 4, 5
local length = ffi.new("size_t[1]")

local M = {}

-- Options of scripts that declare none are texts, and Lua's arithmetic takes texts for numbers: so do these.
local function other(kind, a, b)
   if type(a) ~= "cdata" and type(b) ~= "cdata" then
      local x, y = tonumber(a), tonumber(b)
      if not x or not y then
         error("wants two numbers, was given " .. tostring(a) .. " and " .. tostring(b), 3)
      end
      return C.ioltp_rand(kind, x, y)
   end
   return C.ioltp_rand64(kind, a, b)
end

local function drawer(kind)
   return function(a, b)
      if type(a) == "number" and type(b) == "number" then
         return C.ioltp_rand(kind, a, b)
      end
      return other(kind, a, b)
   end
end

M.uniform = drawer(UNIFORM)
M.gaussian = drawer(GAUSSIAN)
M.special = drawer(SPECIAL)
M.pareto = drawer(PARETO)
M.zipfian = drawer(ZIPFIAN)
M.exponential = drawer(EXPONENTIAL)

function M.default(a, b)
   if type(a) == "number" and type(b) == "number" then
      return C.ioltp_rand_default(a, b)
   end
   return other(DEFAULT, a, b)
end

function M.unique()
   return C.ioltp_rand_unique()
end

function M.uniform_double()
   return C.ioltp_rand_double()
end

function M.uniform_uint64()
   return C.ioltp_rand_u64()
end

function M.string(fmt)
   return ffi.string(C.ioltp_rand_template(fmt, #fmt), #fmt)
end

function M.varstring(min, max)
   local text = C.ioltp_rand_varstring(min, max, length)
   return ffi.string(text, length[0])
end

return M
