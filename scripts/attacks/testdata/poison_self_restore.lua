-- A change that is taken back with another table in between.
-- want: result "1"
local t = { 1 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = t
    t = { 2 }
    t = old
    return t[1]
  end,
}
