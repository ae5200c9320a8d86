-- An image that is none.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return image(('x'):rep(1e6))
  end,
}
