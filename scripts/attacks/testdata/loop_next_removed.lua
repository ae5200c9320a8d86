-- next over a hundred thousand removed keys, which stay in the list of keys.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e5 do t["k" .. i] = 1 end
    for i = 1, 1e5 do t["k" .. i] = nil end
    while true do next(t) end
  end,
}
