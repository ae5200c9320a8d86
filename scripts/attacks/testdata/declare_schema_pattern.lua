-- A schema with a pattern that backtracks elsewhere.
-- want: load error|result|error
-- args: {"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}
return tool{ description = "Tries to harm its host.", input = param.json[[{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}]], run = function(args) return "ran" end }
