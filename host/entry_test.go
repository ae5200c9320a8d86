package host

import (
	"strings"
	"testing"
)

// A tool whose entry the CLI would refuse is left out of its list, with a warning, so that it does not take the others with it.
func TestAnEntryThatWouldEmptyTheServerIsLeftOut(t *testing.T) {
	good, bad := &tool{name: ToolName{"x", "good"}}, &tool{name: ToolName{"x", "bad.name"}}
	for _, tl := range []*tool{good, bad} {
		tl.def.Name, tl.def.Description = tl.name.Tool, "A tool of the test."
		tl.def.InputSchema = []byte(`{"type":"object","properties":{},"required":[]}`)
		tl.finish("tools", "")
	}
	if good.noCLI != nil || good.forCLI == nil {
		t.Errorf("the good one: %v", good.noCLI)
	}
	if bad.noCLI == nil || bad.forCLI != nil || !strings.Contains(bad.noCLI.Error(), "bad.name") {
		t.Errorf("the bad one: %v", bad.noCLI)
	}
	r := &registry{tools: []*tool{bad, good}, servers: []server{{name: "x", tools: []*tool{bad, good}}}}
	if list := string(r.encode(listKey{server: "x", cli: true})); strings.Contains(list, "bad.name") || !strings.Contains(list, `"good"`) {
		t.Errorf("the list is %s", list)
	}
}
