-- A comparator that clears and grows the list.
-- want: result|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1000 do t[i] = i end
    table.sort(t, function(a, b)
      for i = 1, 1000 do t[i] = nil end
      t[2000] = 1
      return a < b
    end)
    return 'ended'
  end,
}
