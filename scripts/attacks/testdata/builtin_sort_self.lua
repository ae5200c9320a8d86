-- A comparator that sorts the same list.
-- want: limit|error|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = { 3, 1, 2 }
    local function less(a, b)
      table.sort(t, less)
      return a < b
    end
    table.sort(t, less)
    return 'ended'
  end,
}
