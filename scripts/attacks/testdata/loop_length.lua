-- The length of an array of a million nils, again and again.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t[1048575] = 1
    t[1048575] = nil
    while true do local n = #t end
  end,
}
