package scripts

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/luatools/luatools/luabind/sandbox"
)

func TestWhatAFileAsksForIsBoundedByTheOperator(t *testing.T) {
	l, _ := openArchive(t, toolFile(`timeout = "10m", max_result = "2MiB", run = function() return ("x"):rep(5000) end`),
		Options{MaxTimeout: time.Minute, MaxResult: 1000})
	snap := l.Snapshot()
	tool := snap.Servers[0].Tools[0]
	var told []string
	for _, p := range snap.Problems {
		told = append(told, p.Message)
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{
		"its timeout is above what a file may ask for, so 1m0s holds (--limit wall=…, or limits.wall in luatools.lua)",
		"its max_result is above what a file may ask for, so 1000 holds (--limit result=…, or limits.result in luatools.lua)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in %q", want, all)
		}
	}
	res, err := tool.Call(t.Context(), json.RawMessage("{}"))
	if err != nil || tool.Timeout != time.Minute || !strings.HasPrefix(res.Content[0].Text[1000:], "\n[cut here: the whole has 4.8 KiB") {
		t.Errorf("timeout %v, error %v, %.1100q", tool.Timeout, err, res.Content[0].Text)
	}
}

func TestArgumentsAndResultsAreCharged(t *testing.T) {
	l, _ := openArchive(t, toolFile(`input = { list = param.any("Anything at all")  }, run = function() return ("x"):rep(700) end`), Options{Limits: sandbox.Limits{Bytes: 1000}})
	tool := l.Snapshot().Servers[0].Tools[0]
	for name, args := range map[string]string{
		"a result": `{"list":1}`, "large arguments": `{"list":[` + strings.Repeat("[],", 1000) + `0]}`,
	} {
		_, err := tool.Call(t.Context(), json.RawMessage(args))
		if err == nil || !strings.Contains(err.Error(), "(--limit bytes=…, or limits.bytes in luatools.lua)") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
