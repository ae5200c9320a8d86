-- What a call changed before it went over a limit.
-- want: limit|error
-- again: same
local n = 0
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    n = n + 1
    if n > 1 then return 'seen' end
    return ('x'):rep(1e10)
  end,
}
