-- print of values with hostile metamethods.
-- want: error|timeout|limit|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t[1] = t
    print(t, setmetatable({}, { __tostring = function() return {} end }), 0 / 0, ('\255'):rep(1e5))
    print(setmetatable({}, { __tostring = function() while true do end end }))
  end,
}
