-- gsub of everything by much.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #(('a'):rep(1e6)):gsub('', ('b'):rep(1e6))
  end,
}
