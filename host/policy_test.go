package host

import (
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	plain := Subject{Name: ToolName{"db", "query"}, Plain: "db_query"}
	writes := Subject{Name: ToolName{"ops", "deploy"}, Plain: "ops_deploy", Asks: "it declares run kubectl"}
	bash := Subject{Name: ToolName{Tool: "Bash"}, Asks: "it is one of the CLI's own tools"}
	foreign := Subject{Name: ToolName{"github", "create__issue"}, Asks: "it is a tool of another MCP server"}
	for _, tt := range []struct {
		name    string
		rules   []Rule
		subject Subject
		want    Behavior
		reason  string
		flag    string
	}{
		{"a tool that declares nothing runs", nil, plain, Allow, "declares no rights", ""},
		{"a tool that declares a right asks", nil, writes, Ask, "run kubectl", "--allow ops/deploy"},
		{"a tool of the CLI asks", nil, bash, Ask, "the CLI's own", "--allow Bash"},
		{"a tool of another server asks", nil, foreign, Ask, "another MCP server", "--allow github/create__issue"},
		{"an allow rule answers for the rights", []Rule{{"ops/deploy", Allow}}, writes, Allow, "--allow ops/deploy", ""},
		{"an allow rule takes the wire name", []Rule{{"mcp__ops__deploy", Allow}}, writes, Allow, "mcp__ops__deploy", ""},
		{"an allow rule takes the plain name", []Rule{{"ops_deploy", Allow}}, writes, Allow, "ops_deploy", ""},
		{"an allow rule takes a whole server", []Rule{{"ops/*", Allow}}, writes, Allow, "ops/*", ""},
		{"an allow rule takes a server's wire name", []Rule{{"mcp__ops__*", Allow}}, writes, Allow, "mcp__ops__*", ""},
		{"an allow rule takes a server's short wire name", []Rule{{"mcp__ops", Allow}}, writes, Allow, "mcp__ops", ""},
		{"an allow rule takes the beginning of a name", []Rule{{"ops/dep*", Allow}}, writes, Allow, "ops/dep*", ""},
		{"another beginning does not match", []Rule{{"ops/del*", Allow}}, writes, Ask, "run kubectl", "--allow ops/deploy"},
		{"a rule for another server does not match", []Rule{{"op/*", Allow}}, writes, Ask, "run kubectl", "--allow ops/deploy"},
		{"the bare name is no rule", []Rule{{"deploy", Allow}}, writes, Ask, "run kubectl", "--allow ops/deploy"},
		{"a rule for a tool of the CLI", []Rule{{"Bash", Allow}}, bash, Allow, "--allow Bash", ""},
		{"a rule for a tool of another server", []Rule{{"mcp__github__create__issue", Allow}}, foreign, Allow, "create__issue", ""},
		{"deny beats allow, whatever the order", []Rule{{"ops/deploy", Deny}, {"ops/*", Allow}}, writes, Deny, "--deny ops/deploy", ""},
		{"deny beats an allow that is more exact", []Rule{{"ops/deploy", Allow}, {"ops/*", Deny}}, writes, Deny, "--deny ops/*", ""},
		{"deny beats ask", []Rule{{"ops/*", Ask}, {"ops/*", Deny}}, writes, Deny, "--deny ops/*", ""},
		{"ask beats allow, and no flag would help", []Rule{{"db/query", Allow}, {"db/*", Ask}}, plain, Ask, "--ask db/*", ""},
		{"an ask rule tightens a tool that would run", []Rule{{"db/query", Ask}}, plain, Ask, "--ask db/query", ""},
		{"deny takes the plain name", []Rule{{"db_query", Deny}}, plain, Deny, "--deny db_query", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Policy{Rules: tt.rules}
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			d := p.Decide(tt.subject)
			if d.Behavior != tt.want || !strings.Contains(d.Reason, tt.reason) || d.Flag != tt.flag {
				t.Errorf("got %v, %q, flag %q", d.Behavior, d.Reason, d.Flag)
			}
		})
	}
}

func TestParseRule(t *testing.T) {
	for _, good := range []string{
		"db/query", "db/*", "db/get_*", "mcp__db__query", "mcp__db__*", "mcp__db", "Bash", "WebFetch", "greet", "db_query", "mcp__a__b__c",
	} {
		if _, err := ParseRule(good, Deny); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, tt := range []struct{ name, pattern, says string }{
		{"nothing", "", "want a tool's name"},
		{"everything", "*", "no rule for everything"},
		{"everything of every server", "*/*", "no rule for everything"},
		{"everything on the wire", "mcp__*", "no rule for everything"},
		{"half a server", "d*/query", "server must be named in full"},
		{"half a server on the wire", "mcp__d*__query", "server must be named in full"},
		{"a star at the front", "db/*_x", "only at the end"},
		{"a star in a bare name", "Ba*", "must be named"},
		{"two stars", "db/**", "only at the end"},
		{"arguments of the CLI's tools", "Bash(git status:*)", "arguments"},
		{"a list", "db/a,db/b", "one rule a flag"},
		{"a server alone", "db/", "want server/tool"},
		{"a path", "db/a/b", "want server/tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ParseRule(tt.pattern, Allow); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%q: got %v, want %q", tt.pattern, err, tt.says)
			}
		})
	}
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"db/query", "mcp__db__*", "mcp__", "/", "*", "Bash(ls)", "mcp____", "a/b/c", "db/get_*"} {
		f.Add(s, "db", "query")
	}
	f.Fuzz(func(t *testing.T, pattern, server, tool string) {
		deny, err := ParseRule(pattern, Deny)
		s := Subject{Name: ToolName{server, tool}, Plain: server + "_" + tool}
		p := Policy{Rules: []Rule{deny, {pattern, Allow}, {pattern, Ask}}}
		if got := p.Decide(s); err == nil && (got.Behavior == Deny) != deny.matches(&s) {
			t.Errorf("rule %q on %s: %v", pattern, s.Name, got)
		}
		// Every name is matched by its own spellings, as far as they are rules.
		if (ToolName{server, tool}).check() != nil {
			return
		}
		for _, own := range []string{s.Name.String(), s.Name.Wire(), s.Plain, server + "/*", "mcp__" + server} {
			r, err := ParseRule(own, Deny)
			if err != nil || !r.matches(&s) {
				t.Errorf("%s does not match %s (%v)", own, s.Name, err)
			}
		}
	})
}

func TestParseToolName(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want ToolName
	}{
		{"mcp__db__query", ToolName{"db", "query"}},
		{"mcp__a__b__c", ToolName{"a", "b__c"}},
		{"db/query", ToolName{"db", "query"}},
		{"Bash", ToolName{"", "Bash"}},
		{"mcp__half", ToolName{"", "mcp__half"}},
	} {
		if got := ParseToolName(tt.in); got != tt.want {
			t.Errorf("ParseToolName(%s) = %#v", tt.in, got)
		}
	}
}
