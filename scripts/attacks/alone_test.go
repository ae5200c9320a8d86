package attacks

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	grace      = 500 * time.Millisecond // that a call may end after its limit
	memory     = 512 << 20              // peak of a process
	maxEncoded = 32 << 20               // of a result as JSON: 4 MiB of text may grow sixfold
	loadRuns   = 3                      // runs of Lua code while a file loads, each with a limit of its own
)

// TestAlone runs each attack in a process of its own, with states used again and with fresh ones, beside a victim that is called all the
// time. What was too late or too large is tried once more by itself, for the machine that tests is seldom idle.
func TestAlone(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes the time and memory that are measured here; TestEightAtOnce runs with it")
	}
	var mu sync.Mutex
	var victims []time.Duration
	var peak int64
	var peakOf string
	places := make(chan struct{}, 2)
	for range cap(places) {
		places <- struct{}{}
	}
	var alone sync.RWMutex
	t.Run("attacks", func(t *testing.T) {
		for _, a := range chosen(t) {
			t.Run(a.Name, func(t *testing.T) {
				t.Parallel()
				<-places
				alone.RLock()
				v := runChild(t, a)
				alone.RUnlock()
				places <- struct{}{}
				if v.slow != "" {
					alone.Lock()
					v = runChild(t, a)
					alone.Unlock()
				}
				for _, complaint := range append(v.wrong, v.slow) {
					if complaint != "" {
						t.Errorf("%s: %s", a.Name, complaint)
					}
				}
				mu.Lock()
				defer mu.Unlock()
				victims = append(victims, v.victim...)
				if v.peak > peak {
					peak, peakOf = v.peak, a.Name
				}
			})
		}
	})
	if len(victims) > 0 {
		slices.Sort(victims)
		t.Logf("the victim was called %d times: p50 %v, p99 %v, longest %v", len(victims), victims[len(victims)/2], victims[len(victims)*99/100], victims[len(victims)-1])
		t.Logf("the largest peak of memory was %d MiB (%s)", peak>>20, peakOf)
	}
}

// verdict is what is wrong with one attack; slow is what a busy machine may be guilty of.
type verdict struct {
	wrong  []string
	slow   string
	victim []time.Duration
	peak   int64
}

func runChild(t *testing.T, a attack) (v verdict) {
	t.Helper()
	var raw bytes.Buffer
	if err := gob.NewEncoder(&raw).Encode(a); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "attack")
	if err := os.WriteFile(file, raw.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+file)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	v.peak = peakMemory(cmd.ProcessState)
	if err != nil {
		v.wrong = append(v.wrong, fmt.Sprintf("the process died: %v (peak %d MiB)\n%s", err, v.peak>>20, head(errs.String())))
		return v
	}
	var rep report
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		v.wrong = append(v.wrong, fmt.Sprintf("stdout had something else than the report: %v\n%s", err, head(out.String())))
		return v
	}
	v.judge(a, rep)
	return v
}

func head(s string) string { return s[:min(len(s), 700)] }

func (v *verdict) judge(a attack, rep report) {
	wrong := func(format string, args ...any) { v.wrong = append(v.wrong, fmt.Sprintf(format, args...)) }
	for _, r := range []struct {
		how string
		run
	}{{"fresh states", rep.Fresh}, {"states used again", rep.Reused}} {
		calls := []outcome{r.First, r.Probe}
		if !r.First.meets(a.Want) {
			wrong("with %s: ended as %s, want %s", r.how, r.First, a.Want)
		}
		if r.Again != nil {
			calls = append(calls, *r.Again)
			switch {
			case a.Again == "any":
			case a.Again != "same":
				if !r.Again.meets(a.Again) {
					wrong("with %s: the second call ended as %s, want %s", r.how, r.Again, a.Again)
				}
			case !r.Again.equal(r.First):
				wrong("with %s: the second call ended as %s, the first as %s", r.how, r.Again, r.First)
			}
		}
		if r.Look != nil {
			calls = append(calls, *r.Look)
			if !r.Look.meets(a.Look) {
				wrong("with %s: the look after it ended as %s, want %s", r.how, r.Look, a.Look)
			}
		}
		for _, c := range calls {
			if c.Took > a.Wall+grace {
				v.slow = fmt.Sprintf("with %s: a call took %v, its limit is %v", r.how, c.Took, a.Wall)
			}
		}
		if most := loadRuns*a.Wall + grace; r.Load > most {
			v.slow = fmt.Sprintf("with %s: loading took %v, want at most %v", r.how, r.Load, most)
		}
		if r.Probe.Kind != "result" || !strings.Contains(r.Probe.Text, "upper=X  1.0a,b") {
			wrong("with %s: the probe ended as %s", r.how, r.Probe)
		}
		if r.Encoded > maxEncoded {
			wrong("with %s: a result of %d MiB", r.how, r.Encoded>>20)
		}
	}
	if !rep.Reused.First.equal(rep.Fresh.First) && a.Again != "any" {
		wrong("with states used again: %s; with fresh ones: %s", rep.Reused.First, rep.Fresh.First)
	}
	if rep.Reused.Probe.Text != rep.Fresh.Probe.Text {
		wrong("the probe saw a difference:\n%s\n%s", rep.Reused.Probe.Text, rep.Fresh.Probe.Text)
	}
	if rep.VictimWrong != "" {
		wrong("the victim's call ended as %s", rep.VictimWrong)
	}
	if v.peak > memory {
		v.slow = fmt.Sprintf("a peak of %d MiB", v.peak>>20)
	}
	v.victim = rep.Victim
}
