-- Errors of the VM whose text holds a long key, all kept: nobody charges them.
-- want: timeout|limit|result
-- wall: 3s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local key, kept = ("x"):rep(16e6), {}
    for i = 1, 500 do
      local _, text = pcall(function() local t; return t[key] end)
      kept[i] = text
    end
    return "ended"
  end,
}
