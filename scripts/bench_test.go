package scripts

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
)

const addFile = `
-- add.lua --
return tool{
  description = "Add two numbers together.",
  input = { a = param.number("First number"), b = param.number("Second number") },
  run = function(args) return args.a + args.b end,
}
-- kept.lua --
return tool{
  description = "Add two numbers together.", keep = true,
  input = { a = param.number("First number"), b = param.number("Second number") },
  run = function(args) return args.a + args.b end,
}
`

// BenchmarkCall times Tool.Call of a tool that adds two numbers: arguments to result, schema and gate not counted.
func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct {
		name, tool string
		noReuse    bool
	}{{"fresh", "tools/add", true}, {"reused", "tools/add", false}, {"keep", "tools/kept", false}} {
		b.Run(bb.name, func(b *testing.B) {
			l, _ := openArchive(b, addFile, Options{NoReuse: bb.noReuse})
			benchmarkCall(b, find(b, l.Snapshot(), bb.tool))
		})
	}
}

func benchmarkCall(b *testing.B, tool *Tool) {
	ctx, args := context.Background(), json.RawMessage(`{"a":1,"b":2}`)
	b.ReportAllocs()
	for b.Loop() {
		res, err := tool.Call(ctx, args)
		if err != nil || res.Content[0].Text != "3" {
			b.Fatal(res, err)
		}
	}
}

// BenchmarkState compares a state of ours with a bare one of the same options.
func BenchmarkState(b *testing.B) {
	l, _ := openArchive(b, addFile, Options{})
	tool := find(b, l.Snapshot(), "tools/add")
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		own := tool.file.states.env.NewState()
		options := own.L.Options // of its threads, which have smaller stacks
		options.RegistrySize = 256
		own.Close()
		for b.Loop() {
			L := lua.NewState(options)
			L.Close()
		}
	})
	b.Run("sandbox", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tool.file.states.env.NewState().Close()
		}
	})
	b.Run("with-file", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := tool.file.states.fresh(context.Background(), sandbox.Limits{Wall: loadWall})
			if err != nil {
				b.Fatal(err)
			}
			closeState(r.state)
		}
	})
}

// BenchmarkLoad times Open of a folder with n one-tool files, and a reload of it after one edit.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		var archive strings.Builder
		for i := range n {
			fmt.Fprintf(&archive, "-- s%d/t%d.lua --\n", i%10, i)
			archive.WriteString(strings.SplitAfter(addFile, " --\n")[1][:strings.Index(strings.SplitAfter(addFile, " --\n")[1], "-- kept")])
		}
		dir := filepath.Join(b.TempDir(), "tools")
		write(b, dir, archive.String())
		b.Run(fmt.Sprintf("open/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l, err := Open(dir, Options{})
				if err != nil {
					b.Fatal(err)
				}
				if len(l.Snapshot().Servers) == 0 {
					b.Fatal(l.Snapshot().Problems[0])
				}
				l.Close()
			}
		})
		b.Run(fmt.Sprintf("one-edit/%d", n), func(b *testing.B) {
			l, err := Open(dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				write(b, dir, "-- s0/t0.lua --\n"+saying(fmt.Sprint(i)))
				reload(b, l)
			}
		})
	}
}
