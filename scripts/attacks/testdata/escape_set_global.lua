-- Set a global.
-- want: load error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    leak = args
    return leak
  end,
}
