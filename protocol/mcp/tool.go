package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/luatools/luatools/protocol"
)

// Tool is one entry of tools/list.
type Tool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage // an object schema
	OutputSchema json.RawMessage // nil when there is none
	Annotations  json.RawMessage // nil when there are none
	Icons        json.RawMessage // array; nil when there are none
	Meta         json.RawMessage // nil when there is none
}

// AppendJSON implements [protocol.Appender]. A schema, annotations, icons or meta of the wrong JSON kind is an error:
// one bad entry makes clients drop the whole list.
func (t *Tool) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"name":`...)
	dst = protocol.AppendString(dst, t.Name)
	dst = appendText(dst, "title", t.Title)
	dst = appendText(dst, "description", t.Description)
	if t.InputSchema == nil {
		return dst, fmt.Errorf("tool %q: it has no input schema", t.Name)
	}
	dst, err := appendObject(dst, "inputSchema", t.InputSchema, nil)
	dst, err = appendObject(dst, "outputSchema", t.OutputSchema, err)
	dst, err = appendObject(dst, "annotations", t.Annotations, err)
	if t.Icons != nil && err == nil {
		if bad := protocol.Elements(t.Icons, func([]byte) bool { return true }); bad != nil {
			return dst, fmt.Errorf("tool %q: icons: %w", t.Name, bad)
		}
		dst = append(dst, `,"icons":`...)
		dst = append(dst, t.Icons...)
	}
	dst, err = appendObject(dst, "_meta", t.Meta, err)
	if err != nil {
		return dst, fmt.Errorf("tool %q: %w", t.Name, err)
	}
	return append(dst, '}'), nil
}

// appendText appends a member, unless its text is empty.
func appendText(dst []byte, key, text string) []byte {
	if text == "" {
		return dst
	}
	return protocol.AppendString(appendKey(dst, key), text)
}

// appendObject appends a member that must be a JSON object, unless it is nil or an error came before. What is no
// JSON would break the line and, with the CLI, end the session: so it is looked at, which costs little beside the
// encoding.
func appendObject(dst []byte, key string, raw json.RawMessage, err error) ([]byte, error) {
	if raw == nil || err != nil {
		return dst, err
	}
	if !protocol.IsObject(raw) {
		return dst, fmt.Errorf("%s is no JSON object: %.80s", key, raw)
	}
	return append(appendKey(dst, key), raw...), nil
}

func appendKey(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}
