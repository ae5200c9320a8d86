-- Not a number.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return 0 / 0
  end,
}
