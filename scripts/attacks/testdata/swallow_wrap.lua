-- wrap under pcall, both swallow.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do pcall(coroutine.wrap(function() pcall(function() while true do end end) while true do end end)) end
  end,
}
