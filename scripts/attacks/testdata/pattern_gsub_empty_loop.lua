-- The same for ever: no step of the matcher is counted.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('a'):rep(16e6)
    while true do s:gsub('', '') end
  end,
}
