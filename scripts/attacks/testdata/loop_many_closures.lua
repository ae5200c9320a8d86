-- Closures without end, none kept.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do local f = function() return args end end
  end,
}
