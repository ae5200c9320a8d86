-- Metamethods that a result must not call.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return setmetatable({ 1 }, { __index = function() while true do end end, __len = function() while true do end end, __pairs = function() while true do end end, __tostring = function() while true do end end, __tojson = function() while true do end end })
  end,
}
