package attacks

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/scripts"
)

// childVariable names the file with a child's attack: the test binary runs itself.
const childVariable = "LUATOOLS_ATTACK_CHILD"

// upstreamVariable names a fault of the unmodified gopher-lua that kills its process; see upstream_test.go.
const upstreamVariable = "LUATOOLS_UPSTREAM_CHILD"

// addressSpace bounds a process that runs attacks. Go reserves much more than it uses.
const addressSpace = 4 << 30

func TestMain(m *testing.M) {
	if name := os.Getenv(upstreamVariable); name != "" {
		limitMemory(3 << 29)
		deadly[name]()
		os.Exit(0)
	}
	if path := os.Getenv(childVariable); path != "" {
		limitMemory(addressSpace)
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// report is what a child writes to stdout.
type report struct {
	Reused, Fresh run
	Victim        []time.Duration
	VictimWrong   string
}

// run is what happened with states used again, or always new.
type run struct {
	Load        time.Duration
	First       outcome
	Again, Look *outcome // nil when there was no such call
	Probe       outcome  // of another file, after all
	Encoded     int      // bytes of the largest result as JSON
}

// victimFile does a little of everything that a usual tool does.
const victimFile = `return tool{
  description = "Counts words.",
  input = { text = "string" },
  run = function(args)
    local n, longest = {}, ""
    for word in args.text:gmatch("%a+") do
      n[#n + 1] = word:upper()
      if #word > #longest then longest = word end
    end
    table.sort(n)
    return { words = #n, longest = longest, first = n[1] }
  end,
}
`

const victimArgs, victimAnswer = `{"text":"the quick brown fox"}`, `{"words":4,"longest":"quick","first":"BROWN"}`

// probeFile looks at everything that states share.
const probeFile = `return tool{
  description = "Looks for traces.",
  run = function()
    local lines = {}
    local function add(name, v) lines[#lines + 1] = name .. "=" .. tostring(v) end
    local names = {}
    for name in pairs(_G) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
      local lib = _G[name]
      local n, sum = 0, ""
      if type(lib) == "table" and name ~= "_G" then
        local keys = {}
        for k, v in pairs(lib) do keys[#keys + 1] = tostring(k) .. ":" .. type(v) end
        table.sort(keys)
        sum = table.concat(keys, " ")
      end
      add(name, type(lib) .. " " .. sum .. " " .. type(getmetatable(lib)))
    end
    add("upper", ("x"):upper() .. ("%5.1f"):format(1) .. ("a,b"):gsub(",", "%0"))
    add("missing", pcall(function() return ("x").owned end))
    add("table", next({}) == nil and getmetatable({}) == nil and #{ 1, 2, nil } == 2)
    add("types", tostring(getmetatable(1)) .. tostring(getmetatable(true)) .. tostring(getmetatable(print)) .. tostring(getmetatable(nil)))
    add("json", json.encode(array{}) .. json.encode(json.object{}) .. json.encode({ 1, { a = json.null } }))
    add("null", tostring(json.null) .. json.decode("9007199254740993", { nulls = true }) .. "")
    add("running", coroutine.running())
    add("pcall", pcall(error, "x"))
    add("random", math.random() ~= math.random())
    return table.concat(lines, "\n")
  end,
}
`

func child(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	var a attack
	if err := gob.NewDecoder(file).Decode(&a); err != nil { // not JSON, which has no bytes that are no UTF-8
		return err
	}
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	victims, stop, err := startVictim(filepath.Join(dir, "victims"))
	if err != nil {
		return err
	}
	var rep report
	// Fresh states first: what the attack does to things that all states share is then seen by both.
	if rep.Fresh, err = attackLibrary(filepath.Join(dir, "fresh", "tools"), a, true); err != nil {
		return err
	}
	if rep.Reused, err = attackLibrary(filepath.Join(dir, "reused", "tools"), a, false); err != nil {
		return err
	}
	close(stop)
	v := <-victims
	rep.Victim, rep.VictimWrong = v.took, v.wrong
	return json.NewEncoder(os.Stdout).Encode(rep)
}

func openLibrary(dir string, o scripts.Options, files map[string]string) (*scripts.Library, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for name, source := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644); err != nil {
			return nil, err
		}
	}
	o.Server = "tools"
	return scripts.Open(dir, o)
}

func find(l *scripts.Library, name string) *scripts.Tool {
	for _, s := range l.Snapshot().Servers {
		for _, t := range s.Tools {
			if t.Name == name {
				return t
			}
		}
	}
	return nil
}

