package sandbox

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/reference.golden anew with the lua5.1 of this machine")

// show writes results so that they can be compared between two Luas: numbers with 14 digits, errors without their position.
const show = `
local function one(v)
  local t = type(v)
  if t == "number" then
    if v ~= v then return "nan" end
    return string.format("%.14g", v)
  elseif t == "string" then return (string.format("%q", v):gsub("\\\n", "\\n"))
  elseif t == "table" or t == "function" or t == "thread" then return t end
  return tostring(v)
end
local function all(ok, ...)
  local n, r = select("#", ...), {}
  for i = 1, n do r[i] = one((select(i, ...))) end
  if not ok then r[1] = "error " .. (r[1]:gsub("[%w%.]+:%d+: ", "")) end
  return table.concat(r, " ")
end
`

func referenceSource(expr string) string {
	return show + "return all(pcall(function() return " + expr + "\nend))"
}

// The words of these errors are the VM's own, or ours on purpose; that there is an error is what counts.
var ownWords = []string{"attempt to", "bad argument", "no value", "malformed pattern (missing arguments", "invalid option", "'tostring' must",
	"table index is", "invalid value", "wrong number of arguments", "invalid capture index", "too many results"}

func TestEveryExpressionGivesWhatReferenceLuaGives(t *testing.T) {
	source, err := os.ReadFile("testdata/reference.lua")
	if err != nil {
		t.Fatal(err)
	}
	exprs := strings.Split(strings.TrimSpace(string(source)), "\n")
	if *update {
		writeReference(t, exprs)
	}
	golden, err := os.ReadFile("testdata/reference.golden")
	if err != nil {
		t.Fatal(err)
	}
	wants := strings.Split(strings.TrimSuffix(string(golden), "\n"), "\n")
	if len(wants) != len(exprs) {
		t.Fatalf("%d results for %d expressions: run with -update", len(wants), len(exprs))
	}
	for i, expr := range exprs {
		got, f := run(t, referenceSource(expr), Limits{})
		if f != nil {
			t.Errorf("%s: %s %s", expr, f.Message, f.Panic)
			continue
		}
		if got != wants[i] && !sameError(got, wants[i]) {
			t.Errorf("%s\n\tgives %s\n\twant  %s", expr, got, wants[i])
		}
	}
}

func sameError(got, want string) bool {
	if !strings.HasPrefix(got, "error ") || !strings.HasPrefix(want, "error ") {
		return false
	}
	for _, w := range ownWords {
		if strings.Contains(want, w) {
			return true
		}
	}
	return false
}

func writeReference(t *testing.T, exprs []string) {
	var out bytes.Buffer
	for _, expr := range exprs {
		cmd := exec.Command("lua5.1", "-")
		cmd.Stdin = strings.NewReader("print((function() " + referenceSource(expr) + "\nend)())")
		cmd.Env = []string{"LC_ALL=C", "TZ=UTC"}
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", expr, err, text)
		}
		out.Write(bytes.TrimSuffix(text, []byte("\n")))
		out.WriteByte('\n')
	}
	if err := os.WriteFile("testdata/reference.golden", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
