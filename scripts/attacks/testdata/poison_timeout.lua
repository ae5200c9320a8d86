-- What a call changed before it was stopped.
-- want: timeout
-- again: timeout
local n = 0
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    n = n + 1
    if n > 1 then return 'seen' end
    while true do end
  end,
}
