-- Errors with long texts, caught and raised again with a position, for ever.
-- want: limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('x'):rep(1e6)
    local kept = {}
    while true do
      local _, e = pcall(error, s, 1)
      kept[#kept + 1] = e
    end
  end,
}
