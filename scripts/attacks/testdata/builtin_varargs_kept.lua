-- Tables of eight thousand values, all kept.
-- want: timeout|limit
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local all, t = {}, {}
    for i = 1, 7000 do t[i] = i end
    while true do all[#all + 1] = { unpack(t) } end
  end,
}
