-- An error with the longest text while the file is loaded.
-- want: load error
error(("x"):rep(16e6))
