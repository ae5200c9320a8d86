package host

import (
	"bytes"
	"encoding/json"
	"math/big"
	"sync"
	"time"
)

// approvals remembers what was said to can_use_tool until the tools/call with the same tool_use_id comes, so that nobody is asked twice.
// A yes counts once and only for the same tool and input; a no holds until it is forgotten. The zero value is ready.
type approvals struct {
	mu    sync.Mutex
	m     map[string]approval
	order []string // keys of m and of entries that are gone, oldest first
}

type approval struct {
	tool  ToolName
	input json.RawMessage // normal form of the updatedInput that was given
	said  verdict
	until time.Time
}

const (
	// maxApprovals bounds the table: a CLI asks for at most some tens of calls at once.
	maxApprovals = 1024
	// approvalLife is long because a yes waits for the calls before it in the same message.
	approvalLife = time.Hour
)

// remember keeps said for the call with that id. A new answer replaces the former.
func (a *approvals) remember(useID string, t ToolName, input json.RawMessage, said verdict) {
	if useID == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.m == nil {
		a.m = map[string]approval{}
	}
	a.m[useID] = approval{t, bytes.Clone(input), said, time.Now().Add(approvalLife)}
	a.order = append(a.order, useID)
	for len(a.order) > maxApprovals {
		delete(a.m, a.order[0])
		a.order = a.order[1:]
	}
}

// take returns what was said about this very call. A yes is used up by it.
func (a *approvals) take(useID string, t ToolName, input json.RawMessage) (verdict, bool) {
	if a == nil || useID == "" {
		return verdict{}, false
	}
	a.mu.Lock()
	got, ok := a.m[useID]
	a.mu.Unlock()
	if !ok || got.tool != t || time.Now().After(got.until) || !sameJSON(got.input, input) {
		return verdict{}, false
	}
	if !got.said.allow {
		return got.said, true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// Two calls with one id may have come this far: the first has it.
	if now, ok := a.m[useID]; !ok || !now.said.allow {
		return verdict{}, false
	}
	delete(a.m, useID)
	return got.said, true
}

// sameJSON reports whether a and b are the same JSON value: members in any order, numbers by value and to the last digit.
// Both have passed the bounded decoder of the schema step.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return decodeExact(a, &x) == nil && decodeExact(b, &y) == nil && sameValue(x, y)
}

func decodeExact(b []byte, v *any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

func sameValue(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			if w, ok := y[k]; !ok || !sameValue(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameValue(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && (x == y || sameNumber(x, y))
	}
	return a == b
}

func sameNumber(a, b json.Number) bool {
	x, ok := new(big.Rat).SetString(a.String())
	if !ok {
		return false
	}
	y, ok := new(big.Rat).SetString(b.String())
	return ok && x.Cmp(y) == 0
}
