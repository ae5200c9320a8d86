package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server is one declared in-process server and what it said of itself last.
type server struct {
	name  string
	conn  *conn // of the last handshake that ended well
	tools []tool
	fault string // why there are no tools
}

// tool is one entry of tools/list.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		ReadOnly bool `json:"readOnlyHint"`
	} `json:"annotations"`

	server *server
}

// conn is one MCP connection to a server: its own count of JSON-RPC ids.
type conn struct {
	server string
	mu     sync.Mutex
	next   int
}

type mcpMessage struct {
	Subtype string     `json:"subtype"`
	Server  string     `json:"server_name"`
	Message rpcMessage `json:"message"`
}

type rpcMessage struct {
	Method  string          `json:"method"`
	Params  any             `json:"params,omitempty"`
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
}

// request sends one MCP request; its question tells the id.
func (a *Agent) request(c *conn, method, about string, params func(id int) any) *question {
	return a.requestFor(c, method, about, params, nil)
}

// requestFor is request with a taker of the answer.
func (a *Agent) requestFor(c *conn, method, about string, params func(id int) any, take func(reply)) *question {
	c.mu.Lock()
	id := c.next
	c.next++
	c.mu.Unlock()
	q := &question{about: about, mcp: true, rpc: json.RawMessage(strconv.Itoa(id)), take: take}
	q.mild = method != "tools/call"
	m := rpcMessage{Method: method, JSONRPC: "2.0", ID: q.rpc}
	if params != nil {
		m.Params = params(id)
	}
	a.send(q, mcpMessage{"mcp_message", c.server, m})
	return q
}

// notify sends an MCP notification.
func (a *Agent) notify(c *conn, method string, params any) *question {
	q := &question{about: method + " to " + c.server, mcp: true, mild: true}
	a.send(q, mcpMessage{"mcp_message", c.server, rpcMessage{Method: method, Params: params, JSONRPC: "2.0"}})
	return q
}

// declare replaces the list of servers; those that stay keep their tools until they are asked again. It reports whether one
// of them was never declared before.
func (a *Agent) declare(names []string) (unmet bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []*server
	for _, name := range names {
		unmet = unmet || !a.met[name]
		a.met[name] = true
		s := a.serverLocked(name)
		if s == nil {
			s = &server{name: name}
		}
		list = append(list, s)
	}
	a.servers = list
	return unmet
}

func (a *Agent) serverLocked(name string) *server {
	for _, s := range a.servers {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (a *Agent) serverNames() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for _, s := range a.servers {
		names = append(names, s.name)
	}
	return names
}

// shakeHands speaks to every declared server at the same time. greeted is called when all have answered
// MCP initialize (or failed); the rest of the handshake follows it. The next turn waits for the end of all of it.
func (a *Agent) shakeHands(greeted func()) {
	ended := make(chan struct{})
	a.mu.Lock()
	before := a.ready
	a.ready = ended
	a.mu.Unlock()
	names := a.serverNames()
	a.wg.Go(func() {
		defer close(ended)
		conns := make([]*conn, len(names))
		a.each(len(names), func(i int) { conns[i] = a.greet(names[i]) })
		greeted()
		a.each(len(names), func(i int) {
			if conns[i] != nil {
				a.learn(conns[i])
			}
		})
		if before != nil {
			<-before
		}
	})
}

// each runs f for 0…n-1 at the same time and waits for all.
func (a *Agent) each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// greet sends MCP initialize over a new connection; nil when the server is of no use.
func (a *Agent) greet(name string) *conn {
	c := &conn{server: name}
	q := a.request(c, "initialize", "initialize of "+name, func(int) any {
		return json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":` + strconv.Quote(a.o.version()) + `}}`)
	})
	r, err := a.await(a.ctx, q)
	switch {
	case err != nil:
		return a.lost(name, err)
	case r.rpcErr != nil:
		return a.lost(name, r.rpcErr)
	}
	var hello struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
		Info         struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	if err := json.Unmarshal(r.payload, &hello); err != nil || hello.Version == "" || !isObject(hello.Capabilities) || hello.Info.Name == "" || hello.Info.Version == "" {
		a.problem("initialize of %s was answered without protocolVersion, capabilities or serverInfo: %s", name, r.payload)
		return a.lost(name, errors.New("bad initialize result"))
	}
	return c
}

// learn ends the handshake: notifications/initialized, its acknowledgement, tools/list.
func (a *Agent) learn(c *conn) {
	if _, err := a.await(a.ctx, a.notify(c, "notifications/initialized", nil)); err != nil {
		a.lost(c.server, err)
		return
	}
	a.list(c)
}

// list asks for the tools of a server. Old CLIs read the first page only. The tools can be called as soon as the last page has been read: an
// answer that stands on the next line finds them.
func (a *Agent) list(c *conn) {
	var tools []tool
	cursor := ""
	take := func(r reply) {
		more, next, err := readTools(r.payload)
		if err != nil {
			// One bad entry empties the whole server, and the CLI says so nowhere.
			a.problem("tools/list of %s would empty the server: %v", c.server, err)
			more, next, tools = nil, "", nil
		}
		tools, cursor = append(tools, more...), next
		if cursor == "" || a.o.Old {
			a.learned(c, tools)
		}
	}
	for page := 0; page == 0 || cursor != "" && !a.o.Old; page++ {
		var params func(int) any
		if cursor != "" {
			at := cursor
			params = func(int) any {
				return struct {
					Cursor string `json:"cursor"`
				}{at}
			}
		}
		r, err := a.await(a.ctx, a.requestFor(c, "tools/list", "tools/list of "+c.server, params, take))
		if err == nil && r.rpcErr != nil {
			err = r.rpcErr
		}
		if err != nil {
			a.lost(c.server, err)
			return
		}
	}
}

// learned takes the tools of a server.
func (a *Agent) learned(c *conn, tools []tool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.serverLocked(c.server); s != nil {
		for i := range tools {
			tools[i].server = s
		}
		s.conn, s.tools, s.fault = c, tools, ""
	}
}

func (a *Agent) lost(name string, err error) *conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.serverLocked(name); s != nil {
		s.conn, s.tools, s.fault = nil, nil, err.Error()
	}
	return nil
}

