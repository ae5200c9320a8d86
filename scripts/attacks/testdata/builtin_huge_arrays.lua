-- Arrays of a million nils, none kept.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do
      local t = {}
      t[1048575] = 1
    end
  end,
}
