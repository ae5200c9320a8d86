-- Sort inside the comparator of sort.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() table.sort({ 3, 2, 1 }, f) end
    f()
  end,
}
