-- The slowest arithmetic there is.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local x = 1
    while true do x = (1e308 % 1e-300) ^ 0.3 % 1e-308 end
  end,
}
