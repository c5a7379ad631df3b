-- SPDX-License-Identifier: MIT
-- share: may clients of this workload share a Lua state? They take turns in it, each with globals and modules of its own;
-- but what belongs to the state as a whole would be everybody's: declarations and waits by FFI, math.random's numbers, the
-- library's tables, the compiler. So a script shares only when its text, and that of each module, names nothing of these.
-- What is not understood counts as a reason not to.

local ctx = ...
local host = ctx.host

local M = {}

-- Words that may not occur: a false alarm costs memory, not figures.
local words = {
   "ffi", "jit", "debug", "collectgarbage", "newproxy", "setfenv", "getfenv", "dofile", "loadfile", "loadstring",
}

-- Patterns of what changes, or waits in, something that is everybody's.
local patterns = {
   { "math%s*%.%s*random", "math.random" },
   { "os%s*%.%s*execute", "os.execute" },
   { "io%s*%.%s*popen", "io.popen" },
   { "io%s*%.%s*read", "io.read" },
   { "getmetatable%s*%(?%s*[\"']", "the strings' metatable" },
   { "%f[%w_.:]load%s*%(", "load" },
   { "%f[%w_.:]module%s*%(", "module" },
   { "%f[%w_.:]module%s+[\"']", "module" },
   { "%f[%w_.:]package%s*[%.%[]", "package" },
   { "pairs%s*%([^)]*opt", "a walk over sysbench.opt" },
}
for _, library in ipairs({ "string", "table", "math", "os", "io", "coroutine", "bit" }) do
   patterns[#patterns + 1] = { "%f[%w_]" .. library .. "%.[%w_]+[ \t]*=[^=]", library .. "'s functions" }
   patterns[#patterns + 1] = { "function%s+" .. library .. "%s*[.:]", library .. "'s functions" }
   patterns[#patterns + 1] = { "%f[%w_]" .. library .. "%s*%[", library .. "'s functions" }
   patterns[#patterns + 1] = { "=%s*" .. library .. "%s*[\n;,]", library .. " by another name" }
   patterns[#patterns + 1] = { "rawset%s*%(%s*" .. library .. "%s*,", library .. "'s functions" }
end
for _, api in ipairs({ "rand", "sql", "db", "error" }) do
   patterns[#patterns + 1] = { "sysbench%s*%.%s*" .. api .. "%.[%w_.]+[ \t]*=[^=]", "sysbench." .. api }
   patterns[#patterns + 1] = { "function%s+sysbench%s*%.%s*" .. api, "sysbench." .. api }
end

local function in_text(text)
   if text:sub(1, 1) == "\27" then
      return "byte code"
   end
   -- Comments, but for those behind something that might be a text with "--" in it.
   text = ("\n" .. text .. "\n"):gsub("(\n[^\n\"']-)%-%-[^\n]*", "%1")
   for _, word in ipairs(words) do
      if text:find("%f[%w_]" .. word .. "%f[^%w_]") then
         return word
      end
   end
   for _, pattern in ipairs(patterns) do
      if text:find(pattern[1]) then
         return pattern[2]
      end
   end
   -- Modules that come later than now, or are no Lua, are not known.
   local all, known = 0, 0
   for _ in text:gmatch("%f[%w_.:]require%f[^%w_]") do
      all = all + 1
   end
   for name in text:gmatch("%f[%w_.:]require%s*%(?%s*[\"']([^\"']+)[\"']") do
      known = known + 1
      if not ctx.files[name] then
         return "require of " .. name
      end
   end
   return all ~= known and "require of a computed name" or nil
end

-- Nil: they may share. Else what stands against it: "FILE: WHAT".
function M.why_alone(sources)
   for i, source in ipairs(sources) do
      local why = in_text(host.text(i - 1))
      if why then
         return source.path .. ": " .. why
      end
   end
   for _, file in pairs(ctx.files) do
      local f = io.open(file, "r")
      local text = f and f:read("*a")
      if f then
         f:close()
      end
      local why = not text and "cannot be read again" or in_text(text)
      if why then
         return file .. ": " .. why
      end
   end
end

return M
