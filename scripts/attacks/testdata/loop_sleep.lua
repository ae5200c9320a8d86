-- Sleep for a day.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    ctx:sleep("24h")
  end,
}
