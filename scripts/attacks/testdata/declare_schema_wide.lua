-- A schema whose branches multiply.
-- want: load error|result|error|timeout
-- args: {"a":1}
local s = '{"type":"string"}'
for i = 1, 16 do s = '{"anyOf":[' .. s .. ',' .. s .. ']}' end
return tool{ description = "Tries to harm its host.", input = param.json('{"type":"object","properties":{"a":' .. s .. '}}'), run = function(args) return "ran" end }
