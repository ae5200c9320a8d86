-- A table that grows while it is walked, again and again.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = { 1 }
    while true do
      t[#t + 1] = 1
      for k in pairs(t) do end
    end
  end,
}
