-- The order of pairs: a key that is set and removed again.
-- want: result "a b"
local t = { a = 1, b = 2 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    t.zz = 1
    t.zz = nil
    t.c = nil
    local k = {}
    for key in pairs(t) do k[#k + 1] = key end
    return table.concat(k, ' ')
  end,
}
