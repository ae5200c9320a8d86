-- Ever more arguments, ever deeper.
-- want: limit|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f(...) return 1 + f(1, ...) end
    return f(unpack({}, 1, 7000))
  end,
}
