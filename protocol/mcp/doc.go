// Package mcp is the server side of the Model Context Protocol for servers that offer tools: the methods
// ([Server.Handle]), the types of tools and results, which write themselves in one pass, and the stdio transport
// ([Server.ServeLines]).
//
// What is offered comes from a [Catalog]. Its one rule: an error out of CallTool is a protocol error, a tool's own
// failure is a result with IsError, which the model reads.
//
// The codes of protocol errors:
//
//	-32700  the line is no JSON
//	-32600  it is JSON, and no request: a batch, no "2.0", an id that is none
//	-32601  the method is not offered, such as resources/list
//	-32602  the tool is not known, or name, arguments or cursor cannot be used
//	-32603  the host has a fault: a panic, or a result that cannot be encoded
//	-32800  the call was cancelled (control channel only: on stdio it is not answered)
//
// A Server keeps nothing between requests, since some clients shake hands twice on one connection. A transport owns
// what belongs to a connection: the calls that run and may be cancelled, and the [Notifier]. ServeLines starts one
// goroutine to read and one for each request; Handle starts none.
//
// The revisions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 are spoken.
package mcp
