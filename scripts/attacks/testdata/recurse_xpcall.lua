-- Handlers that fail and are handled by themselves.
-- want: limit|error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return xpcall(error, f) end
    return tostring(f())
  end,
}
