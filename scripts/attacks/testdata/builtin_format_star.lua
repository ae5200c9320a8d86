-- The verbs of another language.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('%v %T %#v %p %[1]d %*d'):format(1, 2, 3, 4, 5, 6))
  end,
}
