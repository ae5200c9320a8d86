-- The arguments of an earlier call.
-- want: result "nil"
local last
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(last)
    last = args
    return old
  end,
}
