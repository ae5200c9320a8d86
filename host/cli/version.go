package cli

import (
	"fmt"
	"runtime"

	"github.com/luatools/luatools/host"
)

var versionCommand = &command{
	name:  "version",
	short: "print the versions of luatools, Lua and Go",
	long:  "Prints the version of luatools, of the Lua it runs, and of the Go it was built with.",
	run:   (*app).version,
}

func (a *app) version(args []string) int {
	if len(args) > 0 {
		return a.misuse("version takes no arguments")
	}
	fmt.Fprintf(a.out, "luatools %s (Lua 5.1, %s %s/%s)\n", host.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitOK
}
