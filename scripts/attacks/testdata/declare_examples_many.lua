-- A hundred thousand examples.
-- want: load error|result|error
local t = {}
for i = 1, 1e5 do t[i] = { input = { a = 1 } } end
return tool{ description = "Tries to harm its host.", examples = t, run = function(args) return "ran" end }
