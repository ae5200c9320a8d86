package scripts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// version is a file and a module that say a number. The file and the module may be of two versions, for they are saved one after the
// other; but within one call the module is always the same, and the file that which has the tool's name.
func version(n int) string {
	return fmt.Sprintf(`
-- lib/v.lua --
return { n = "%[1]d" }
-- s/both.lua --
local top = "%[1]d"
local lib = require "lib.v"
local function version() return top .. " " .. lib.n .. " " .. require("lib.v").n end
return {
  tool{ name = "x", description = "Says its version three times.", run = function() return version() end },
  tool{ name = "y", description = "Says its version, and is kept.", keep = true, run = function() return version() end },
  tool{ name = "v%[1]d", description = "Is there in one version only.", run = function() return version() end },
}
`, n)
}

// The watcher reloads 500 times while 32 callers call whatever there is. Every call is answered, by one version alone; what was in
// the snapshot stays callable; nothing is left at the end.
func TestManyReloadsUnderManyCallers(t *testing.T) {
	const callers, reloads = 32, 500
	states, goroutines, files := live.Load(), runtime.NumGoroutine(), openFiles()
	dir := filepath.Join(t.TempDir(), "tools")
	write(t, dir, version(0))
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	reports := make(chan *Reload, 1)
	watched := make(chan error, 1)
	go func() {
		watched <- l.Watch(ctx, WatchOptions{Quiet: time.Millisecond}, func(r *Reload) {
			select {
			case reports <- r:
			case <-ctx.Done():
			}
		})
	}()

	var calls atomic.Int64
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for ctx.Err() == nil {
				for _, server := range l.Snapshot().Servers {
					tool := server.Tools[i%len(server.Tools)]
					res, err := tool.Call(context.Background(), nil)
					if err != nil || res.IsError {
						t.Errorf("%s: %v", tool.Name, err)
						return
					}
					if words := strings.Fields(text(res)); len(words) != 3 || words[1] != words[2] || tool.Name[0] == 'v' && tool.Name[1:] != words[0] {
						t.Errorf("%s answers %q", tool.Name, words)
						return
					}
					calls.Add(1)
				}
				runtime.Gosched()
			}
		})
	}
	for i := 1; i <= reloads; i++ {
		write(t, dir+".next", version(i))
		rename(t, dir, "lib/v.lua")
		rename(t, dir, "s/both.lua")
		want := fmt.Sprintf("s/v%d", i)
		for whole := false; !whole && !t.Failed(); {
			var r *Reload
			select {
			case r = <-reports:
			case <-time.After(30 * time.Second):
				t.Fatalf("reload %d does not come", i)
			}
			for _, p := range r.After.Problems {
				t.Errorf("reload %d: %v", i, p)
			}
			for _, name := range names(r.After) {
				whole = whole || name == want
			}
		}
	}
	cancel()
	wg.Wait()
	if err := <-watched; err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d calls", calls.Load())
	if n := live.Load(); n != states {
		t.Errorf("%d states before, %d after", states, n)
	}
	if n := openFiles(); n != files {
		t.Errorf("%d files open before, %d after", files, n)
	}
	for range 100_000 { // goroutines that have returned may be counted for a moment
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines before, %d after", goroutines, runtime.NumGoroutine())
}

func rename(t testing.TB, dir, name string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir+".next", name), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// openFiles counts the files that the process has open, 0 where that cannot be told.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}
