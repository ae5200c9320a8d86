package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/scripts"
)

// counter is a Notifier whose writes block until they are let go.
type counter struct {
	began chan struct{}
	let   chan struct{}
}

func (c *counter) Notify(string, protocol.Appender) error {
	c.began <- struct{}{}
	<-c.let
	return nil
}

// Ten reloads become one notice for a peer that is slow, and nobody waits for it.
func TestNoticesCoalesce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t, map[string]string{"greet.lua": greetLua})
		h := newHost(t, Options{Dir: dir})
		v := &plainView{h: h, from: &caller{}}
		n := &counter{began: make(chan struct{}, 100), let: make(chan struct{})}
		f := newFollower(nil)
		f.loop = func(ctx context.Context) { v.follow(ctx, f.slot, n) }
		h.followers.add(f)
		reload := func(source string) {
			t.Helper()
			began := time.Now()
			if err := os.WriteFile(filepath.Join(dir, "greet.lua"), []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := h.lib.Rescan(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			h.reloaded(r)
			synctest.Wait()
			if took := time.Since(began); took != 0 {
				t.Errorf("a reload waited %s for a peer", took)
			}
		}
		reload(strings.Replace(greetLua, "Greet", "Hail", 1))
		if len(n.began) != 0 {
			t.Error("a client that never listed was told")
		}
		v.ToolList()
		reload(strings.Replace(greetLua, "Hello", "Ahoy", 1)) // the text is another than that which was listed
		for i := range 10 {
			reload(strings.Replace(greetLua, "Greet", fmt.Sprint("Greet ", i), 1))
		}
		if len(n.began) != 1 {
			t.Errorf("%d notices were written while the first was not read", len(n.began))
		}
		close(n.let)
		synctest.Wait()
		if len(n.began) != 2 {
			t.Errorf("%d notices for eleven changes", len(n.began))
		}
		reload(strings.Replace(greetLua, "Greet", "Greet 9", 1) + "\n-- another behaviour, perhaps")
		if len(n.began) != 2 {
			t.Error("a reload that changed no list was told")
		}
		h.followers.drop(f)
		f.end()
	})
}

// An MCP client on stdio is told.
func TestServeLinesTellsOfChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t, map[string]string{"greet.lua": greetLua})
		h := newHost(t, Options{Dir: dir})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := h.Watch(ctx, scripts.WatchOptions{Poll: often}, nil); err != nil {
				t.Error(err)
			}
		})
		in, client := io.Pipe()
		out, server := io.Pipe()
		wg.Go(func() {
			if err := h.ServeLines(t.Context(), in, server); err != nil {
				t.Error(err)
			}
			server.Close()
		})
		lines := bufio.NewScanner(out)
		say := func(line string) {
			if _, err := io.WriteString(client, line+"\n"); err != nil {
				t.Error(err)
			}
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		lines.Scan()
		if err := os.WriteFile(filepath.Join(dir, "added.lua"), []byte(saysLua("x")), 0o644); err != nil {
			t.Fatal(err)
		}
		if lines.Scan(); lines.Text() != `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` {
			t.Errorf("got %s", lines.Text())
		}
		say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		if lines.Scan(); !strings.Contains(lines.Text(), `"name":"added"`) {
			t.Errorf("got %s", lines.Text())
		}
		client.Close()
		cancel()
		for lines.Scan() {
			t.Errorf("also got %s", lines.Text())
		}
		wg.Wait()
		if len(h.followers.m) != 0 {
			t.Error("the host still has followers")
		}
	})
}

func TestWatchNeedsAFolder(t *testing.T) {
	h := newHost(t, Options{Tools: []Tool{addTool()}})
	if err := h.Watch(t.Context(), scripts.WatchOptions{}, nil); !errors.Is(err, ErrNoFolder) {
		t.Errorf("got %v", err)
	}
}

func TestSetPolicyAndTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := raw("wait", func(ctx context.Context, _ json.RawMessage) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		h := newHost(t, Options{Dir: folder(t, map[string]string{"spin.lua": `return tool{ description = "Sleeps too long.", run = function(_, ctx) ctx:sleep("1h") return "" end }`}), Tools: []Tool{forever, addTool()}})
		c := client(h, &caller{})
		for _, limit := range []time.Duration{time.Second, 5 * time.Second, 2 * time.Minute} {
			h.SetTimeout(limit)
			for _, tool := range []string{"go_wait", "spin"} {
				began := time.Now()
				if res := callIt(t, c, tool, `{}`); !res.IsError || !strings.Contains(text(res), " "+strings.TrimSuffix(limit.String(), "0s")) || time.Since(began).Round(time.Millisecond) != limit {
					t.Errorf("%s after %s: %s", tool, time.Since(began), text(res))
				}
			}
		}
		if err := h.SetPolicy(Policy{[]Rule{{"go/add", Deny}}}); err != nil {
			t.Fatal(err)
		}
		if res := callIt(t, c, "go_add", `{"a":1,"b":2}`); !res.IsError || !strings.Contains(text(res), "--deny go/add") {
			t.Errorf("got %s", text(res))
		}
		if err := h.SetPolicy(Policy{[]Rule{{"*", Allow}}}); err == nil {
			t.Error("a rule that cannot be read was taken")
		}
		if res := callIt(t, c, "go_add", `{"a":1,"b":2}`); !res.IsError {
			t.Error("a policy that was refused took effect")
		}
		if err := h.SetPolicy(Policy{}); err != nil {
			t.Fatal(err)
		}
		if res := callIt(t, c, "go_add", `{"a":1,"b":2}`); res.IsError {
			t.Errorf("got %s", text(res))
		}
	})
}

// A CLI that does not know --system-prompt-snapshot is started again without it, and that is remembered.
func TestACLIWithoutTheSnapshotFlag(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	program, starts := filepath.Join(dir, "claude"), filepath.Join(dir, "starts")
	script := `#!/bin/sh
case "$*" in
*--system-prompt-snapshot*) echo refused >> ` + starts + `; echo "error: unknown option '--system-prompt-snapshot'" >&2; exit 1;;
esac
echo started >> ` + starts + `; exit 3
`
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, Options{Dir: folder(t, map[string]string{"greet.lua": greetLua})})
	o := SessionOptions{Follow: true}
	o.Command.Path = program
	for range 2 {
		if _, err := h.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "3") {
			t.Errorf("got %v", err)
		}
	}
	got, err := os.ReadFile(starts)
	if want := "refused\nstarted\nstarted\n"; err != nil || string(got) != want {
		t.Errorf("the CLI was started %q, %v; want %q", got, err, want)
	}
}

func TestOldToolsAreForgotten(t *testing.T) {
	h := newHost(t, Options{})
	r := h.registry()
	for i := range maxGone + 50 {
		next := &registry{byName: map[string]*tool{}, gone: nil}
		name := ToolName{"tools", fmt.Sprintf("t%d", i)}
		r.tools = append(slices.Clone(r.tools), &tool{name: name, people: name.String()})
		h.history[name] = &edition{}
		h.date(next, r)
		r = next
	}
	if len(r.gone) != maxGone || len(h.history) != maxGone {
		t.Errorf("%d are gone, %d remembered", len(r.gone), len(h.history))
	}
	if stones := r.tombs(listKey{server: "tools", since: 0}); len(stones) != maxTomb || stones[0].Name != fmt.Sprintf("t%d", maxGone+49) {
		t.Errorf("%d stones: %+v", len(stones), stones[0])
	}
	if stones := r.tombs(listKey{server: "tools", since: r.seq - 2}); len(stones) != 2 {
		t.Errorf("a younger session is shown %d stones", len(stones))
	}
}
