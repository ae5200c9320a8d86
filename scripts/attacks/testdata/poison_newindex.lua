-- Writes that __newindex leads to an old table.
-- want: result "nil"
local store_of = {}
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(store_of[1])
    local t = setmetatable({}, { __newindex = store_of })
    t[1] = 1
    return old
  end,
}
