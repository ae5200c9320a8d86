package host

import (
	"fmt"
	"slices"
)

// Policy answers "may this call run?". Deny beats ask beats allow, in whatever order the rules stand; the zero value has only
// the defaults: a tool that declares no rights and is not destructive runs, everything else asks, and so do the CLI's own tools.
// What is listed never depends on it.
type Policy struct{ Rules []Rule }

// Subject is what a decision is about.
type Subject struct {
	Name  ToolName // Server is empty for one of the CLI's own tools
	Plain string   // as serve lists it; empty for a tool that is not ours
	// Asks says why the call asks when no rule speaks: what the file declares, or that the tool is destructive.
	// Empty means that it runs.
	Asks string
}

// Decision is the policy's answer and why.
type Decision struct {
	Behavior Behavior
	Reason   string // the rule or default that decided
	Flag     string // the flag that would let it run, "--allow ops/deploy"; empty when an ask or deny rule stands in the way
}

// Check returns the first rule that cannot be read.
func (p *Policy) Check() error {
	for _, r := range p.Rules {
		if err := r.Check(); err != nil {
			return fmt.Errorf("rule %q: %w", r, err)
		}
	}
	return nil
}

// Decide judges s. It is pure: the same subject gets the same answer from can_use_tool and from the gate.
func (p *Policy) Decide(s Subject) Decision {
	var ask, allow string
	for _, r := range p.Rules {
		if !r.matches(&s) {
			continue
		}
		switch r.Behavior {
		case Deny:
			return Decision{Behavior: Deny, Reason: "the rule " + r.String() + " forbids it"}
		case Ask:
			ask = r.Pattern
		case Allow:
			allow = r.Pattern
		}
	}
	switch {
	case ask != "":
		return Decision{Behavior: Ask, Reason: "the rule " + Rule{ask, Ask}.String() + " asks"}
	case allow != "":
		return Decision{Behavior: Allow, Reason: "the rule " + Rule{allow, Allow}.String() + " allows it"}
	case s.Asks != "":
		return Decision{Behavior: Ask, Reason: s.Asks, Flag: Rule{s.Name.String(), Allow}.String()}
	}
	return Decision{Behavior: Allow, Reason: "it declares no rights and is not destructive"}
}

// warnings lists the rules that are about no loaded tool, with the names that may have been meant. Rules on the CLI's own tools
// are not ours to judge.
func (p *Policy) warnings(r *registry) []string {
	var out []string
	for _, rule := range p.Rules {
		if rule.ofCLI() || slices.ContainsFunc(r.tools, func(t *tool) bool { return rule.matches(&t.subject) }) ||
			slices.ContainsFunc(r.disabled, func(t *tool) bool { return rule.matches(&t.subject) }) {
			continue
		}
		text := fmt.Sprintf("the rule %q is about no loaded tool", rule)
		if near := r.nearRule(rule); near != "" {
			text += ": did you mean " + near + "?"
		}
		out = append(out, text)
	}
	return out
}
