-- Sleep, caught, for ever.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do pcall(function() ctx:sleep("24h") end) end
  end,
}
