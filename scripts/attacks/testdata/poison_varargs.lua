-- Arguments that an earlier call left.
-- want: result "0 nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function n(...) return select('#', ...) .. ' ' .. tostring((...)) end
    local r = n()
    n('secret', 'secret')
    return r
  end,
}
