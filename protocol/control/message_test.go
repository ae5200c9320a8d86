package control

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestToolUsesAreBlocksOfAssistantMessages(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       []ToolUse
	}{
		{"one among text and unknown blocks", `{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"hologram"},7,{"input":{"n":1},"name":"mcp__t__add","id":"toolu_1","type":"tool_use"},{"type":"server_tool_use","id":"s"}]}}`,
			[]ToolUse{{"toolu_1", "mcp__t__add", json.RawMessage(`{"n":1}`)}}},
		{"two", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"a","input":{}},{"type":"tool_use","id":"2","name":"b","input":{}}]}}`,
			[]ToolUse{{"1", "a", json.RawMessage(`{}`)}, {"2", "b", json.RawMessage(`{}`)}}},
		{"none in a user message", `{"type":"user","message":{"content":[{"type":"tool_use","id":"1"}]}}`, nil},
		{"none in a top-level tool_use", `{"type":"tool_use","id":"1","name":"a","input":{}}`, nil},
		{"none without content", `{"type":"assistant"}`, nil},
		{"none in content that is a string", `{"type":"assistant","message":{"content":"tool_use"}}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := message(tt.line).ToolUses(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("ToolUses = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestToolResults(t *testing.T) {
	line := `{"type":"user","message":{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"ok"}],"is_error":null},
		{"type":"tool_result","tool_use_id":"2","content":"no","is_error":true},
		{"type":"tool_result","tool_use_id":"3","is_error":false},{"type":"text","text":"x"}]}}`
	want := []ToolResult{
		{"1", false, json.RawMessage(`[{"type":"text","text":"ok"}]`)},
		{"2", true, json.RawMessage(`"no"`)},
		{"3", false, nil},
	}
	if got := message(line).ToolResults(); !reflect.DeepEqual(got, want) {
		t.Errorf("ToolResults = %+v, want %+v", got, want)
	}
	if got := message(`{"type":"user","message":{"role":"user","content":"hi"}}`).ToolResults(); got != nil {
		t.Errorf("a prompt has the results %+v", got)
	}
}

func TestTextOfAnAssistantMessage(t *testing.T) {
	m := message(`{"type":"assistant","message":{"content":[{"type":"text","text":"21\u00b0"},{"type":"thinking","text":"no","thinking":"no"},{"type":"text","text":"C \"warm\""}]}}`)
	if got, want := m.Text(), `21°C "warm"`; got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
	if got := message(`{"type":"user","message":{"content":[{"type":"text","text":"x"}]}}`).Text(); got != "" {
		t.Errorf("a user message has the text %q", got)
	}
}

func TestSmallFactsOfMessages(t *testing.T) {
	facts := func(m Message) []any {
		started, isStart := m.TaskStarted()
		ended, isEnd := m.TaskEnded()
		return []any{m.UUID(), m.SessionID(), m.ParentToolUseID(), m.IsReplay(), m.AssistantError(), m.SessionState(), started, isStart, ended, isEnd}
	}
	none := func(change func(f []any)) []any {
		f := []any{"", "", "", false, "", "", Task{}, false, Task{}, false}
		change(f)
		return f
	}
	for _, tt := range []struct {
		name, line string
		want       []any
	}{
		{"ids", `{"type":"x","uuid":"u","session_id":"s","parent_tool_use_id":"p"}`, none(func(f []any) { f[0], f[1], f[2] = "u", "s", "p" })},
		{"ids of another type are none", `{"type":"x","uuid":1,"session_id":null,"parent_tool_use_id":{}}`, none(func(f []any) {})},
		{"a replay", `{"type":"user","isReplay":true,"uuid":"u"}`, none(func(f []any) { f[0], f[3] = "u", true })},
		{"not logged in", `{"type":"assistant","error":"authentication_failed","message":{}}`, none(func(f []any) { f[4] = "authentication_failed" })},
		{"no error", `{"type":"assistant","error":null}`, none(func(f []any) {})},
		{"an error of another line", `{"type":"system","error":"x"}`, none(func(f []any) {})},
		{"a state", lineIdle, none(func(f []any) { f[5] = "idle" })},
		{"a state under another subtype", `{"type":"system","subtype":"status","state":"idle"}`, none(func(f []any) {})},
		{"a task begins", lineAgent, none(func(f []any) { f[6], f[7] = Task{ID: "t1", Type: "local_agent"}, true })},
		{"a task ends by notification", lineNoted, none(func(f []any) { f[8], f[9] = Task{ID: "t1", Status: "completed"}, true })},
		{"a task ends by update", updated("t", "failed"), none(func(f []any) { f[8], f[9] = Task{ID: "t", Status: "failed"}, true })},
		{"a task goes on", updated("t", "running"), none(func(f []any) {})},
		{"a task gets another patch", `{"type":"system","subtype":"task_updated","task_id":"t","patch":null}`, none(func(f []any) {})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := facts(message(tt.line)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
		})
	}
}

func TestAPIRetry(t *testing.T) {
	r, ok := message(`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":1500.5,"error_status":529,"error":"overloaded"}`).APIRetry()
	if want := (&APIRetry{2, 10, 1500500 * time.Microsecond, 529, "overloaded"}); !ok || !reflect.DeepEqual(r, want) {
		t.Errorf("APIRetry = %+v, %v; want %+v", r, ok, want)
	}
	r, ok = message(`{"type":"system","subtype":"api_retry","attempt":"x","error_status":null,"error":{"type":"t"}}`).APIRetry()
	if want := (&APIRetry{Error: `{"type":"t"}`}); !ok || !reflect.DeepEqual(r, want) {
		t.Errorf("APIRetry of odd fields = %+v, %v; want %+v", r, ok, want)
	}
	if _, ok := message(lineIdle).APIRetry(); ok {
		t.Error("a state is a retry")
	}
}

func TestResult(t *testing.T) {
	m := message(`{"type":"result","subtype":"success","duration_ms":1599,"duration_api_ms":1580,"is_error":false,"num_turns":2,"session_id":"s","total_cost_usd":0.0035969,"usage":{"output_tokens":85},"modelUsage":{},"permission_denials":[{"tool_name":"Bash"}],"result":"5 words","structured_output":{"n":5},"stop_reason":"end_turn","terminal_reason":"completed","uuid":"u"}`)
	want := &Result{
		Subtype: "success", NumTurns: 2, Duration: 1599 * time.Millisecond, DurationAPI: 1580 * time.Millisecond, SessionID: "s", Text: "5 words", CostUSD: 0.0035969,
		PermissionDenials: []json.RawMessage{json.RawMessage(`{"tool_name":"Bash"}`)}, TerminalReason: "completed", StopReason: "end_turn",
		StructuredOutput: json.RawMessage(`{"n":5}`), Usage: json.RawMessage(`{"output_tokens":85}`), ModelUsage: json.RawMessage(`{}`), UUID: "u",
	}
	got, ok := m.Result()
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("Result = %+v, %v\nwant %+v", got, ok, want)
	}
	if _, ok := message(lineIdle).Result(); ok {
		t.Error("a state is a result")
	}
}

