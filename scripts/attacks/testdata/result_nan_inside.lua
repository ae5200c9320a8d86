-- Not a number in a table, infinity too.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { a = 0 / 0, b = math.huge, c = -math.huge }
  end,
}
