-- As many values as unpack gives, many times in one call.
-- want: error|limit|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    local function n(...) return select('#', ...) end
    return n(unpack(t, 1, 7999))
  end,
}
