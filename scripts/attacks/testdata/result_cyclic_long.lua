-- A cycle of a hundred thousand tables.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local first = {}
    local t = first
    for i = 1, 1e5 do
      t.t = {}
      t = t.t
    end
    t.t = first
    return first
  end,
}
