-- Libraries where a table is wanted.
-- want: result "ended"
-- look: result "X"
return {
  tool{
    name = "escape_gsub_library",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      for _, lib in pairs(_G) do
        for _, f in ipairs{ table.concat, table.sort, table.insert, table.remove, table.maxn, unpack, next, rawget, rawset, setmetatable, getmetatable, json.encode, array, json.object, result, link, resource } do
          pcall(f, lib)
          pcall(f, lib, 1)
          pcall(f, lib, 'x', 1)
        end
        pcall(string.gsub, 'upper', '.+', lib)
      end
      return 'ended'
    end,
  },
  tool{
    name = "look_escape_gsub_library",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return ('x'):upper()
    end,
  },
}