func TestWhichResultsFailedAndWhatTheySay(t *testing.T) {
	for _, tt := range []struct {
		name, line, want string // the error's text; empty: the turn went well
	}{
		{"a success", lineResult, ""},
		{"an API failure is a success with is_error", `{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500","api_error_status":500}`, "API Error: 500"},
		{"an error subtype failed although is_error is false", `{"type":"result","subtype":"error_during_execution","is_error":false,"errors":[]}`, "error_during_execution"},
		{"an error subtype nobody knows failed too", `{"type":"result","subtype":"error_of_next_year"}`, "error_of_next_year"},
		{"errors are joined", `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["a","b"],"result":"c"}`, "a; b"},
		{"errors that are no strings are shown", `{"type":"result","subtype":"error_max_turns","errors":[{"m":"a"}]}`, `{"m":"a"}`},
		{"empty errors say nothing", `{"type":"result","subtype":"error_max_turns","errors":[""],"result":" "}`, "error_max_turns"},
		{"a status is better than the word success", `{"type":"result","subtype":"success","is_error":true,"api_error_status":401}`, "the API answered with HTTP status 401"},
		{"nothing at all", `{"type":"result","is_error":true}`, "the turn failed without saying why"},
		{"fields of another shape do not hide the rest", `{"type":"result","subtype":"error_x","num_turns":"two","result":7,"errors":["e"]}`, "e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := message(tt.line).Result()
			got := ""
			if err := r.Err(); err != nil {
				got = err.Error()
			}
			if got != tt.want || r.Failed() != (tt.want != "") {
				t.Errorf("Err = %q, Failed = %v; want %q", got, r.Failed(), tt.want)
			}
		})
	}
}

func TestInit(t *testing.T) {
	got, ok := message(`{"type":"system","subtype":"init","cwd":"/tmp","session_id":"s","tools":["Bash","mcp__demo_tools__greet"],"mcp_servers":[{"name":"demo_tools","status":"connected","x":1}],"model":"m","permissionMode":"default","claude_code_version":"2.1.33","slash_commands":[]}`).Init()
	want := &Init{SessionID: "s", CWD: "/tmp", Model: "m", PermissionMode: "default", Version: "2.1.33",
		Tools: []string{"Bash", "mcp__demo_tools__greet"}, Servers: []ServerStatus{{"demo_tools", "connected"}}}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("Init = %+v, %v\nwant %+v", got, ok, want)
	}
	if _, ok := message(lineIdle).Init(); ok {
		t.Error("a state is an init")
	}
}
