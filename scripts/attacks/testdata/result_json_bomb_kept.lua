-- Decoded JSON, all kept.
-- want: error|limit|timeout
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = '[' .. ('{},'):rep(1e5) .. '{}]'
    local kept = {}
    while true do kept[#kept + 1] = json.decode(s) end
  end,
}
