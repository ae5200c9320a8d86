package mcp

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/luatools/luatools/protocol"
)

// listTools answers with the Catalog's array as it stands, or with one page cut out of it: no tool is encoded again.
func (s *Server) listTools(params json.RawMessage) (protocol.Appender, error) {
	var cursor []byte
	fault := object("params", params, func(key, value []byte) *protocol.Error {
		if string(key) == "cursor" && !isNull(value) {
			return once("cursor", &cursor, value)
		}
		return nil
	})
	if fault != nil {
		return nil, fault
	}
	tools := s.catalog.ToolList()
	if len(tools) == 0 {
		tools = emptyList
	}
	if cursor == nil && s.options.PageSize <= 0 {
		return toolPage{tools: tools}, nil
	}
	after := ""
	if cursor != nil {
		text, _ := protocol.Unquote(cursor)
		var ok bool
		if after, ok = decodeCursor(text); !ok {
			return nil, invalidParams("invalid cursor %.80s; start again without one", cursor)
		}
	}
	return s.page(tools, after)
}

var emptyList = json.RawMessage("[]")

// page cuts the tools behind the one named after out of the list. A cursor names the last tool that was shown, so it
// stays good when the list changes between two pages.
func (s *Server) page(tools json.RawMessage, after string) (protocol.Appender, error) {
	page := toolPage{tools: append(make([]byte, 0, len(tools)), '[')}
	n, last := 0, ""
	err := protocol.Elements(tools, func(tool []byte) bool {
		name := toolName(tool)
		if after != "" && name <= after {
			return true
		}
		if s.options.PageSize > 0 && n == s.options.PageSize {
			page.next = encodeCursor(last)
			return false
		}
		if n > 0 {
			page.tools = append(page.tools, ',')
		}
		page.tools = append(page.tools, tool...)
		n, last = n+1, name
		return true
	})
	page.tools = append(page.tools, ']')
	return page, err
}

func toolName(tool []byte) (name string) {
	// The walk ends at the name, which our own encoding puts first.
	_ = protocol.Members(tool, func(key, value []byte) bool {
		if string(key) != "name" {
			return true
		}
		name, _ = protocol.Unquote(value)
		return false
	})
	return name
}

// toolPage is the result of tools/list.
type toolPage struct {
	tools []byte // the array
	next  string // the cursor of the next page; empty when this is the last
}

func (p toolPage) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"tools":`...)
	dst = append(dst, p.tools...)
	dst = appendText(dst, "nextCursor", p.next)
	return append(dst, '}'), nil
}

const cursorMark = "after:"

func encodeCursor(name string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + name))
}

func decodeCursor(cursor string) (name string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", false
	}
	name, ok = strings.CutPrefix(string(text), cursorMark)
	return name, ok && name != ""
}
