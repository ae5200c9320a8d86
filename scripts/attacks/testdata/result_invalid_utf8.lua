-- Bytes that are no UTF-8.
-- want: result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return '\255\254\192\128\237\160\128\0x'
  end,
}
