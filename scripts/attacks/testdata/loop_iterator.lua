-- An iterator that never answers nil.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for x in function() return 1 end do end
  end,
}
