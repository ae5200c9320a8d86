-- Arrays of a million nils, all kept: 16 MB an instruction.
-- want: timeout|limit
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local all = {}
    while true do
      local t = {}
      t[1048575] = 1
      all[#all + 1] = t
    end
  end,
}
