-- A field of a big integer.
-- want: result "false"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = json.decode('9007199254740993')
    return tostring((pcall(function() n.x = 1 end)))
  end,
}
