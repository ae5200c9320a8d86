-- yield across everything that it must not cross.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function try(f) return coroutine.resume(coroutine.create(f)) end
    try(function() pcall(coroutine.yield) end)
    try(function() table.sort({ 2, 1 }, coroutine.yield) end)
    try(function() ("x"):gsub("x", function() coroutine.yield() end) end)
    try(function() return setmetatable({}, { __index = function() coroutine.yield() end }).x end)
    try(function() return setmetatable({}, { __add = coroutine.yield }) + 1 end)
    try(function() return tostring(setmetatable({}, { __tostring = coroutine.yield })) end)
    try(function() for x in coroutine.yield do end end)
    try(function() local r = require r("x") coroutine.yield() end)
    try(function() xpcall(error, coroutine.yield) end)
    try(function() return coroutine.wrap(coroutine.yield)() end)
    return pcall(coroutine.yield) and "no" or "ended"
  end,
}
