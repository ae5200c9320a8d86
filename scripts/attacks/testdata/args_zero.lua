-- Zero bytes and escapes.
-- want: result
-- args: {"a":"\u0000\u001b[2J\u2028\n"}
return tool{
  description = "Tries to harm its host.",
  input = { a = "string" },
  run = function(args, ctx)
    return args.a .. #args.a
  end,
}
