-- A field of the metatable of a table at the top of the file.
-- want: result "nil"
local t = setmetatable({}, {})
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(t.x)
    getmetatable(t).__index = function() return 'owned' end
    return old
  end,
}
