-- Keys that become one when they are mended.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { ['\255'] = 1, ['\254'] = 2, ['\239\191\189'] = 3 }
  end,
}
