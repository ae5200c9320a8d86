-- Arguments that are of another type.
-- want: error
-- args: {"list":{"1":"a"}}
return tool{
  description = "Tries to harm its host.",
  input = { list = "string[]" },
  run = function(args, ctx)
    return #args.list
  end,
}
