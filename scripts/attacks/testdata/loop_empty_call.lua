-- Calls of an empty function without end.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local f = function() end
    while true do f() end
  end,
}
