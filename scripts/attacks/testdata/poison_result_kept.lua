-- A result that is changed by the next call.
-- want: result
local last, blocks
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local r = last or result{ text('first') }
    last = r
    local b = blocks or { text('x') }
    blocks = b
    b[#b + 1] = text('y')
    return b
  end,
}
