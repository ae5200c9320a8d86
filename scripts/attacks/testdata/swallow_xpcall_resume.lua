-- A handler that goes on in a coroutine.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do
      xpcall(function() while true do end end, function() coroutine.wrap(function() while true do end end)() end)
    end
  end,
}
