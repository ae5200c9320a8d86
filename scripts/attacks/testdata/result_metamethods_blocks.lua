-- Blocks behind metamethods.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return setmetatable({}, { __index = function() while true do end end, __len = function() return 1e9 end })
  end,
}
