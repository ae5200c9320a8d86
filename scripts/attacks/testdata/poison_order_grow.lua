-- The order of pairs after keys that come and go.
-- want: result "a"
local t = { a = 1 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local first = next(t)
    t.a = nil
    t.b = 1
    t.a = 1
    t.b = nil
    return first
  end,
}
