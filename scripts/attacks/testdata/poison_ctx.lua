-- The ctx of an earlier call.
-- want: result "nil"
local last
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(last and pcall(last.progress, last, { done = 1 }))
    last = ctx
    return old
  end,
}
