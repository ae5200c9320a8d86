-- A failure that is a hostile table.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = setmetatable({}, { __index = function() while true do end end, __tostring = function() while true do end end })
    return nil, t
  end,
}
