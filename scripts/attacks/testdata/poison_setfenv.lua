-- Environments of functions that were made while loading.
-- want: result "nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return tostring(rawget(_G, 'setfenv'))
  end,
}
