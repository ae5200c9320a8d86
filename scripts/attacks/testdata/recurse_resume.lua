-- Coroutines inside one another that swallow the error.
-- want: limit|error|result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() coroutine.resume(coroutine.create(f)) end
    f()
    return 'ended'
  end,
}
