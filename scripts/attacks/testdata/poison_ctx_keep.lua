-- The ctx of an earlier call, kept: it must refuse to work.
-- want: result "nil"
-- again: result "false"
local last
return tool{
  description = "Tries to harm its host.",
  keep = true,
  run = function(args, ctx)
    local old = tostring(last and pcall(last.progress, last, { done = 1 }))
    last = ctx
    return old
  end,
}
