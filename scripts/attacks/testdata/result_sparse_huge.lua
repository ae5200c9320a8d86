-- A list with a gap of 2^53.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { [1] = 1, [2 ^ 53] = 1, [-1] = 1, [0.5] = 1 }
  end,
}
