-- Errors of every type of value.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, v in ipairs{ true, 1, 'x', {}, error, string, ctx, coroutine.create(error), json.null, 0 / 0 } do
      pcall(error, v)
      coroutine.resume(coroutine.create(function() error(v) end))
      xpcall(function() error(v) end, function(e) error(e) end)
    end
    error(string)
  end,
}
