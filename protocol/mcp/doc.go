// Package mcp is the server side of the Model Context Protocol for servers that offer tools: the methods
// ([Server.Handle]), the types of tools and results, which write themselves in one pass, and the stdio transport
// ([Server.ServeLines]).
//
// What is offered comes from a [Catalog]. Its one rule: an error out of CallTool is a protocol error, a tool's own
// failure is a result with IsError, which the model reads.
//
// A Server keeps nothing between requests, since some clients shake hands twice on one connection. A transport owns
// what belongs to a connection: the calls that run and may be cancelled, and the [Notifier]. ServeLines starts one
// goroutine to read and one for each request; Handle starts none.
//
// The revisions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 are spoken.
package mcp
