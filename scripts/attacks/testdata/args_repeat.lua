-- A number from the model that says how often.
-- want: limit|error|timeout
-- args: {"n":9000000000000000}
return tool{
  description = "Tries to harm its host.",
  input = { n = "integer" },
  run = function(args, ctx)
    return #('x'):rep(args.n)
  end,
}
