-- An index from the model.
-- want: error|result
-- args: {"n":67108863}
return tool{
  description = "Tries to harm its host.",
  input = { n = "number" },
  run = function(args, ctx)
    local t = {}
    t[args.n] = 1
    return #t
  end,
}
