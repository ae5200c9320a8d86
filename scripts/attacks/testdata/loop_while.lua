-- An endless loop.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do end
  end,
}
