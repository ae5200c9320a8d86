-- A schema ten thousand levels deep.
-- want: load error|result|error
local s = ("{\"type\":\"object\",\"properties\":{\"a\":"):rep(10000) .. "true" .. ("}}"):rep(10000)
return tool{ description = "Tries to harm its host.", input = param.json(s), run = function(args) return "ran" end }
