-- next over an array of a million nils.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t[1048575] = 1
    t[1048575] = nil
    while true do next(t) end
  end,
}
