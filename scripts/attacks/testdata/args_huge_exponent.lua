-- Exponents that take a schema seconds.
-- want: error|result
-- args: {"n":1e999999999}
return tool{
  description = "Tries to harm its host.",
  input = { n = "number" },
  run = function(args, ctx)
    return tostring(args.n)
  end,
}
