-- Numbers beyond all numbers.
-- want: error|result
-- args: {"n":1e400}
return tool{
  description = "Tries to harm its host.",
  input = { n = "number" },
  run = function(args, ctx)
    return tostring(args.n)
  end,
}
