-- Sleep, one call at a time: a nap that was not really cancelled would make the next one wait.
return tool{
  description = "Sleeps, then says so",
  input = { length = "string" },
  keep = true,

  run = function(args, ctx)
    ctx:progress{ done = 1, message = "asleep" }
    ctx:sleep(args.length)
    return "awake"
  end,
}
