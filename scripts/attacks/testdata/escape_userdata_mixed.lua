-- Methods of one userdata on another.
-- want: error|result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local all = { ctx, text('x'), link{ uri = 'file:///x' }, result{}, json.null, string, _G }
    for _, a in ipairs(all) do
      for _, b in ipairs(all) do
        pcall(function() return a + b end)
        pcall(function() return a .. b end)
        pcall(function() return a < b end)
        pcall(function() return a == b end)
        pcall(function() return a(b) end)
        pcall(function() return a[b] end)
        pcall(function() a[b] = b end)
        pcall(function() return #a end)
        pcall(ctx.progress, a, b)
        pcall(ctx.cancelled, a)
      end
    end
    return 'ended'
  end,
}
