package rehearsal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/luatools/luatools/protocol/nearest"
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
		if !utf8.Valid(p.content) {
			t.failed, t.joined = true, nil
			return []string{"the prompt is not UTF-8"}, nil
		}
		lines = append(lines, textOf(p.content))
	}
	t.joined = nil
	names := t.a.names()
	if len(names) == 0 {
		t.noCall = true
		return []string{names.help()}, nil
	}
	calls, ok, err := schema.ParseCalls(strings.Join(lines, "\n"), func(name string) (json.RawMessage, error) {
		tool, err := names.find(name)
		return tool.InputSchema, err
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
		tool, _ := names.find(c.Tool) // ParseCalls found it
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
			text := o.text
			if o.isError && len(calls) > 1 {
				text = "error: " + text // else it could not be told from those of the calls that went well
			}
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// names finds tools by any name a person may give them.
type names []tool

func (a *Agent) names() names { return a.tools() }

// find takes mcp__server__tool, server/tool, and server_tool or the bare name where only one tool has it. The error says what may
// have been meant.
func (n names) find(name string) (tool, error) {
	for _, t := range n {
		if name == t.wire() || name == t.people() {
			return t, nil
		}
	}
	for _, match := range []func(*tool) bool{
		func(t *tool) bool { return t.Name == name },
		func(t *tool) bool { return t.server.name+"_"+t.Name == name },
	} {
		switch found := n.all(match); len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			var people []string
			for _, t := range found {
				people = append(people, t.people())
			}
			return tool{}, fmt.Errorf("%s is ambiguous: %s", name, strings.Join(people, ", "))
		}
	}
	return tool{}, n.unknown(name)
}

func (t *tool) people() string { return t.server.name + "/" + t.Name }

func (n names) all(match func(*tool) bool) (found names) {
	for i := range n {
		if match(&n[i]) {
			found = append(found, n[i])
		}
	}
	return found
}

// unknown names the tools that a name may have meant, or where they are listed.
func (n names) unknown(name string) error {
	var forms, people []string
	for _, t := range n {
		for _, form := range []string{t.Name, t.people(), t.server.name + "_" + t.Name, t.wire()} {
			forms, people = append(forms, form), append(people, t.people())
		}
	}
	var near []string
	for _, form := range nearest.Names(name, forms, 12) {
		if p := people[slices.Index(forms, form)]; !slices.Contains(near, p) && len(near) < 3 {
			near = append(near, p)
		}
	}
	if len(near) == 0 {
		return fmt.Errorf("no tool %q; a prompt in words lists the tools", name)
	}
	return fmt.Errorf("no tool %q; did you mean %s?", name, strings.Join(near, " or "))
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
