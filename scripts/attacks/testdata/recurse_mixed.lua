-- A Go stack as deep as can be had: sort, gsub, metamethods, pcall and coroutines inside one another.
-- want: limit|error|timeout|result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f(n)
      pcall(function()
        table.sort({ 2, 1 }, function()
          ("x"):gsub("x", function()
            local t = setmetatable({}, { __index = function() return coroutine.wrap(f)(n + 1) end })
            local _ = t.x
            return f(n + 1)
          end)
          return f(n + 1)
        end)
      end)
      pcall(f, n + 1)
    end
    f(0)
    return "ended"
  end,
}
