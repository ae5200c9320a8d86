-- A metatable for a table at the top of the file.
-- want: result "nil"
local t = {}
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(t.x)
    setmetatable(t, { __index = function() return 'owned' end })
    return old
  end,
}
