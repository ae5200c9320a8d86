-- Upvalues of frames that live on after a caught error.
-- want: result "5 5"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = 0
    local function get() return n end
    for i = 1, 5 do
      pcall(function() n = n + 1 error('x') end)
    end
    return n .. ' ' .. get()
  end,
}
