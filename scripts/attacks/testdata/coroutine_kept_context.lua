-- A coroutine that keeps the ctx of another call.
-- want: result|error|timeout
-- again: same
local co
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    if not co then
      co = coroutine.create(function() while true do coroutine.yield(tostring(ctx.call_id)) end end)
    end
    local ok, id = coroutine.resume(co)
    return tostring(ok)
  end,
}
