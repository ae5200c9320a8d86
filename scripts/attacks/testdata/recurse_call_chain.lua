-- A chain of __call that are tables with __call.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1000 do t = setmetatable({}, { __call = t }) end
    return t()
  end,
}
