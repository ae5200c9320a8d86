package control

import "testing"

// Captures and guides write labels of their own and tool uses at the top; what counts is "type", and the blocks inside a message.
func TestATypeIsTakenFromNowhereElse(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		kind       string
		uses       int
	}{
		{"a label of a capture beside the type", `{"_type":"ResultMessage","type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"a","input":{}}]}}`, "assistant", 1},
		{"a label alone", `{"_type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"a","input":{}}]}}`, "", 0},
		{"a type inside is not the line's", `{"message":{"type":"assistant","content":[{"type":"tool_use","id":"1"}]}}`, "", 0},
		{"a tool use at the top", `{"type":"tool_use","id":"1","name":"a","input":{}}`, "tool_use", 0},
		{"a tool use under a label", `{"type":"assistant","message":{"content":[{"_type":"tool_use","id":"1","name":"a","input":{}}]}}`, "assistant", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if m := message(tt.line); m.Type != tt.kind || len(m.ToolUses()) != tt.uses {
				t.Errorf("type %q with %d tool uses, want %q with %d", m.Type, len(m.ToolUses()), tt.kind, tt.uses)
			}
		})
	}
}
