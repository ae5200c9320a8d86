-- A schema that refers to a file.
-- want: load error
-- args: {"a":1}
return tool{ description = "Tries to harm its host.", input = param.json[[{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}]], run = function(args) return "ran" end }
