-- Small tables, all kept.
-- want: timeout|limit
-- open: nothing bounds the live heap yet
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local all
    while true do all = { all, {}, {}, {}, {}, {}, {}, {} } end
  end,
}
