package rehearsal

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
)

type canUseTool struct {
	Subtype     string          `json:"subtype"`
	Tool        string          `json:"tool_name"`
	Server      *serverRef      `json:"mcp_server,omitempty"`
	DisplayName string          `json:"display_name,omitempty"`
	Input       json.RawMessage `json:"input"`
	Suggestions []suggestion    `json:"permission_suggestions"`
	AskOnly     bool            `json:"server_policy_ask_only,omitempty"`
	ToolUseID   string          `json:"tool_use_id"`
}

type serverRef struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

type suggestion struct {
	Type        string     `json:"type"`
	Rules       []toolRule `json:"rules"`
	Behavior    string     `json:"behavior"`
	Destination string     `json:"destination"`
}

type toolRule struct {
	Tool    string `json:"toolName"`
	Content string `json:"ruleContent,omitempty"`
}

// permitted goes through hooks, mode, granted rules and the question, in the CLI's order. It returns the input to
// call with, or the outcome of a call that may not be made.
func (t *turn) permitted(u ToolUse, target tool) (json.RawMessage, *outcome) {
	a := t.a
	said := t.hooks("PreToolUse", u, u.input(), nil)
	input := u.input()
	if said.input != nil {
		input = said.input
	}
	if said.decision == "deny" {
		return nil, t.refuse(u, said.reason)
	}
	a.mu.Lock()
	mode, granted := a.mode, a.allowed[u.Name]
	a.mu.Unlock()
	switch {
	case said.decision == "ask":
	case mode == "bypassPermissions", granted, said.decision == "allow", !a.o.asks(u.Name):
		return input, nil
	case mode == "dontAsk":
		return nil, t.refuse(u, "Permission to use "+u.Name+" has been denied because the mode is dontAsk.")
	}
	return t.ask(u, target, input)
}

// ask sends can_use_tool and judges the answer.
func (t *turn) ask(u ToolUse, target tool, input json.RawMessage) (json.RawMessage, *outcome) {
	a := t.a
	if a.isClosed() {
		return nil, denied("Tool permission stream closed before response received")
	}
	request := canUseTool{Subtype: "can_use_tool", Tool: u.Name, Input: input, ToolUseID: u.ID,
		Suggestions: []suggestion{{"addRules", []toolRule{{Tool: u.Name}}, "allow", "localSettings"}}}
	if target.server != nil && !a.o.Old {
		request.Server, request.DisplayName, request.AskOnly = &serverRef{target.server.name, "sdk"}, target.Name, true
	}
	a.state("requires_action")
	defer a.state("running")
	q := &question{about: "can_use_tool " + u.Name}
	a.send(q, request)
	ctx, end := a.until(t.ctx, u.Withdraw)
	defer end()
	r, err := a.await(ctx, q)
	switch {
	case errors.Is(err, errInterrupted), errors.Is(err, errWithdrawn):
		a.withdraw(q)
		out := t.interrupted()
		return nil, &out
	case errors.Is(err, errInputClosed):
		return nil, denied("Tool permission stream closed before response received")
	case r.refusal != nil:
		return nil, t.refuse(u, "Tool permission request failed: Error: "+r.refusal.Error())
	case err != nil:
		return nil, denied(err.Error())
	}
	return t.obey(q, u, input, r.payload)
}

// obey does what the answer to can_use_tool says.
func (t *turn) obey(q *question, u ToolUse, input, payload json.RawMessage) (json.RawMessage, *outcome) {
	a := t.a
	var r struct {
		Behavior  string             `json:"behavior"`
		Input     json.RawMessage    `json:"updatedInput"`
		Updates   []permissionUpdate `json:"updatedPermissions"`
		Message   *string            `json:"message"`
		Interrupt bool               `json:"interrupt"`
	}
	if err := json.Unmarshal(payload, &r); err != nil || r.Behavior != "allow" && r.Behavior != "deny" {
		a.problem("the answer to %s is neither allow nor deny: %s", q.about, payload)
		return nil, t.refuse(u, "Tool permission request failed: invalid answer")
	}
	if r.Behavior == "deny" {
		if r.Message == nil {
			a.problem("the denial of %s has no message", q.about)
			return nil, t.refuse(u, "Tool permission request failed: message: Required")
		}
		if r.Interrupt {
			a.interruptTurn()
		}
		return nil, t.refuse(u, *r.Message)
	}
	a.grant(r.Updates)
	switch {
	case !isObject(r.Input):
		a.problem("the allow of %s has no updatedInput", q.about)
		if a.o.Old {
			return nil, t.refuse(u, "Tool permission request failed: updatedInput: Required")
		}
		return input, nil
	case !a.o.Old && isEmptyObject(r.Input):
		return input, nil // current CLIs take {} for "unchanged", old ones for "no arguments"
	}
	return r.Input, nil
}

