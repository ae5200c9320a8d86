-- ctx.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { ctx }
  end,
}
