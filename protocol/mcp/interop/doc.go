// Package interop lets the client of the official MCP SDK for Go judge the server of luatools. It has a go.mod of its
// own, so that nobody else depends on the SDK; its tests are run with "go test ./..." in this folder.
package interop
