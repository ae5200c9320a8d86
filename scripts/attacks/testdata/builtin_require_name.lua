-- Errors of require whose text holds a long name, all kept.
-- want: timeout|limit|result
-- wall: 3s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local name, kept = ("\1"):rep(16e6), {}
    for i = 1, 200 do
      local _, text = pcall(require, name)
      kept[i] = text
    end
    return "ended"
  end,
}
