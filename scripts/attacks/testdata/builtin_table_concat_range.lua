-- table.concat over 2^53 items.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return table.concat({}, '', 1, 2 ^ 53)
  end,
}
