-- Progress with strange numbers and newlines.
-- want: result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, n in ipairs{ 0 / 0, math.huge, -1, 1e308, '1', {}, json.null } do pcall(ctx.progress, ctx, { done = n, total = n, message = 'x\n{"jsonrpc":"2.0"}\0\255' }) end
    ctx:progress{ done = 1, message = '\n{"jsonrpc":"2.0","id":1,"result":{}}\n' }
    return 'ended'
  end,
}
