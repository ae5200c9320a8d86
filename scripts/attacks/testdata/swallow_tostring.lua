-- An error object whose __tostring never ends.
-- want: timeout|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(setmetatable({}, { __tostring = function() while true do end end }))
  end,
}
