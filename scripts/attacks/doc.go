// Package attacks holds what a hostile tool may try, and the tests that run it. It exports nothing.
//
// testdata has one attack a file; each is a tool file that opens with what it tries and with what may come of it:
//
//	-- An endless loop.
//	-- want: timeout
//
// The outcomes are separated by |: "result" and "error" (with a text behind them the text must be equal), "limit", "timeout" (accepted
// wherever a limit is: the machine may be slow), and "load error". Further lines, all optional:
//
//	-- args: {"n":1}       the arguments; {} when absent
//	-- again: result "2"   what the second call must do; "same" (the default) is what the first did, "any" is not looked at
//	-- look: result "X"    what the file's second tool, look_<name>, must answer after the attack
//	-- wall: 5s            how long a call may run, where the usual quarter of a second is too short to do harm
//	-- open: why           an attack that still gets through: it runs only when LUATOOLS_ATTACKS names it
//
// What would be too long for a file is made by generated. A crash of the process, an answer after the limit, memory above the bound, a
// trace in the next call, and a line on stdout that is not of the protocol are never acceptable.
//
// Each attack runs alone, in a process of its own beside a victim (TestAlone), and as a call to one luatools serve, one after another and
// eight at once (TestServed). By default a part of the attacks runs; LUATOOLS_ATTACKS=all runs all, and the name of an attack, or the
// first letters of some, runs these.
package attacks
