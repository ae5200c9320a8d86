-- A match that is hard to compile.
-- want: load error|result|error
-- args: {"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}
return tool{ description = "Tries to harm its host.", input = { a = param.string("A text.", { match = "((((((a{0,100}){0,100}){0,10})*)*)*)*$" }) }, run = function(args) return "ran" end }
