package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// tableMakers grow without a byte that is charged, each by other means.
var tableMakers = map[string]string{
	"a list of tables":          `local t = {} while true do t[#t + 1] = {} end`,
	"a chain of tables":         `local t while true do t = { t } end`,
	"a list of closures":        `local t = {} while true do t[#t + 1] = function() return t end end`,
	"lists of numbers":          `local t = {} while true do local u = {} for i = 1, 1e5 do u[i] = i end t[#t + 1] = u end`,
	"a list of tables in pcall": `while true do pcall(function() local t = {} while true do t[#t + 1] = {} end end) end`,
	"in a coroutine":            `local co = coroutine.wrap(function() local t = {} while true do t[#t + 1] = {} end end) co()`,
}

const heapMessage = "the process held more than 64 MiB of live data, most of it new from this call (--limit heap=…, or limits.heap in luatools.lua)"

// TestACallThatFillsTheHeapEnds runs each in a process of its own, where two neighbours must not notice: one that computes all the time in
// one call, and one that is called again and again.
func TestACallThatFillsTheHeapEnds(t *testing.T) {
	if src := os.Getenv("LUATOOLS_TEST_HEAP"); src != "" {
		fillHeap(t, src)
		return
	}
	for name, src := range tableMakers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestACallThatFillsTheHeapEnds$")
			cmd.Env = append(os.Environ(), "LUATOOLS_TEST_HEAP="+src)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Log(strings.SplitN(string(out), "\n", 2)[0])
		})
	}
}

func fillHeap(t *testing.T, src string) {
	limits := Limits{Heap: 64 << 20, Wall: time.Minute}
	ctx, stop := context.WithCancel(t.Context())
	var neighbours sync.WaitGroup
	neighbours.Go(func() {
		_, f := runWithin(t, ctx, `local x = 0 while true do x = x + 1 end`, limits)
		if f == nil || f.Kind != Cancelled {
			t.Errorf("the neighbour that computes ended by %+v", f)
		}
	})
	neighbours.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			value, f := runWithin(t, context.Background(), `local t = {} for i = 1, 100 do t[i] = {} end return #t`, limits)
			if f != nil || value != "100" {
				t.Errorf("call %d of the neighbour: %v, %+v", n, value, f)
				return
			}
		}
	})
	began := time.Now()
	_, f := runWithin(t, context.Background(), src, limits)
	took := time.Since(began)
	stop()
	neighbours.Wait()
	if f == nil || f.Kind != Limit || f.Message != heapMessage {
		t.Errorf("fault %+v", f)
	}
	peak := peakMemory(t)
	fmt.Printf("ended after %v, peak of the process %d MiB\n", took.Round(time.Millisecond), peak>>20)
	if peak > 256<<20 && !underRace() {
		t.Errorf("the process took %d MiB", peak>>20)
	}
}

// runWithin runs a source in a state of its own.
func runWithin(t *testing.T, ctx context.Context, src string, l Limits) (string, *Fault) {
	s := testEnv.NewState()
	defer s.Close()
	s.Begin(ctx, Calling, l, nil)
	defer s.End()
	return runState(t, s, src)
}

// underRace reports whether the race detector is in, which takes memory of its own.
func underRace() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// peakMemory is the most that this process ever had in memory.
func peakMemory(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("only Linux tells the peak")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// TestGarbageIsNoReasonToEndACall makes many times the limit in tables that nothing holds, with a collector that is told to be lazy.
func TestGarbageIsNoReasonToEndACall(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	_, f := runWithin(t, t.Context(), `local t for i = 1, 3e6 do t = { i, i, i, i } end return t[1]`, Limits{Heap: 64 << 20})
	if f != nil {
		t.Errorf("fault %+v", f)
	}
}
