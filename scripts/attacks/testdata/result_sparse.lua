-- A list with gaps.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { [1] = 1, [1000000] = 1 }
  end,
}
