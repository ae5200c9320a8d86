// Package sandbox makes Lua states that cannot hurt the host: chosen library functions, shared read-only between all states,
// limits that a call cannot swallow, and errors that say whose fault they are.
//
// A source goes through [Parse] and [Compile] into a prototype that any number of states may run. An [Env] holds the libraries of the
// states of one file; a [State] is one Lua machine on it, with one user at a time:
//
//	s := env.NewState()
//	s.Begin(ctx, sandbox.Loading, sandbox.Limits{}, nil)
//	values, err := s.Run(proto) // an error is a *Fault
//	s.End()
//	s.Record(values...)
//	…
//	s.Begin(ctx, sandbox.Calling, sandbox.Limits{Wall: 10 * time.Second}, data)
//	results, err := s.Call(fn, args)
//	s.End()
//	reuse, why := s.Unchanged()
//
// The package starts no goroutine. gopher-lua is used as it comes; everything below goes round it from outside.
//
// # What is promised
//
//   - A call ends soon after it is over its time, its steps or its bytes, or its parent is cancelled; no pcall, xpcall or coroutine hides that
//     from the host, and no Lua code of the call runs afterwards. "Soon" is some milliseconds: the clock is looked at every few
//     instructions, and one instruction may fill an array of a million slots or compare two strings of the largest size.
//   - No source, value or error object makes the process panic, overflow the Go stack or deadlock.
//   - Lua code reaches the functions of its environment and nothing else: no file, process, network, environment variable, Go value,
//     loader, or other state.
//   - Nothing that a call does changes a library or another state. What it changes in its own state is seen by [State.Unchanged].
//
// # What is not
//
//   - Memory is one heap. Library functions charge the strings and copies that they make, but tables and closures grow inside the VM; their
//     growth is bounded by steps, time and the live heap of the process (Limits.Heap), above which the call that seems to have made the
//     most ends. That is an estimate: another call may be met first. The process holds about twice the limit at worst, and what a Go
//     program holds beside its tools counts too.
//   - [Call.Cancel] and a cancelled parent stop Lua code, not a Go function that ignores [Call.Context].
//   - Functions given in a [Module] are trusted: they must not keep Lua values, must bound and charge what they make, and must not hand a
//     table of a library to a script.
//   - Addresses are no secret: tostring of a table shows one, as Lua's does.
//
// An escape, or a source that takes the process down, is a security fault: report it as the README of the project says.
//
// # What is not plain Lua 5.1
//
//   - Not there: load, loadstring, loadfile, dofile, getfenv, setfenv, module, package, collectgarbage, gcinfo, newproxy, io, debug, string.dump,
//     string.gfind, table.foreach, and of os all but time, date, clock and difftime. goto is there.
//   - Globals cannot be assigned, and reading an unknown global, library field or string method is an error that names the nearest one.
//     Libraries are read-only; type says "table" of them. _G shows the globals and is read-only too.
//   - Tail calls take a frame like other calls; 200 calls may lie inside one another, in each coroutine and pcall.
//   - pcall and xpcall may be nested 100 deep. The handler of xpcall runs after the stack was unwound. Yielding across pcall, a metamethod, an
//     iterator or a library function that calls back is an error (in Lua 5.1 too).
//   - Coroutines: 16 inside one another, 2,000 unfinished ones. coroutine.wrap and create take library functions; isyieldable is there.
//   - math.random and randomseed belong to the call, which is seeded by chance. They and the clock work only inside run.
//   - Integers are written with all digits below 2^63 (Lua: 14 digits). math.mod and % by infinity give the number itself.
//   - %s of string.format takes any value, %d no infinity or NaN. rep takes a separator. A zero byte in a pattern stands for itself.
//   - table.insert at a position below 1 is an error; sort does not complain about an order that contradicts itself. A list ends at
//     1,048,575 items; beyond, items are mere keys. Empty slots in table constructors count as gopher-lua counts them.
//   - Arithmetic on strings follows gopher-lua: it reads "0x10", but "1_000", "0b1" and "010" in Go's way too. tonumber does not.
//   - At most 150 operands of "..", 200 of arithmetic and 25,550 items in one expression; see the constants beside [Parse] for more.
//
// # What each replacement is for
//
// The reason stands beside each function; in short:
//
//   - pcall: an error in the original closes the upvalues of every frame of the thread, so locals of callers that live on part from their
//     closures, and retry loops never end. Ours runs on a spare thread. The original also formats a traceback for every error.
//   - xpcall: leaves open upvalues that point at registers in use by others.
//   - error, assert: lose the difference between a message for the model and a fault of the tool.
//   - coroutine.*: two that resume each other kill the process; those made while loading never see a deadline; NewThread starts a goroutine
//     that calls Done; Resume replaces the error handler and turns Go panics into texts; a thread that gets fewer values than it waits for
//     reads a nil interface.
//   - setmetatable: replaces the metatable of all strings and functions. getmetatable("") shows the string library.
//   - next, pairs: walk unseen over removed keys and nils without limit.
//   - select, unpack, string.byte, string.char: push as much as they are asked for.
//   - tostring, tonumber, and the reading of numbers in sources: octal, NaN for what is malformed, 63 bits.
//   - "..": unbounded, uncharged; compiled into a call of one bounded join.
//   - find, match, gmatch, gsub: recurse on the Go stack for each character, ignore the deadline, find all matches before the first is used,
//     and copy the string for each replacement; wrong for %f, empty patterns and positions.
//   - string.rep, upper, lower, reverse, table.concat: unbounded, uncharged; upper and lower change the length of other scripts.
//   - string.format: hands Go's fmt to scripts.
//   - table.insert, remove, sort, maxn: fill up to any position, remove the wrong item, sort under the feet of the comparator.
//   - math.random, randomseed: one generator for the process; panics.
//   - os.date, os.time: wrong conversions; the rest of os reaches the world.
//   - require: reads files.
//   - The compiler: see [Compile] and the comments in rewrite.go for its limits and what it miscompiles.
package sandbox
