-- A number from the model that says how long.
-- want: timeout|error
-- args: {"n":1e300}
return tool{
  description = "Tries to harm its host.",
  input = { n = "number" },
  run = function(args, ctx)
    for i = 1, args.n do end
    return 'ended'
  end,
}
