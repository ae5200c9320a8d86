-- A schema that refers to itself.
-- want: load error|result|error
-- args: {"a":1}
return tool{ description = "Tries to harm its host.", input = param.json[[{"type":"object","$ref":"#","properties":{"a":{"$ref":"#/properties/a"}}}]], run = function(args) return "ran" end }
