-- An error object whose message never ends to be looked up.
-- want: timeout|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(setmetatable({}, { __index = function() while true do end end }))
  end,
}
