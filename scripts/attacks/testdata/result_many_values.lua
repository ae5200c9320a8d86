-- Thousands of values.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return unpack({}, 1, 7900)
  end,
}
