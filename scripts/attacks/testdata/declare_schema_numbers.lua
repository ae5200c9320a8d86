-- A schema with numbers that take exact arithmetic for ever.
-- want: load error|result|error
-- args: {"a":1.5}
return tool{ description = "Tries to harm its host.", input = param.json[[{"type":"object","properties":{"a":{"type":"number","multipleOf":1e-99999999,"maximum":1e99999999}}}]], run = function(args) return "ran" end }
