-- Arrays of a million nils, none kept.
-- want: timeout|limit
-- open: one instruction may take tens of milliseconds, and 64 run between two looks at the clock
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do
      local t = {}
      t[1048575] = 1
    end
  end,
}
