-- Half a surrogate pair.
-- want: error|result
-- args: {"a":"\ud800\ud800x"}
return tool{
  description = "Tries to harm its host.",
  input = { a = "string" },
  run = function(args, ctx)
    return args.a
  end,
}
