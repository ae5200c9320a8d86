-- A full stack, caught, for ever.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return 1 + f() end
    while true do pcall(f) end
  end,
}
