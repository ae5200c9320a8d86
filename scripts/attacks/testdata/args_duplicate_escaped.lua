-- A key that comes twice, spelt in two ways.
-- want: error|result
-- args: {"a":"x","\u0061":"y"}
return tool{
  description = "Tries to harm its host.",
  input = { a = "string" },
  run = function(args, ctx)
    return args.a
  end,
}
