-- An enum of a hundred thousand words.
-- want: load error|result|error
-- args: {"a":"w5"}
local t = {}
for i = 1, 1e5 do t[i] = "w" .. i end
return tool{ description = "Tries to harm its host.", input = { a = param.enum("x", t) }, run = function(args) return "ran" end }
