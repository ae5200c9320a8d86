// Package luajson converts between JSON text and Lua values, with no Go maps in between.
//
// [Decode] makes tables of their final size whose strings share one copy of the text; [Append] writes a table in the order
// its keys were set. What Lua has no value for survives a round trip all the same: null is [Null], a list stays a list and
// an object an object when they are empty because the tables carry a mark ([MarkArray], [MarkObject]), and an integer beyond
// 2^53 is a value of its own with all its digits ([Integer]).
//
// Null, the integers and the marks are shared by all Lua states at once. Scripts cannot change them: they are userdata and
// metatables that __metatable hides. The package starts no goroutine and keeps nothing of a conversion, the table of the
// integers in use aside, which forgets those that nobody holds.
//
// Measured on one busy core (BenchmarkDecode, BenchmarkAppend): an object of 200 bytes takes 2.2 µs and 45 allocations to decode and
// 0.7 µs and none to encode; a list of records of 64 KB, 0.8 ms and 16,000, and 0.25 ms and none.
package luajson
