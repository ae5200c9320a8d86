-- A function at the top of the file, replaced.
-- want: result "1"
local function f() return 1 end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = f()
    f = function() return 2 end
    return old
  end,
}
