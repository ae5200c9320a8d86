-- A coroutine that resumes itself.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local co
    co = coroutine.create(function() return coroutine.resume(co) end)
    local _, _, why = coroutine.resume(co)
    return tostring(why)
  end,
}
