-- Iterators of gmatch, all kept.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local all = {}
    while true do all[#all + 1] = ('a'):gmatch('.') end
  end,
}
