package sandbox

import (
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"
)

var mathModule = &Module{
	Name: "math",
	Funcs: map[string]lua.LGFunction{
		"abs": unary(math.Abs), "acos": unary(math.Acos), "asin": unary(math.Asin), "atan": unary(math.Atan), "ceil": unary(math.Ceil),
		"cos": unary(math.Cos), "cosh": unary(math.Cosh), "exp": unary(math.Exp), "floor": unary(math.Floor), "log10": unary(math.Log10),
		"sin": unary(math.Sin), "sinh": unary(math.Sinh), "sqrt": unary(math.Sqrt), "tan": unary(math.Tan), "tanh": unary(math.Tanh),
		"deg": unary(func(v float64) float64 { return v * (180 / math.Pi) }), "rad": unary(func(v float64) float64 { return v * (math.Pi / 180) }),
		"log": unary(math.Log), "atan2": binary(math.Atan2), "fmod": binary(math.Mod), "mod": binary(math.Mod), "pow": binary(math.Pow),
		"frexp": mathFrexp, "ldexp": mathLdexp, "max": mathMax, "min": mathMin, "modf": mathModf,
		"random": mathRandom, "randomseed": mathRandomSeed,
	},
	Values: map[string]lua.LValue{"pi": lua.LNumber(math.Pi), "huge": lua.LNumber(math.Inf(1))},
}

func unary(f func(float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		L.Push(lua.LNumber(f(checkNumber(L, 1))))
		return 1
	}
}

func binary(f func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		L.Push(lua.LNumber(f(checkNumber(L, 1), checkNumber(L, 2))))
		return 1
	}
}

func mathFrexp(L *lua.LState) int {
	m, e := math.Frexp(checkNumber(L, 1))
	L.Push(lua.LNumber(m))
	L.Push(lua.LNumber(e))
	return 2
}

func mathLdexp(L *lua.LState) int {
	v, e := checkNumber(L, 1), checkInt(L, 2)
	L.Push(lua.LNumber(math.Ldexp(v, max(-5000, min(5000, e)))))
	return 1
}

func mathModf(L *lua.LState) int {
	v := checkNumber(L, 1)
	whole, fraction := math.Trunc(v), 0.0
	if !math.IsInf(v, 0) {
		fraction = v - whole
	}
	L.Push(lua.LNumber(whole))
	L.Push(lua.LNumber(fraction))
	return 2
}

func mathMax(L *lua.LState) int {
	best := checkNumber(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if v := checkNumber(L, i); v > best {
			best = v
		}
	}
	L.Push(lua.LNumber(best))
	return 1
}

func mathMin(L *lua.LState) int {
	best := checkNumber(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if v := checkNumber(L, i); v < best {
			best = v
		}
	}
	L.Push(lua.LNumber(best))
	return 1
}

// mathRandom draws from a generator of the call. The original draws from one of the process, panics on an empty range, and its randomseed
// tells every other tool what comes next.
func mathRandom(L *lua.LState) int {
	RequireRunning(L, "math.random")
	r := CallOf(L).chance()
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(r.Float64()))
		return 1
	case 1:
		L.Push(lua.LNumber(draw(L, r, 1, 1, checkNumber(L, 1))))
	case 2:
		L.Push(lua.LNumber(draw(L, r, 2, checkNumber(L, 1), checkNumber(L, 2))))
	default:
		L.RaiseError("wrong number of arguments")
	}
	return 1
}

func draw(L *lua.LState, r *rand.Rand, arg int, low, high float64) float64 {
	low, high = math.Floor(low), math.Floor(high)
	if !(low <= high) || !finite(high-low) {
		argError(L, arg, "interval is empty")
	}
	if high-low < 1<<53 {
		return low + float64(r.Int64N(int64(high-low)+1))
	}
	return math.Floor(low + r.Float64()*(high-low))
}

func mathRandomSeed(L *lua.LState) int {
	RequireRunning(L, "math.randomseed")
	seed := math.Float64bits(checkNumber(L, 1))
	CallOf(L).random = rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	return 0
}

func (c *Call) chance() *rand.Rand {
	if c.random == nil {
		c.random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return c.random
}
