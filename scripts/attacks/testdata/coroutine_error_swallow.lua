-- Errors thrown through sixteen coroutines.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f(n)
      if n == 0 then error({}) end
      local co = coroutine.create(f)
      local ok, e = coroutine.resume(co, n - 1)
      error(e, 0)
    end
    f(14)
  end,
}
