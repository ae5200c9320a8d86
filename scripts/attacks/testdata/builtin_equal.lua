-- Equality of the longest strings.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local a = ('x'):rep(8e6)
    local b = a .. 'b'
    a = a .. 'a'
    local c
    while true do
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
      c = a == b
    end
  end,
}
