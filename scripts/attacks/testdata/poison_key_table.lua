-- A table that is the key of a table at the top of the file.
-- want: result "nil"
local t = { [{}] = true }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local key = next(t)
    local old = tostring(key.x)
    key.x = 1
    return old
  end,
}
