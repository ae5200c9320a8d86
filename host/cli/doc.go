// Package cli is the commands of luatools: it reads flags, opens a [host.Host], and prints.
//
// stdout carries the result of a command and nothing else; everything for people goes to stderr. Questions are asked only
// when stdin and stderr are terminals. One goroutine may be left reading the terminal when a command returns; nothing else is.
package cli
