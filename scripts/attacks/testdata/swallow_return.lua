-- A result after a caught timeout.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    pcall(function() while true do end end)
    return 'still here'
  end,
}
