-- unpack of a hundred million.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return select('#', unpack({}, 1, 1e8))
  end,
}
