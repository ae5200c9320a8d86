-- A goto into the scope of a local.
-- want: load error|error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    do
      goto inside
      local x = 1
      ::inside::
      return x
    end
  end,
}
