-- Handlers of errors that raise errors.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok, e = xpcall(error, function() error(setmetatable({}, { __tostring = error })) end)
    error(e)
  end,
}
