-- The length of a list that was set beyond its end and cut again.
-- want: result "3"
local t = { 1, 2, 3 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = #t
    t[5] = 1
    t[5] = nil
    t[4] = nil
    return n
  end,
}
