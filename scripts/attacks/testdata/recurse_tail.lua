-- Tail calls without end: tracebacks of the original grow to gigabytes.
-- want: limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return f() end
    return f()
  end,
}
