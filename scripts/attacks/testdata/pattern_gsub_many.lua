-- gsub of millions of matches: the original copies the string for each.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('a'):rep(4e6)
    while true do s = s:gsub('a', 'a') end
  end,
}
