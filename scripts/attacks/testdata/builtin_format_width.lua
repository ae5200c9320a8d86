-- A width of a billion.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('%999999999d'):format(1))
  end,
}
