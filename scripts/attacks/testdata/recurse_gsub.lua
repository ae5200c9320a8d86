-- gsub inside the replacement of gsub.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return (('x'):gsub('x', f)) end
    return f()
  end,
}
