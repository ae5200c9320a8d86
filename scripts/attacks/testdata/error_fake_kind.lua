-- An error object that claims to be a fault of the host.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(setmetatable({ Kind = 4, kind = 'timeout', message = 'the call was cancelled', fault = true, is_error = false }, { __type = 'fault' }))
  end,
}
