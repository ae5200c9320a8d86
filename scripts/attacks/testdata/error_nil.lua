-- An error that is nil.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(nil)
  end,
}
