// Command luatools hosts tools written in Lua for language-model agents.
package main

import (
	"os"

	"github.com/luatools/luatools/host/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
