-- A __tostring that answers the longest string.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(setmetatable({}, { __tostring = function() return ('x'):rep(16e6) end }))
  end,
}