// readTools judges an answer to tools/list as strictly as the CLI.
func readTools(result json.RawMessage) (tools []tool, cursor string, err error) {
	var page struct {
		Tools  []json.RawMessage `json:"tools"`
		Cursor string            `json:"nextCursor"`
	}
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, "", err
	}
	if page.Tools == nil {
		return nil, "", errors.New("tools is missing")
	}
	for i, raw := range page.Tools {
		var t tool
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, "", fmt.Errorf("tool %d: %w", i, err)
		}
		if t.Name == "" {
			return nil, "", fmt.Errorf("tool %d has no name", i)
		}
		if err := checkSchema(t.InputSchema); err != nil {
			return nil, "", fmt.Errorf("tool %q: %w", t.Name, err)
		}
		tools = append(tools, t)
	}
	return tools, page.Cursor, nil
}

func checkSchema(raw json.RawMessage) error {
	var s struct {
		Type       any             `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   json.RawMessage `json:"required"`
	}
	if !isObject(raw) || json.Unmarshal(raw, &s) != nil {
		return errors.New("inputSchema is no object")
	}
	switch {
	case s.Type != "object":
		return fmt.Errorf("inputSchema has the type %v", s.Type)
	case s.Properties != nil && !isObject(s.Properties):
		return errors.New("properties is no object")
	case s.Required != nil && firstByte(s.Required) != '[':
		return errors.New("required is no list")
	}
	return nil
}

// relistLater asks one server for its tools again, after the delay of the options.
func (a *Agent) relistLater(name string) {
	a.mu.Lock()
	s := a.serverLocked(name)
	var c *conn
	if s != nil {
		c = s.conn
	}
	a.mu.Unlock()
	if c == nil {
		return
	}
	a.wg.Go(func() {
		if a.o.RelistDelay > 0 {
			select {
			case <-time.After(a.o.RelistDelay):
			case <-a.ctx.Done():
				return
			}
		}
		if !a.isClosed() {
			a.list(c)
		}
	})
}

type serverState struct {
	Name   string      `json:"name"`
	Status string      `json:"status"`
	Error  string      `json:"error,omitempty"`
	Tools  []namedTool `json:"tools,omitempty"`
}

type namedTool struct {
	Name string `json:"name"`
}

func (a *Agent) serverStates(tools bool) []serverState {
	a.mu.Lock()
	defer a.mu.Unlock()
	states := []serverState{}
	for _, s := range a.servers {
		st := serverState{Name: s.name, Status: "connected", Error: s.fault}
		switch {
		case s.fault != "":
			st.Status = "failed"
		case s.conn == nil:
			st.Status = "pending"
		}
		for _, t := range s.tools {
			if tools {
				st.Tools = append(st.Tools, namedTool{t.Name})
			}
		}
		states = append(states, st)
	}
	return states
}

func (a *Agent) serverStatus() any {
	return struct {
		Servers []serverState `json:"mcpServers"`
	}{a.serverStates(true)}
}

// tools returns every tool that can be called now, and wire the name that the model sees.
func (a *Agent) tools() []tool {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []tool
	for _, s := range a.servers {
		all = append(all, s.tools...)
	}
	return all
}

func (t *tool) wire() string { return "mcp__" + plain(t.server.name) + "__" + plain(t.Name) }

// plain replaces what a model's tool name cannot have.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// byWire finds a tool by the name the model sees.
func (a *Agent) byWire(name string) (tool, bool) {
	for _, t := range a.tools() {
		if t.wire() == name {
			return t, true
		}
	}
	return tool{}, false
}

func (a *Agent) connOf(t tool) *conn {
	a.mu.Lock()
	defer a.mu.Unlock()
	return t.server.conn
}

// handshakeOver waits until the turn may start: no handshake is under way, and those that are due have been made.
func (a *Agent) handshakeOver(ctx context.Context) error {
	a.mu.Lock()
	due := a.relist
	a.relist = false
	a.mu.Unlock()
	if due {
		a.shakeHands(func() {})
	}
	a.mu.Lock()
	ready := a.ready
	a.mu.Unlock()
	if ready == nil {
		return nil
	}
	select {
	case <-ready:
		return nil
	default:
	}
	select {
	case <-ready:
	case <-a.closed:
		a.problem("stdin was closed during the handshake of a turn")
		<-ready // what waited for the host has failed
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.ctx.Done():
		return a.ctx.Err()
	}
	return nil
}
