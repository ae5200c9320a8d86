-- Fields that ask for more than there is.
-- want: load error|result
return tool{ description = "Tries to harm its host.", max_result = 1e18, concurrency = 1e18, rate = "1000000000/s", run = function(args) return "ran" end }
