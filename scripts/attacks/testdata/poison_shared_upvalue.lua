-- An upvalue that two closures share.
-- want: result "0"
local get, set
do
  local n = 0
  get = function() return n end
  set = function(v) n = v end
end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = get()
    set(old + 1)
    return old
  end,
}
