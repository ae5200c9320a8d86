package rehearsal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// hostLine is a line of the host, of any kind.
type hostLine struct {
	Type      string          `json:"type"`
	RequestID string          `json:"request_id"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
	UUID      string          `json:"uuid"`
	Message   *struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// read takes the host's lines until stdin is closed or the agent ends. It never waits for anything but the next line.
func (a *Agent) read() {
	in := bufio.NewReaderSize(a.in, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err == nil || len(line) > 0 {
			a.line(bytes.TrimSuffix(line, []byte("\n")))
		}
		if a.ctx.Err() != nil {
			return
		}
		if err != nil {
			a.endOfInput()
			return
		}
	}
}

func (a *Agent) line(b []byte) {
	var l hostLine
	if err := json.Unmarshal(b, &l); err != nil {
		a.strange(b, err)
		return
	}
	switch l.Type {
	case "user":
		if l.Message == nil || l.Message.Role != "user" {
			role := "undefined"
			if l.Message != nil {
				role = l.Message.Role
			}
			a.die(fmt.Sprintf("Error: Expected message role 'user', got '%s'", role))
			return
		}
		a.prompted(prompt{uuid: l.UUID, content: l.Message.Content})
	case "control_request":
		if !isObject(l.Request) {
			a.die("Error: Missing request on control_request")
			return
		}
		a.requested(l.RequestID, l.Request)
	case "control_response":
		a.answered(l)
		if !a.o.NoReplay {
			a.write(json.RawMessage(b))
		}
	case "keep_alive", "update_environment_variables":
	default:
		a.unknownLine(l.Type)
	}
}

// strange judges a line that does not decode: no JSON ends either CLI, other JSON and an empty line only the old one.
func (a *Agent) strange(b []byte, err error) {
	switch blank := len(bytes.TrimSpace(b)) == 0; {
	case blank && !a.o.Old:
		a.problem("the host wrote an empty line")
	case !json.Valid(b):
		a.die(fmt.Sprintf("Error parsing streaming input line: %.200s: %v", b, err))
	case isObject(b):
		a.die(fmt.Sprintf("Error parsing streaming input line: %.200s: %v", b, err))
	default:
		a.unknownLine("undefined")
	}
}

func (a *Agent) unknownLine(kind string) {
	reason := fmt.Sprintf("Error: Expected message type 'user' or 'control', got '%s'", kind)
	if a.o.Old {
		a.die(reason)
		return
	}
	a.problem("%s", reason)
}

// endOfInput fails what waits for the host, and lets the conversation come to its end.
func (a *Agent) endOfInput() {
	a.mu.Lock()
	close(a.closed)
	var open []string
	for _, q := range a.asked {
		if q.answers == 0 && !q.withdrawn && !q.silent && !q.mild && !q.stuck {
			open = append(open, q.about)
		}
	}
	a.mu.Unlock()
	for _, about := range open {
		a.problem("stdin was closed before %s was answered", about)
	}
	a.nudge()
}

// nudge wakes the conversation.
func (a *Agent) nudge() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func isObject(raw json.RawMessage) bool { return firstByte(raw) == '{' }

func firstByte(raw []byte) byte {
	if raw = bytes.TrimLeft(raw, " \t\r\n"); len(raw) > 0 {
		return raw[0]
	}
	return 0
}

// textOf is the text of a message's content: a string, or its text blocks one below the other.
func textOf(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}
