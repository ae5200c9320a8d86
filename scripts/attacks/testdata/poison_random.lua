-- The seed of chance.
-- want: result
-- look: result "ended"
return {
  tool{
    name = "poison_random",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      math.randomseed(42)
      local a = math.random(1e9)
      math.randomseed(42)
      return tostring(a == math.random(1e9))
    end,
  },
  tool{
    name = "look_poison_random",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      math.random()
      return 'ended'
    end,
  },
}
