-- A plain search for a long needle.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s, n = ('a'):rep(16e6), ('a'):rep(8e6) .. 'b'
    while true do s:find(n, 1, true) end
  end,
}
