-- Numbers joined without end.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ''
    while true do s = s .. 1.5 .. 2.5 .. 3.5 end
  end,
}
