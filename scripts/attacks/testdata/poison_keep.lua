-- A counter that is kept on purpose.
-- want: result "1"
-- again: result "2"
local n = 0
return tool{
  description = "Tries to harm its host.",
  keep = true,
  run = function(args, ctx)
    n = n + 1
    return n
  end,
}
