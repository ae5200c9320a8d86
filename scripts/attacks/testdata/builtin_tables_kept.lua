-- Small tables, all kept.
-- want: timeout|limit
-- open: the watch of the heap ends it at some 520 MiB
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local all
    while true do all = { all, {}, {}, {}, {}, {}, {}, {} } end
  end,
}
