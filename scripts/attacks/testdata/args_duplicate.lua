-- A key that comes twice.
-- want: error|result
-- args: {"a":"x","a":"y"}
return tool{
  description = "Tries to harm its host.",
  input = { a = "string" },
  run = function(args, ctx)
    return args.a
  end,
}
