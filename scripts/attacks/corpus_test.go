package attacks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// attack is one file of the corpus.
type attack struct {
	Name   string
	Source string
	Want   string
	Args   string
	Again  string
	Look   string
	Open   string // why it still gets through; it is left out
	Wall   time.Duration
}

const usualWall = 250 * time.Millisecond

var headLine = regexp.MustCompile(`^-- (want|args|again|look|wall|open): (.*)$`)

func parseAttack(name, source string) (attack, error) {
	a := attack{Name: name, Source: source, Args: "{}", Again: "same", Wall: usualWall}
	lines := strings.Split(source, "\n")
	if !strings.HasPrefix(lines[0], "-- ") || headLine.MatchString(lines[0]) {
		return a, fmt.Errorf("%s: the first line must say what the attack tries", name)
	}
	for _, line := range lines[1:] {
		m := headLine.FindStringSubmatch(line)
		if m == nil {
			break
		}
		switch m[1] {
		case "want":
			a.Want = m[2]
		case "args":
			if a.Args = m[2]; len(a.Args) > 1000 { // the file must not be too long by what it is called with
				a.Source = strings.Replace(source, line+"\n", "", 1)
			}
		case "again":
			a.Again = m[2]
		case "look":
			a.Look = m[2]
		case "open":
			a.Open = m[2]
		case "wall":
			d, err := time.ParseDuration(m[2])
			if err != nil {
				return a, fmt.Errorf("%s: wall: %w", name, err)
			}
			a.Wall = d
		}
	}
	for _, want := range strings.Split(a.Want, "|") {
		kind, _, _ := strings.Cut(want, ` "`)
		if !slices.Contains([]string{"result", "error", "limit", "timeout", "load error"}, kind) {
			return a, fmt.Errorf("%s: want: %q is no outcome", name, want)
		}
	}
	return a, nil
}

// corpus returns all attacks, sorted by name.
func corpus(t testing.TB) (all []attack) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err := parseAttack(strings.TrimSuffix(filepath.Base(file), ".lua"), string(source))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	for name, source := range generated() {
		a, err := parseAttack(name, source)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b attack) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// chosen returns the attacks to run now.
func chosen(t testing.TB) []attack {
	all := corpus(t)
	which, share := os.Getenv("LUATOOLS_ATTACKS"), 4
	switch {
	case which == "all":
		return known(all)
	case which != "":
		return slices.DeleteFunc(all, func(a attack) bool { return !strings.HasPrefix(a.Name, which) || a.Open != "" && a.Name != which })
	case testing.Short():
		share = 16
	}
	// Every so many, in an order that mixes the kinds.
	var part []attack
	for i, a := range known(all) {
		if i*7%share == 0 {
			part = append(part, a)
		}
	}
	return part
}

func known(all []attack) []attack {
	return slices.DeleteFunc(all, func(a attack) bool { return a.Open != "" })
}

func TestTheCorpusIsWhole(t *testing.T) {
	all := corpus(t)
	if len(all) < 120 {
		t.Errorf("%d attacks, want at least 120", len(all))
	}
	kinds := map[string]int{}
	for _, a := range all {
		kind, _, _ := strings.Cut(a.Name, "_")
		kinds[kind]++
	}
	for _, kind := range []string{"loop", "recurse", "swallow", "builtin", "pattern", "source", "coroutine", "error", "escape", "poison", "result", "args", "declare"} {
		if kinds[kind] < 10 {
			t.Errorf("%d attacks of the kind %s, want at least 10", kinds[kind], kind)
		}
	}
}

// outcome is what came of one call.
type outcome struct {
	Kind string // as in want, or "crash"
	Text string // of a result or an error
	Took time.Duration
}

func (o outcome) String() string {
	text := o.Text
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return fmt.Sprintf("%s %q after %v", o.Kind, text, o.Took.Round(time.Millisecond))
}

// meets reports whether an outcome is among those of want.
func (o outcome) meets(want string) bool {
	for _, w := range strings.Split(want, "|") {
		kind, quoted, exact := strings.Cut(w, " ")
		if kind == "load" {
			kind, exact = w, false
		}
		if o.Kind != kind && !(o.Kind == "timeout" && kind == "limit") {
			continue
		}
		if !exact {
			return true
		}
		if text, err := strconv.Unquote(quoted); err == nil && text == o.Text {
			return true
		}
	}
	return false
}

// equal reports whether two outcomes are the same to whoever called. A call that ended by its limits says nothing about another: one of the
// two may have had more of the machine.
func (o outcome) equal(p outcome) bool {
	ended := func(o outcome) bool { return o.Kind == "timeout" || o.Kind == "limit" }
	return ended(o) || ended(p) || o.Kind == p.Kind && (o.Text == p.Text || o.Kind == "load error")
}
