-- A match as long as can be.
-- want: load error|result|error
-- args: {"a":"aa"}
return tool{ description = "Tries to harm its host.", input = { a = param.string("A text.", { match = ("(a|b)*"):rep(1e5) }) }, run = function(args) return "ran" end }