func attackLibrary(dir string, a attack, noReuse bool) (r run, err error) {
	begun := time.Now()
	l, err := openLibrary(dir, scripts.Options{Limits: sandbox.Limits{Wall: a.Wall}, NoReuse: noReuse},
		map[string]string{a.Name + ".lua": a.Source, "probe.lua": probeFile})
	if err != nil {
		return r, err
	}
	defer l.Close()
	r.Load = time.Since(begun)
	probe := find(l, "probe")
	if probe == nil {
		return r, errors.New("the probe does not load: " + problems(l))
	}
	if t := find(l, a.Name); t == nil {
		r.First = outcome{Kind: "load error", Text: problems(l)}
	} else {
		r.First = r.call(t, a.Args)
		if r.First.Kind != "timeout" || a.Again != "same" {
			again := r.call(t, a.Args)
			r.Again = &again
		}
		if a.Look != "" {
			look := r.call(find(l, "look_"+a.Name), "{}")
			r.Look = &look
		}
	}
	r.Probe = r.call(probe, "{}")
	return r, nil
}

func problems(l *scripts.Library) string {
	var all []string
	for _, p := range l.Snapshot().Problems {
		if !p.Warning {
			all = append(all, p.Error())
		}
	}
	return strings.Join(all, "\n")
}

// call does what a host does for a call: normal form, confirmation, run, encoding.
func (r *run) call(t *scripts.Tool, args string) (o outcome) {
	begun := time.Now()
	defer func() { o.Took = time.Since(begun) }()
	normal, err := t.Input.Normalize(json.RawMessage(args))
	if err != nil {
		return outcome{Kind: "error", Text: err.Error()}
	}
	ctx := scripts.WithCall(context.Background(), &luabind.CallInfo{
		CallID: "1", Progress: func(float64, float64, string) {}, Log: func(string, string) {}})
	if _, err := t.ConfirmText(ctx, normal); err != nil {
		return failed(err, "")
	}
	res, err := t.Call(ctx, normal)
	encoded, encodeErr := res.AppendJSON(nil)
	switch {
	case encodeErr != nil:
		return outcome{Kind: "crash", Text: "the result cannot be encoded: " + encodeErr.Error()}
	case !json.Valid(encoded):
		return outcome{Kind: "crash", Text: "the result is no JSON"}
	case strings.ContainsAny(string(encoded), "\n\r"):
		return outcome{Kind: "crash", Text: "the result has line breaks"}
	}
	r.Encoded = max(r.Encoded, len(encoded))
	text := ""
	if len(res.Content) > 0 {
		text = res.Content[0].Text
	}
	if len(text) > 10_000 {
		text = text[:10_000]
	}
	switch {
	case err != nil:
		if o := failed(err, text); o.Kind != "error" || len(res.Content[0].Text) < 10_000 {
			return o
		}
		return outcome{Kind: "crash", Text: "the error for the model is too long"}
	case res.IsError:
		return outcome{Kind: "error", Text: text}
	}
	return outcome{Kind: "result", Text: text}
}

func failed(err error, text string) outcome {
	f, ok := errors.AsType[*sandbox.Fault](err)
	if !ok {
		return outcome{Kind: "crash", Text: err.Error()}
	}
	switch f.Kind {
	case sandbox.Timeout:
		return outcome{Kind: "timeout", Text: text}
	case sandbox.Limit:
		return outcome{Kind: "limit", Text: text}
	case sandbox.Crashed:
		return outcome{Kind: "crash", Text: f.Message + "\n" + f.Panic}
	}
	return outcome{Kind: "error", Text: text}
}

type victimReport struct {
	took  []time.Duration
	wrong string
}

// startVictim calls a tool of another library all the time, until stop is closed.
func startVictim(dir string) (<-chan victimReport, chan<- struct{}, error) {
	l, err := openLibrary(dir, scripts.Options{}, map[string]string{"victim.lua": victimFile})
	if err != nil {
		return nil, nil, err
	}
	t := find(l, "victim")
	if t == nil {
		return nil, nil, errors.New("the victim does not load: " + problems(l))
	}
	done, stop := make(chan victimReport, 1), make(chan struct{})
	go func() {
		defer l.Close()
		var v victimReport
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				done <- v
				return
			case <-tick.C:
			}
			var r run
			o := r.call(t, victimArgs)
			v.took = append(v.took, o.Took)
			if (o.Kind != "result" || o.Text != victimAnswer) && v.wrong == "" {
				v.wrong = o.String()
			}
		}
	}()
	return done, stop, nil
}
