-- Keys of every type.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { 1, x = 1, [true] = 1, [0.5] = 1, [{}] = 1, [print] = 1 }
  end,
}
