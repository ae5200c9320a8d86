-- Name what is not there.
-- want: load error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return loadstring('return 1')()
  end,
}
