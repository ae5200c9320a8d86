package host

import (
	"strings"
	"testing"
)

func TestAnUnknownNameIsCutInTheError(t *testing.T) {
	h := newHost(t, Options{Tools: []Tool{addTool()}})
	_, err := h.Lookup(strings.Repeat("x", 300<<10))
	want := `unknown tool "` + strings.Repeat("x", 99) + `…"`
	if _, ok := AsUnknownTool(err); !ok || err.Error() != want {
		t.Errorf("error of %d bytes, want %s", len(err.Error()), want)
	}
}
