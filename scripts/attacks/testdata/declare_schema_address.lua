-- A schema that refers to an address.
-- want: load error
-- args: {"a":1}
return tool{ description = "Tries to harm its host.", input = param.json[[{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}]], run = function(args) return "ran" end }
