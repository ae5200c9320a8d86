-- What a call changed before it failed.
-- want: error "1"
local n = 0
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    n = n + 1
    error(tostring(n), 0)
  end,
}
