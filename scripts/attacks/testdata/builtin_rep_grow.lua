-- rep of rep of rep.
-- want: limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = 'x'
    while true do s = s:rep(100) end
  end,
}
