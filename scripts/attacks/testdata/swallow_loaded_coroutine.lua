-- A coroutine that was made while the file was loaded and runs without end.
-- want: timeout
local co = coroutine.wrap(function() while true do end end)
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local _ = co()
    return 'ended'
  end,
}
