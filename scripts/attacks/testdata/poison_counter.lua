-- A counter at the top of the file.
-- want: result "1"
local n = 0
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    n = n + 1
    return n
  end,
}
