-- A string that doubles with ..
-- want: limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = 'x'
    while true do s = s .. s end
  end,
}
