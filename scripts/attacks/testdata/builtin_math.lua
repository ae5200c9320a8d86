-- Every function of math with every strange number.
-- want: result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local odd = { 0, -0, 1e308, -1e308, 1e-308, math.huge, -math.huge, 0 / 0, 2 ^ 53, 2 ^ 63, -2 ^ 63, "0x10", " 7 " }
    for _, f in pairs(math) do
      if type(f) == "function" then
        for _, a in ipairs(odd) do
          for _, b in ipairs(odd) do pcall(f, a, b) end
        end
      end
    end
    return "ended"
  end,
}
