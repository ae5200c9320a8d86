-- Errors of functions whose text could hold a long argument, all kept.
-- want: timeout|limit|result
-- wall: 3s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s, kept = ("x"):rep(8e6), {}
    for i = 1, 100 do
      for _, f in ipairs{ string.format, string.rep, os.date, os.time, tonumber, setmetatable, table.insert, json.integer, json.decode, text.split, select, link, resource, image, param.string, result } do
        local ok, err = pcall(f, s, s, s)
        if not ok then kept[#kept + 1] = err end
      end
    end
    return "ended"
  end,
}
