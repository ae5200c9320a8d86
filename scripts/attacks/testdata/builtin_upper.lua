-- upper of a long string, for ever.
-- want: limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('x'):rep(16e6)
    while true do s:upper() end
  end,
}
