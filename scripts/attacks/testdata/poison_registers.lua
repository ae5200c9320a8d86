-- Registers that an earlier call left.
-- want: result "nil nil nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function leave() local a, b, c, d, e, f, g = 'secret', 'secret', 'secret', 'secret', 'secret', 'secret', 'secret' return a end
    local function look(...)
      local a, b, c
      return tostring(a) .. ' ' .. tostring(b) .. ' ' .. tostring(c)
    end
    local r = look()
    leave()
    return r
  end,
}
