package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/luatools/luatools/protocol"
)

// CallToolResult is the result of tools/call.
type CallToolResult struct {
	Content           []Content
	StructuredContent json.RawMessage // a JSON object; nil when there is none
	IsError           bool
	Meta              json.RawMessage // a JSON object for _meta; nil when there is none
}

// Content is one block of a result. Type says which other fields count; Annotations and Meta count for all.
type Content struct {
	Type        string          // "text", "image", "audio", "resource_link", "resource"
	Text        string          // text
	Data        string          // image, audio: base64
	MIMEType    string          // image, audio, resource_link
	URI, Name   string          // resource_link
	Title       string          // resource_link
	Description string          // resource_link
	Size        int64           // resource_link, bytes; 0 is left out
	Resource    json.RawMessage // resource: the object {uri, mimeType, text|blob}
	Annotations json.RawMessage // object; nil when there are none
	Meta        json.RawMessage // object for _meta; nil when there is none
}

// TextResult is a result of one text block.
func TextResult(text string) *CallToolResult {
	return &CallToolResult{Content: []Content{{Type: "text", Text: text}}}
}

// ErrorResult is a failure that the model reads.
func ErrorResult(text string) *CallToolResult {
	r := TextResult(text)
	r.IsError = true
	return r
}

// AppendJSON implements [protocol.Appender]. content is always an array, isError is written only when true. A block
// of unknown type, or a raw field that is no JSON object, is an error: one bad block spoils the whole result in clients.
func (r *CallToolResult) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"content":[`...)
	var err error
	for i := range r.Content {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = r.Content[i].AppendJSON(dst); err != nil {
			return dst, fmt.Errorf("content %d: %w", i, err)
		}
	}
	dst = append(dst, ']')
	dst, err = appendObject(dst, "structuredContent", r.StructuredContent, nil)
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	if dst, err = appendObject(dst, "_meta", r.Meta, err); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// AppendJSON implements [protocol.Appender].
func (c *Content) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"type":"`...)
	var err error
	switch c.Type {
	case "text":
		dst = append(dst, `text","text":`...)
		dst = protocol.AppendString(dst, c.Text)
	case "image", "audio":
		dst = append(dst, c.Type...)
		dst = append(dst, `","data":`...)
		dst = protocol.AppendString(dst, c.Data)
		dst = append(dst, `,"mimeType":`...)
		dst = protocol.AppendString(dst, c.MIMEType)
	case "resource_link":
		dst = append(dst, `resource_link","uri":`...)
		dst = protocol.AppendString(dst, c.URI)
		dst = append(dst, `,"name":`...)
		dst = protocol.AppendString(dst, c.Name)
		dst = appendText(dst, "title", c.Title)
		dst = appendText(dst, "description", c.Description)
		dst = appendText(dst, "mimeType", c.MIMEType)
		if c.Size != 0 {
			dst = append(dst, `,"size":`...)
			dst = strconv.AppendInt(dst, c.Size, 10)
		}
	case "resource":
		dst = append(dst, `resource"`...)
		if c.Resource == nil {
			err = fmt.Errorf("a resource block has no resource")
		}
		dst, err = appendObject(dst, "resource", c.Resource, err)
	default:
		err = fmt.Errorf("unknown type %q", c.Type)
	}
	dst, err = appendObject(dst, "annotations", c.Annotations, err)
	if dst, err = appendObject(dst, "_meta", c.Meta, err); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}
