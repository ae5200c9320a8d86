package rehearsal

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/luatools/luatools/protocol/schema"
)

// rehearse makes the calls that the prompts of the turn spell out, those that join it included, and answers with their texts.
func (t *turn) rehearse() (*Ending, error) {
	var answer []string
	failed := false
	for batch := t.prompts; len(batch) > 0; batch, t.joined = t.joined, nil {
		texts, err := t.makeWritten(batch)
		answer = append(answer, texts...)
		if err != nil {
			return nil, err
		}
	}
	failed = t.failed
	text := strings.Join(answer, "\n")
	t.say(text)
	return &Ending{Text: text, IsError: failed}, nil
}

// makeWritten makes the calls of some prompts and returns the texts to answer with. All lines are read before any call is made.
func (t *turn) makeWritten(batch []prompt) ([]string, error) {
	var lines []string
	for _, p := range batch {
		lines = append(lines, textOf(p.content))
	}
	t.joined = nil
	names := t.a.names()
	calls, ok, err := schema.ParseCalls(strings.Join(lines, "\n"), func(name string) (json.RawMessage, bool) {
		tool, ok := names.find(name)
		return tool.InputSchema, ok
	})
	switch {
	case err != nil:
		t.failed = true
		return []string{err.Error()}, nil
	case !ok:
		t.noCall = true
		return []string{names.help()}, nil
	}
	var steps []Step
	for _, c := range calls {
		tool, _ := names.find(c.Tool)
		use := ToolUse{Name: tool.wire(), Input: string(c.Arguments)}
		if t.a.o.Parallel && len(steps) > 0 {
			steps[0].Calls = append(steps[0].Calls, use)
			continue
		}
		steps = append(steps, Step{Calls: []ToolUse{use}})
	}
	var texts []string
	for _, s := range steps {
		outcomes, err := t.step(s)
		if err != nil {
			return texts, err
		}
		for _, o := range outcomes {
			texts = append(texts, o.text)
		}
	}
	return texts, nil
}

// names finds tools by any name a person may give them.
type names []tool

func (a *Agent) names() names { return a.tools() }

// find takes mcp__server__tool, server/tool, and server_tool or the bare name where only one tool has it.
func (n names) find(name string) (tool, bool) {
	for _, t := range n {
		if name == t.wire() || name == t.server.name+"/"+t.Name {
			return t, true
		}
	}
	if t, ok := n.only(func(t *tool) bool { return t.Name == name }); ok {
		return t, true
	}
	return n.only(func(t *tool) bool { return t.server.name+"_"+t.Name == name })
}

func (n names) only(match func(*tool) bool) (found tool, ok bool) {
	for i := range n {
		if match(&n[i]) {
			if ok {
				return tool{}, false
			}
			found, ok = n[i], true
		}
	}
	return found, ok
}

// help says what can be called, for a prompt that is no call.
func (n names) help() string {
	if len(n) == 0 {
		return "This is a rehearsal without a model, and there is nothing to call: no server has a tool."
	}
	var b strings.Builder
	b.WriteString("This is a rehearsal without a model. It makes the calls that a prompt spells out, one on each line,\nas in `tool key=value` or `tool {\"key\": \"value\"}`. These can be called:\n")
	for _, t := range n {
		signature := ""
		if s, err := schema.Compile(t.InputSchema); err == nil {
			signature = s.Signature()
		}
		fmt.Fprintf(&b, "\n%s/%s(%s)", t.server.name, t.Name, signature)
		if first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); first != "" {
			fmt.Fprintf(&b, "\n    %s", first)
		}
	}
	return b.String()
}