type permissionUpdate struct {
	Type     string     `json:"type"`
	Rules    []toolRule `json:"rules"`
	Behavior string     `json:"behavior"`
	Mode     string     `json:"mode"`
}

// grant takes the updates of an allow: whole-tool rules and the mode.
func (a *Agent) grant(updates []permissionUpdate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, up := range updates {
		switch {
		case up.Type == "setMode" && up.Mode != "":
			a.mode = up.Mode
		case up.Type == "addRules" && up.Behavior == "allow":
			for _, r := range up.Rules {
				if r.Content == "" {
					a.allowed[r.Tool] = true
				}
			}
		}
	}
}

func (a *Agent) interruptTurn() {
	a.mu.Lock()
	stop := a.stop
	a.mu.Unlock()
	if stop != nil {
		stop(errInterrupted)
	}
}

// refuse notes a denial for the result and makes it the outcome.
func (t *turn) refuse(u ToolUse, reason string) *outcome {
	t.a.mu.Lock()
	t.denials = append(t.denials, denial{u.Name, u.ID, u.input()})
	t.a.mu.Unlock()
	return denied(reason)
}

func denied(text string) *outcome {
	o := failure(text)
	return &o
}

// verdict is what the hooks of one event said together.
type verdict struct {
	decision string // deny, ask, allow or nothing
	reason   string
	input    json.RawMessage
}

type hookRequest struct {
	Subtype    string    `json:"subtype"`
	CallbackID string    `json:"callback_id"`
	ToolUseID  string    `json:"tool_use_id"`
	Input      hookInput `json:"input"`
}

type hookInput struct {
	Event     string          `json:"hook_event_name"`
	Session   string          `json:"session_id"`
	Mode      string          `json:"permission_mode"`
	Tool      string          `json:"tool_name"`
	Input     json.RawMessage `json:"tool_input"`
	Response  json.RawMessage `json:"tool_response,omitempty"`
	ToolUseID string          `json:"tool_use_id"`
}

// hooks asks all callbacks that match the tool at the same time. A hook that fails changes nothing.
func (t *turn) hooks(event string, u ToolUse, input, response json.RawMessage) verdict {
	a := t.a
	a.mu.Lock()
	registered, mode := a.hooks[event], a.mode
	a.mu.Unlock()
	var (
		mu  sync.Mutex
		all verdict
		wg  sync.WaitGroup
	)
	for _, h := range registered {
		if !h.match.MatchString(u.Name) || a.isClosed() {
			continue
		}
		q := &question{about: "hook_callback " + h.callback}
		a.send(q, hookRequest{"hook_callback", h.callback, u.ID, hookInput{event, a.session, mode, u.Name, input, response, u.ID}})
		wg.Go(func() {
			r, err := a.await(t.ctx, q)
			if errors.Is(err, errInterrupted) {
				a.withdraw(q)
			}
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				all.add(a, q, r.payload)
			}
		})
	}
	wg.Wait()
	return all
}

// add takes one hook's output into the verdict; a denial wins over a question, and that over an allowance.
func (v *verdict) add(a *Agent, q *question, output json.RawMessage) {
	var o struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
		Specific struct {
			Event    string          `json:"hookEventName"`
			Decision string          `json:"permissionDecision"`
			Reason   string          `json:"permissionDecisionReason"`
			Input    json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if !isObject(output) || json.Unmarshal(output, &o) != nil {
		a.problem("the answer to %s is no hook output: %.80s", q.about, output)
		return
	}
	decision, reason := o.Specific.Decision, o.Specific.Reason
	if o.Decision == "block" {
		decision, reason = "deny", o.Reason
	}
	if isObject(o.Specific.Input) {
		v.input = o.Specific.Input
	}
	rank := func(d string) int { return strings.Index("..allow.ask..deny", "."+d) }
	if decision != "" && (v.decision == "" || rank(decision) > rank(v.decision)) {
		v.decision, v.reason = decision, reason
	}
}

func isEmptyObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && len(m) == 0
}
