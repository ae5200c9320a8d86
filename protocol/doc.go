// Package protocol is what every channel of luatools shares: lines of JSON
// ([LineReader], [LineWriter]), a strict walk over a JSON object ([Members]),
// JSON-RPC 2.0 messages whose ids keep their exact bytes ([Request], [Response]),
// and the table of running calls that a peer may cancel ([Running]).
//
// It knows nothing of tools or of the Claude CLI, and starts no goroutine.
package protocol
