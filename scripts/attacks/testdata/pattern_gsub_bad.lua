-- Replacements that are wrong.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, r in ipairs{ '%', '%9', '%1%2%3', '%x', '\0', '%\0' } do
      pcall(string.gsub, 'abc', '(a)', r)
      pcall(string.gsub, 'abc', '()', r)
    end
    for _, r in ipairs{ true, 1.5, {}, string, function() return {} end, function() return true end, setmetatable({}, { __index = function() return {} end }) } do pcall(string.gsub, 'abc', 'a', r) end
    return 'ended'
  end,
}
