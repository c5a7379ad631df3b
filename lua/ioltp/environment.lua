-- SPDX-License-Identifier: MIT
-- environment: globals and `require` of a workload. A single workload of a state's only client lives in _G, as scripts
-- expect; several in one run (--mix), and those of clients that share a state, have an environment each, so that their
-- events, options and connections do not meet.

local ctx = ...

local M = {}

local function folder_of(path)
   return path:match("^(.*/)[^/]*$") or "./"
end

-- The script's own folder first, then LUA_PATH and the usual places, then the bundled workloads.
local function search_path(source)
   local dir = folder_of(source.path)
   return dir .. "?.lua;" .. dir .. "?/init.lua;./?.lua;./?/init.lua;" .. ctx.lua_path .. ";" .. ctx.data_dir .. "/?.lua"
end

ctx.lua_path = package.path

-- As package.searchpath, which LuaJIT has only in some builds.
local function find(name, path)
   local file = name:gsub("%.", "/")
   for template in path:gmatch("[^;]+") do
      local candidate = template:gsub("%?", (file:gsub("%%", "%%%%")))
      local f = io.open(candidate, "r")
      if f then
         -- A folder opens, but does not read.
         local readable = f:read(0) ~= nil or f:seek("end") == 0
         f:close()
         if readable then
            return candidate
         end
      end
   end
end

-- Modules are compiled once for all states; what is no Lua file on the path is looked for as ever.
local usual = package.loaders[2]
package.loaders[2] = function(name)
   local file = find(name, package.path)
   if not file then
      return usual(name)
   end
   local chunk, err = ctx.host.chunk(file)
   if not chunk then
      error(("error loading module '%s' from file '%s':\n\t%s"):format(name, file, err), 0)
   end
   ctx.files[name] = file
   return chunk
end

-- require for an environment of its own: Lua modules are loaded into it, and again for each environment.
local function require_into(source)
   return function(name)
      if source.loaded[name] ~= nil then
         return source.loaded[name]
      end
      local file = not package.preload[name] and find(name, search_path(source))
      if not file then
         return require(name)
      end
      local chunk, err = ctx.host.chunk(file)
      if not chunk then
         error(err, 2)
      end
      ctx.files[name] = file
      setfenv(chunk, source.env)
      source.loaded[name] = true
      local ok, value = pcall(chunk, name)
      if not ok then
         source.loaded[name] = nil
         error(value, 0)
      end
      if value ~= nil then
         source.loaded[name] = value
      end
      return source.loaded[name]
   end
end

-- A copy, not a table that falls back to _G: scripts may give their globals a metatable of their own.
function M.copy_of_globals()
   local env = {}
   for name, value in pairs(_G) do
      env[name] = value
   end
   env._G = env
   return env
end

function M.new(source)
   local client = source.client
   package.path = search_path(source)
   if not client.several and not ctx.shared then
      return client.env
   end
   local env = client.env
   if client.several then
      env = setmetatable({}, { __index = client.env })
      env._G = env
   end
   source.env = env
   env.require = require_into(source)
   env.dofile = function(file)
      local chunk, err = loadfile(file)
      if not chunk then
         error(err, 2)
      end
      return setfenv(chunk, env)()
   end
   return env
end

return M
