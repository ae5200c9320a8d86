-- A format from the model.
-- want: error|limit
-- args: {"format":"%99999999999999d%s%s%n%v"}
return tool{
  description = "Tries to harm its host.",
  input = { format = "string" },
  run = function(args, ctx)
    return (args.format):format(1)
  end,
}
