-- nil behind the end of a list.
-- want: result "0"
local t = {}
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = #t
    for i = 1, 10 do t[i] = nil end
    return n
  end,
}
