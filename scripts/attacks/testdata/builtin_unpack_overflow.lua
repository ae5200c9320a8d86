-- unpack from the least to the greatest integer.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return select('#', unpack({}, -2 ^ 63, 2 ^ 63))
  end,
}
