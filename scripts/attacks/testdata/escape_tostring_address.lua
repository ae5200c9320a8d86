-- Addresses of the host's memory in texts of functions.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (tostring(print):gsub('0x%x+', ''):gsub('%x%x%x%x%x%x+', ''))
  end,
}
