package host

import "runtime/debug"

// Version is the version of luatools. Release builds set it by -ldflags -X; else it is that of the module, or "dev".
var Version = "dev"

func init() {
	if Version != "dev" {
		return
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == "github.com/luatools/luatools" &&
		info.Main.Version != "" && info.Main.Version != "(devel)" {
		Version = info.Main.Version
	}
}
