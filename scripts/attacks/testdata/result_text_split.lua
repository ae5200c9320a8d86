-- text.split into millions of parts.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #text.split((','):rep(16e6), ',')
  end,
}
