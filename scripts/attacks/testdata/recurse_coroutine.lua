-- Coroutines inside one another.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return coroutine.wrap(f)() end
    return f()
  end,
}
