// Package sandbox makes Lua states that cannot hurt the host: chosen library functions, shared read-only between all states,
// limits that a call cannot swallow, and errors that say whose fault they are.
package sandbox
